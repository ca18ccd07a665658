/** Waits until sshd of a new machine answers: cheaper than retrying a whole playbook, and it can wait longer. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { StageFailure, stageCancelled } from '../stage-failure.ts';

export interface SshTarget {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** A target and how long it may take to answer. */
export interface PatientTarget extends SshTarget {
  readonly totalMs: number;
}

export interface SshWait {
  readonly signal: AbortSignal;
  /** Reports what is waited for, every `reportMs`. */
  readonly report?: (message: string, node: string) => void;
  /** @default 15 s */
  readonly reportMs?: number;
}

/** Resolves once each target has sent an SSH banner. Throws `HostUnreachable` that names the first that did not. */
export async function waitForSsh(
  targets: readonly PatientTarget[],
  { signal, report, reportMs = 15_000 }: SshWait,
): Promise<void> {
  const began = performance.now();
  await Promise.all(
    targets.map(async (target) => {
      for (let reported = 0; ; ) {
        const fault = await sshFaultOf(target);
        if (fault === undefined) return;
        if (signal.aborted) throw stageCancelled(signal);
        const waited = performance.now() - began;
        if (waited > target.totalMs) throw unreachable(target, fault);
        if (waited - reported >= reportMs) {
          reported = waited;
          report?.(waitingSentence(target, waited, fault), target.name);
        }
        await pause(1000, undefined, { signal }).catch(() => {
          throw stageCancelled(signal);
        });
      }
    }),
  );
}

/** "waits for SSH of machines-01 (192.0.2.55:22), 20 s of 180 s, last: connect EHOSTUNREACH" */
function waitingSentence({ name, host, port, totalMs }: PatientTarget, waitedMs: number, last: string): string {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  return `waits for SSH of ${name} (${host}:${port}), ${seconds(waitedMs)} of ${seconds(totalMs)}, last: ${last}`;
}

/** Undefined when there is a banner, else what is wrong. */
export function sshFaultOf({ host, port }: SshTarget): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (fault: string | undefined) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('data', (bytes) =>
      end(bytes.toString('latin1').startsWith('SSH-') ? undefined : 'no SSH server answers'),
    );
    socket.once('timeout', () => end('no answer within 5 s'));
    socket.once('error', (error) => end(error.message));
    socket.once('close', () => end('the connection was closed'));
  });
}

function unreachable({ name, host, port }: SshTarget, fault: string): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'HostUnreachable',
    message: `${name} did not answer on ${host}:${port}: ${fault}`,
    resource: name,
    hint: 'Check that the machine runs and that its SSH port is open.',
  });
}
