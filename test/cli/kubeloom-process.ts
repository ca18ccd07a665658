/** The command line as a process of its own, as users start it: for what a process alone has, such as signals. Else: `kubeloom.ts`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { remember } from './last-command.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiled code that these processes share: as `cli/kubeloom.mjs` keeps it for users. It halves the CPU time of a start. */
export const compiled = join(root, 'node_modules/.cache/kubeloom-compiled');

/** No colours, and no API but one that a test names. */
export const environmentOfTests: Readonly<Record<string, string>> = { NO_COLOR: '1', KUBELOOM_API_URL: '' };

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Invocation {
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Sends Ctrl-C once standard output holds this. */
  readonly interruptAt?: string;
}

export function kubeloomProcess(args: readonly string[], invocation: Invocation = {}): Promise<Outcome> {
  const { stdin = '', environment = {}, interruptAt } = invocation;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(root, 'cli/main.ts'), ...args],
      {
        env: { ...process.env, ...environmentOfTests, NODE_COMPILE_CACHE: compiled, ...environment },
        maxBuffer: 64 << 20,
      },
      (error, stdout, stderr) =>
        resolve(remember(args, { code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr })),
    );
    let seen = '';
    child.stdout?.on('data', (text: string) => {
      const before = interruptAt !== undefined && seen.includes(interruptAt);
      seen += text;
      if (interruptAt !== undefined && !before && seen.includes(interruptAt)) child.kill('SIGINT');
    });
    child.stdin?.end(stdin);
  });
}
