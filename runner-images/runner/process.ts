/** Runs one tool as a process group of its own: lines are streamed and masked; it is stopped by SIGINT first, then by SIGKILL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { withoutIdentity } from './credentials-door.ts';
import { StageFailure, stageCancelled } from './stage-failure.ts';
import type { StageLog } from './stage-log.ts';
import type { Stopwatch } from './stopwatch.ts';
import { type KeptOutput, ToolOutput } from './tool-output.ts';

/** Tools that `retry --debug` makes say more. */
export type VerboseTool = 'terraform' | 'ansible' | 'kubeone' | 'kubectl';

export interface Command {
  /** Name in the log. */
  readonly label: string;
  /** What it is a command of. @default none of the tools that say more with `--debug` */
  readonly tool?: VerboseTool;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** In addition to that of the runner, which does not hand on its identity in AWS. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Sees each line of output as it comes. Returns what to log, or nothing to keep the line out of the log. @default logs every line */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => string | undefined;
  /** Stopped after this long without a byte of output. @default 15 minutes */
  readonly quietMs?: number;
  /** Stopped after this long. @default 60 minutes */
  readonly totalMs?: number;
  /** Once it is aborted, with why, the rest of the work is not needed: the tool is stopped, and that is no failure. */
  readonly enough?: AbortSignal;
  /** From SIGINT to the end of the process group. @default `Surroundings.graceMs` */
  readonly graceMs?: number;
}

export interface CommandResult extends KeptOutput {
  readonly code: number;
}

export interface CommandOptions {
  readonly signal: AbortSignal;
  readonly log: StageLog;
  readonly stopwatch: Stopwatch;
  readonly graceMs: number;
}

/** For commands whose output is for programs, or secret: only their errors are logged. */
export const complaintsOnly: NonNullable<Command['onLine']> = (line, stream) =>
  stream === 'stderr' ? line : undefined;

/**
 * Runs it to its end, whatever its exit code. Throws `StageFailure`: `ToolMissing`, `ToolSilent`, `ToolTooSlow`, `ToolKilled`,
 * `StageCancelled`.
 */
export async function runCommand(command: Command, around: CommandOptions): Promise<CommandResult> {
  if (around.signal.aborted) throw stageCancelled(around.signal);
  const stopTime = around.stopwatch.start();
  const child = spawn(command.program, command.args, {
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    env: { ...withoutIdentity(process.env), ...command.environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stopper = new Stopper(child, command, around);
  const output = new ToolOutput(child, {
    heard: () => stopper.heard(),
    take: (line, stream) => {
      const shown = command.onLine === undefined ? line : command.onLine(line, stream);
      if (shown !== undefined) around.log.write(command.label, shown);
    },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(command.input ?? '');
  try {
    const code = await ended(child, command);
    const kept = output.end();
    if (stopper.failure !== undefined) throw stopper.failure;
    return { code, ...kept };
  } finally {
    stopper.clear();
    stopTime();
  }
}

/** Resolves with the exit code once the process has ended and its pipes are drained. */
function ended(child: ChildProcess, command: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new StageFailure(
          {
            class: 'user',
            code: 'ToolMissing',
            message: `${command.program} cannot be started: ${cause.message}`,
            hint: `Install ${command.program} on the machine of the runner; \`kubeloom doctor\` lists what is missing.`,
          },
          { cause },
        ),
      );
    });
    child.once('exit', (code, signal) => {
      const done = () => resolve(code ?? (signal === 'SIGINT' ? 130 : 137));
      // A daemon that the tool left running may keep the pipes open: all output has arrived, so do not wait for it.
      const patience = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        done();
      }, 300);
      child.once('close', () => {
        clearTimeout(patience);
        done();
      });
    });
  });
}

/** Watches for cancel, silence and slowness; SIGINT to the tool alone first, then SIGKILL to its whole group. */
class Stopper {
  failure: StageFailure | undefined;
  readonly #child: ChildProcess;
  readonly #command: Command;
  readonly #around: CommandOptions;
  readonly #onAbort = () => this.#stop(stageCancelled(this.#around.signal));
  readonly #onEnough = () => {
    if (this.failure !== undefined) return;
    this.#enough = true;
    this.#end(String(this.#command.enough?.reason));
  };
  #enough = false;
  readonly #totalTimer: NodeJS.Timeout;
  readonly #quietMs: number;
  readonly #quietTimer: NodeJS.Timeout;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, command: Command, around: CommandOptions) {
    this.#child = child;
    this.#command = command;
    this.#around = around;
    this.#quietMs = command.quietMs ?? 15 * 60_000;
    const totalMs = command.totalMs ?? 60 * 60_000;
    around.signal.addEventListener('abort', this.#onAbort, { once: true });
    command.enough?.addEventListener('abort', this.#onEnough, { once: true });
    this.#totalTimer = setTimeout(
      () => this.#stop(this.#tooLong('ToolTooSlow', `ran longer than ${totalMs / 1000} s`)),
      totalMs,
    );
    child.once('exit', (_code, ended) => {
      if (!this.#enough && (ended === 'SIGKILL' || ended === 'SIGTERM')) this.failure ??= this.#killed(ended);
      // Child processes of a stopped tool must not continue to create resources.
      if (this.#enough || this.failure !== undefined) this.#killGroup();
    });
    this.#quietTimer = setTimeout(
      () => this.#stop(this.#tooLong('ToolSilent', `printed nothing for ${this.#quietMs / 1000} s`)),
      this.#quietMs,
    );
  }

  heard(): void {
    this.#quietTimer.refresh();
  }

  clear(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#quietTimer);
    clearTimeout(this.#killTimer);
    this.#around.signal.removeEventListener('abort', this.#onAbort);
    this.#command.enough?.removeEventListener('abort', this.#onEnough);
  }

  #stop(failure: StageFailure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.#end(failure.message);
  }

  #end(why: string): void {
    this.#around.log.write('runner', `stopping ${this.#command.label}: ${why}`);
    clearTimeout(this.#killTimer);
    this.#child.kill('SIGINT');
    this.#killTimer = setTimeout(() => this.#killGroup(), this.#command.graceMs ?? this.#around.graceMs);
  }

  #killGroup(): void {
    const pid = this.#child.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  }

  #killed(by: string): StageFailure {
    return new StageFailure({
      class: 'transient',
      code: 'ToolKilled',
      message: `${this.#command.label} was ended by ${by}, which the runner did not send. Last lines:\n${this.#around.log.lastLines(5)}`,
      hint: 'Usually memory ran out. If it happens again, give the runner more memory.',
    });
  }

  #tooLong(code: string, what: string): StageFailure {
    return new StageFailure({
      class: 'transient',
      code,
      message: `${this.#command.label} ${what} and was stopped. Last lines:\n${this.#around.log.lastLines(5)}`,
      hint: 'The log of the stage shows what it was waiting for.',
    });
  }
}

/** Programs say at the end what went wrong. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
