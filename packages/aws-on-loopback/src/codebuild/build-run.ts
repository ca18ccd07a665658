/** One build at work: a child process that leads its own group and session, or a function in this process. */
import { spawn } from 'node:child_process';
import { appendFile, open } from 'node:fs/promises';
import { messageOf } from '../logger.ts';
import { identify, killBuild, type ProcessIdentity, signalGroup } from './process-group.ts';

/** What a project runs. */
export type ProjectRun =
  | { readonly kind: 'command'; readonly command: readonly [string, ...string[]]; readonly directory: string }
  | {
      readonly kind: 'function';
      /** Fails by throwing, or with an exit code other than 0. */
      readonly run: (
        environment: Readonly<Record<string, string>>,
        /** `killed`: it must not do anything any more, as a process that is gone. */
        options: { readonly signal: AbortSignal; readonly killed: AbortSignal },
      ) => Promise<unknown>;
    };

export interface BuildEnd {
  readonly ok: boolean;
  /** True when it could not even start. */
  readonly fault: boolean;
  readonly reason: string | null;
}

export interface BuildRun {
  readonly process: ProcessIdentity | undefined;
  readonly ended: Promise<BuildEnd>;
  /** SIGINT, after the grace SIGTERM to the group, then SIGKILL. Once; a second call changes nothing. */
  interrupt(): void;
  /** As CodeBuild ends a container: without a signal that it could act on, and everything in it. */
  kill(): void;
}

export interface RunOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly graceMs: number;
}

export async function runBuild(run: ProjectRun, options: RunOptions): Promise<BuildRun> {
  return run.kind === 'command' ? runCommand(run.command, run.directory, options) : runFunction(run.run, options);
}

async function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  directory: string,
  { environment, logFile, graceMs }: RunOptions,
): Promise<BuildRun> {
  const log = await open(logFile, 'a', 0o600);
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: ['ignore', log.fd, log.fd],
    // A session of its own: signals of our terminal do not reach it, our signals reach every process that it starts.
    detached: true,
  });
  const ended = new Promise<BuildEnd>((resolve) => {
    child.once('error', (error) => resolve({ ok: false, fault: true, reason: `${program}: ${error.message}` }));
    child.once('exit', (code, signal) => {
      const reason = signal ? `ended by ${signal}` : code === 0 ? null : `exit code ${code}`;
      resolve({ ok: code === 0, fault: false, reason });
    });
  });
  await log.close();
  const timers: NodeJS.Timeout[] = [];
  const { pid } = child;
  const variable = `CODEBUILD_BUILD_ID=${environment.CODEBUILD_BUILD_ID}`;
  return {
    process: pid === undefined ? undefined : identify(pid),
    ended: ended.then(async (end) => {
      for (const timer of timers) clearTimeout(timer);
      // As when a container ends: no process of the build remains.
      if (pid !== undefined) await killBuild(pid, variable);
      return end;
    }),
    interrupt() {
      if (pid === undefined || timers.length > 0) return;
      child.kill('SIGINT');
      timers.push(setTimeout(() => signalGroup(pid, 'SIGTERM'), graceMs));
      timers.push(setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs + Math.min(graceMs, 5_000)));
    },
    kill() {
      if (pid !== undefined) void killBuild(pid, variable);
    },
  };
}

function runFunction(
  run: Extract<ProjectRun, { kind: 'function' }>['run'],
  { environment, logFile, graceMs }: RunOptions,
): BuildRun {
  const [controller, killed] = [new AbortController(), new AbortController()];
  const given = Promise.withResolvers<BuildEnd>();
  const work = async (): Promise<BuildEnd> => {
    try {
      const result = await run(environment, { signal: controller.signal, killed: killed.signal });
      const failed = result === false || (typeof result === 'number' && result !== 0);
      return { ok: !failed, fault: false, reason: failed ? `exit code ${Number(result) || 1}` : null };
    } catch (error) {
      await appendFile(logFile, `${messageOf(error)}\n`, { mode: 0o600 });
      return { ok: false, fault: false, reason: messageOf(error) };
    }
  };
  return {
    process: undefined,
    ended: Promise.race([work(), given.promise]),
    interrupt() {
      if (controller.signal.aborted) return;
      controller.abort();
      const end = { ok: false, fault: false, reason: 'did not end when it was stopped' };
      setTimeout(() => given.resolve(end), graceMs).unref();
    },
    kill() {
      killed.abort();
      controller.abort();
      given.resolve({ ok: false, fault: false, reason: 'killed' });
    },
  };
}
