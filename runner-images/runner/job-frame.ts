/** What all jobs have in common: a masked log, bounded time, a private directory, errors in words. */
import type { StageError } from '#contracts/stage.ts';
import type { PortUse } from '#functions/ports.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { revokeVaultTokens } from './credentials.ts';
import { type Command, type CommandResult, runCommand } from './process.ts';
import { type RunnerConfig, runnerConfig } from './runner-config.ts';
import { SecretMask } from './secret-mask.ts';
import { maskedError, type StageFailure, stageErrorOf, stageTooLong } from './stage-failure.ts';
import { StageLog } from './stage-log.ts';
import { watchForStop } from './stop-requests.ts';
import { Stopwatch } from './stopwatch.ts';
import { makeWorkDirectory, removeWorkDirectory } from './work-directory.ts';

export const usualGraceMs = 45_000;

export interface JobOptions {
  readonly signal: AbortSignal;
  readonly templatesDirectory: string;
  /** After this time the tool is interrupted and the job fails with `StageTooLong`. @default never */
  readonly longestMinutes?: number;
  /** Between two looks for a request to stop. @default 5 s */
  readonly stopPollMs?: number;
  /** From SIGINT to SIGKILL of a tool's process group. @default `usualGraceMs` */
  readonly graceMs?: number;
  /** Aborted with the error when something failed outside of the job's own promise. @default never */
  readonly crash?: AbortSignal;
  /** False for jobs that need no files: they get an empty path. @default true */
  readonly needsFiles?: boolean;
  /** A second output for masked log lines. @default none */
  readonly echo?: (line: string) => void;
  /** @default as the environment of this process sets it */
  readonly runner?: RunnerConfig;
}

/** `Use`: what the job calls of the ports, apart from what every runner calls. */
export interface JobContext<Use extends PortUse = never> {
  readonly ports: RunnerPorts<Use>;
  readonly mask: SecretMask;
  readonly log: StageLog;
  readonly signal: AbortSignal;
  /** What the environment of the runner sets. */
  readonly runner: RunnerConfig;
  /** Private, mode 0700, removed when the job ends. */
  readonly workDirectory: string;
  /** The plain files of the tools: `templates/`. */
  readonly templatesDirectory: string;
  /** Runs a tool; see `runCommand`. */
  readonly run: (command: Command) => Promise<CommandResult>;
}

interface JobEnd<Found> {
  /** ISO 8601 */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Time spent in tools. */
  readonly toolMs: number;
  readonly outcome: { readonly ok: true; readonly found: Found } | { readonly ok: false; readonly error: StageError };
}

export interface FramedJob<Found, Result> {
  readonly ports: RunnerPorts;
  /** Artifact key. */
  readonly logKey: string;
  readonly options: JobOptions;
  /** Where requests to stop it are left. @default nowhere: it is short */
  readonly stopPlaces?: readonly string[];
  /** How it fails when its time is up, after so many minutes. @default as a stage */
  readonly tooLong?: (minutes: number) => StageFailure;
  readonly work: (context: Omit<JobContext, 'ports'>) => Promise<Found>;
  /** Stores what is left of it, whatever happened. `hide` removes secrets from a text. */
  readonly store: (end: JobEnd<Found>, hide: (text: string) => string) => Promise<Result>;
}

/** Returns what was stored. Throws only when not even that could be done. */
export async function runInFrame<Found, Result>(job: FramedJob<Found, Result>): Promise<Result> {
  const { ports, options, work, store } = job;
  const { templatesDirectory, crash, echo, graceMs = usualGraceMs, needsFiles = true } = options;
  const runner = runnerOf(options);
  const { artifacts, clock } = ports;
  const startedAt = clock.now().toISOString();
  const mask = new SecretMask();
  const log = new StageLog({ artifacts, key: job.logKey, mask, clock, ...(echo && { echo }) });
  const stopwatch = new Stopwatch(() => performance.now());
  const { signal, looked, clear } = bounded(job);
  let outcome: JobEnd<Found>['outcome'];
  try {
    const workDirectory = needsFiles ? await makeWorkDirectory(runner.workDirectory) : '';
    const run = (command: Command) => runCommand(command, { signal, log, stopwatch, graceMs });
    try {
      const asked = await looked;
      if (asked) throw asked;
      const found = work({ mask, log, signal, runner, workDirectory, templatesDirectory, run });
      outcome = { ok: true, found: await (crash === undefined ? found : orCrash(found, crash)) };
    } finally {
      if (needsFiles) await removeWorkDirectory(workDirectory);
      for (const complaint of await revokeVaultTokens(mask)) log.write('runner', complaint);
    }
  } catch (thrown) {
    const error = stageErrorOf(thrown);
    if (error.class === 'bug' && thrown instanceof Error) log.write('runner', thrown.stack ?? thrown.message);
    outcome = { ok: false, error: maskedError(error, mask) };
    log.write('runner', `failed: ${error.class} ${error.code}: ${error.message}`);
  }
  clear();
  const endedAt = clock.now().toISOString();
  const end = { startedAt, endedAt, toolMs: stopwatch.totalMs, outcome };
  const [result] = await Promise.all([store(end, (text) => mask.hide(text)), log.close()]);
  return result;
}

/** What the environment sets for the job. Throws `EnvironmentFaulty`. */
export function runnerOf({ runner }: Pick<JobOptions, 'runner'>): RunnerConfig {
  return runner ?? runnerConfig(process.env);
}

/** The signal to stop, which also comes when the time of the job is up, and when the pipeline asks for it. */
function bounded({
  ports,
  stopPlaces = [],
  tooLong = stageTooLong,
  options: { signal, longestMinutes, stopPollMs },
}: Pick<FramedJob<unknown, unknown>, 'ports' | 'stopPlaces' | 'tooLong' | 'options'>): {
  readonly signal: AbortSignal;
  /** Why it does not have to start. */
  readonly looked: Promise<Error | undefined>;
  clear(): void;
} {
  const late = new AbortController();
  const timer =
    longestMinutes === undefined
      ? undefined
      : setTimeout(() => late.abort(tooLong(longestMinutes)), longestMinutes * 60_000);
  const asked = stopPlaces.length > 0 ? watchForStop(ports, stopPlaces, stopPollMs) : undefined;
  return {
    signal: AbortSignal.any([signal, late.signal, ...(asked ? [asked.signal] : [])]),
    looked: asked?.looked ?? Promise.resolve(undefined),
    clear() {
      clearTimeout(timer);
      asked?.clear();
    },
  };
}

/** The work's outcome, or the crash, whichever comes first. */
function orCrash<Result>(work: Promise<Result>, crash: AbortSignal): Promise<Result> {
  const crashed = new Promise<never>((_, reject) => {
    if (crash.aborted) reject(crash.reason);
    crash.addEventListener('abort', () => reject(crash.reason), { once: true });
  });
  return Promise.race([work, crashed]);
}
