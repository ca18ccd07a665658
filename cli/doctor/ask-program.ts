/** Asks a program for its version, and says why it cannot be used. */
import { execFile } from 'node:child_process';

export interface VersionAnswer {
  readonly ok: boolean;
  /** Its version, `missing`, or the first line of its own error. */
  readonly found: string;
}

export interface ProgramAnswer extends VersionAnswer {
  readonly missing: boolean;
  /** All of its standard output. */
  readonly output: string;
}

const waitMs = 20_000;

/** Runs `program` with `args`. With `atLeast` (`1.10`), an older version is not good enough. */
export function askProgram(program: string, args: readonly string[], atLeast?: string): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: waitMs }, (error, stdout, stderr) => {
      const missing = error?.code === 'ENOENT';
      const answer = error
        ? { ok: false, found: missing ? 'missing' : problemOf(error, stdout, stderr) }
        : judge(firstLine(stdout) ?? firstLine(stderr) ?? '', atLeast);
      resolve({ ...answer, missing, output: stdout });
    });
  });
}

/** The program's own error: its first line, or the last one of a Python trace. */
function problemOf(error: Error & { killed?: boolean }, stdout: string, stderr: string): string {
  if (error.killed) return `no answer after ${waitMs / 1000} s`;
  const output = stderr.trim() ? stderr : stdout;
  const line = output.startsWith('Traceback') ? output.trim().split('\n').at(-1) : firstLine(output);
  return line?.trim() || error.message;
}

function judge(line: string, atLeast?: string): VersionAnswer {
  const version = /(?<!\d)\d+(?:\.\d+)+[\w.+-]*/.exec(line)?.[0];
  // A whole build record in one line: its version is enough.
  const found = line.length > 80 && version ? version : line;
  if (atLeast === undefined || (version && compare(version, atLeast) >= 0)) return { ok: true, found };
  return { ok: false, found: `${found}: ${atLeast} or newer is needed` };
}

const compare = (left: string, right: string): number => left.localeCompare(right, 'en', { numeric: true });

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
