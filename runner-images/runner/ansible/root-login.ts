/** Waits until a new machine accepts the login of root: its first boot may still be running when SSH answers. */
import { setTimeout as pause } from 'node:timers/promises';
import { printableText } from '#domain/observed/printable-text.ts';
import { isWayThere, nodeRow } from '../causes/node-causes.ts';
import type { CommandResult } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure, stageCancelled } from '../stage-failure.ts';
import { runOverSsh, type SshLogin } from './ssh-command.ts';

export interface LoginPatience {
  /** @default 5 minutes */
  readonly totalMs?: number;
  /** The first pause; it grows up to eight times of it. @default 2 seconds */
  readonly pauseMs?: number;
}

type Around = Pick<StageContext, 'run' | 'runner' | 'emit' | 'signal' | 'workDirectory'>;

/** Characters of what a machine says instead. */
const mostWords = 300;

/** The answer that the machine must give: images that refuse root print something else, and some still exit with 0. */
const answer = 'kubeloom-is-in';

/**
 * Resolves once root can log in on each machine. Throws `RootLoginRefused` (permanent) for the first that still refuses the
 * key at the end, `HostUnreachable` for one that is not reached.
 */
export async function waitForRoot(
  around: Around,
  targets: readonly SshLogin[],
  { totalMs = 300_000, pauseMs = 2000 }: LoginPatience = {},
): Promise<void> {
  const deadline = performance.now() + totalMs;
  await Promise.all(
    targets.map(async (target) => {
      for (let tries = 0; ; tries++) {
        const result = await runOverSsh(around, target, `echo ${answer}`);
        if (result.code === 0 && result.stdout.includes(answer)) return;
        if (around.signal.aborted) throw stageCancelled(around.signal);
        const words = lastWords(result);
        if (performance.now() > deadline) throw refusal(target, words, totalMs);
        if (tries === 0) reportWaiting(around, target, words, totalMs);
        await pause(Math.min(2 ** tries, 8) * pauseMs, undefined, { signal: around.signal }).catch(() => {
          throw stageCancelled(around.signal);
        });
      }
    }),
  );
}

function reportWaiting({ emit }: Around, { name }: SshLogin, words: string, totalMs: number): void {
  const message = `${name} does not accept the login of root yet (${words}): its first boot may still be running; waiting for up to ${inMinutes(totalMs)}`;
  emit({ kind: 'FirstBootAwaited', message, node: name });
}

function refusal({ name, host, port }: SshLogin, words: string, totalMs: number): StageFailure {
  // A machine that is not reached at all causes an error of the network.
  const row = nodeRow([words]);
  if (row !== undefined && isWayThere(row)) {
    return new StageFailure({
      class: 'transient',
      code: 'HostUnreachable',
      message: `${name} was not reached over SSH on ${host}:${port}: ${words}`,
      resource: name,
      hint: 'Check that the machine runs and that its SSH port is open.',
    });
  }
  return new StageFailure({
    class: 'credentials',
    code: 'RootLoginRefused',
    message: `${name} did not accept the login of root within ${inMinutes(totalMs)} after SSH answered: ${words}`,
    resource: name,
    hint: 'The first boot script did not run or failed: check the log of cloud-init or of the startup script on the machine, and its image.',
  });
}

function lastWords({ stdout, stderr, code }: CommandResult): string {
  const last = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
  return printableText(last, mostWords) || `ssh ended with exit code ${code}`;
}

function inMinutes(milliseconds: number): string {
  return `${Math.round(milliseconds / 60_000)} min`;
}
