/** Waits until sshd of a new machine answers: cheaper and more patient than retrying a whole playbook. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { StageFailure, stageCancelled } from '../stage-failure.ts';

export interface SshTarget {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface Patience {
  readonly signal: AbortSignal;
  /** @default 3 minutes */
  readonly totalMs?: number;
}

/** Resolves once each target has sent an SSH banner. Throws `HostUnreachable` that names the first that did not. */
export async function waitForSsh(
  targets: readonly SshTarget[],
  { signal, totalMs = 180_000 }: Patience,
): Promise<void> {
  const deadline = performance.now() + totalMs;
  await Promise.all(
    targets.map(async (target) => {
      for (;;) {
        const fault = await askBanner(target);
        if (fault === undefined) return;
        if (signal.aborted) throw stageCancelled(signal);
        if (performance.now() > deadline) throw unreachable(target, fault);
        await pause(1000, undefined, { signal }).catch(() => {
          throw stageCancelled(signal);
        });
      }
    }),
  );
}

/** Undefined when there is a banner, else what is wrong. */
function askBanner({ host, port }: SshTarget): Promise<string | undefined> {
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
