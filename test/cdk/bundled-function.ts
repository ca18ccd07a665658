/** A function as Lambda runs it: its bundle in a process of its own, with credentials and configuration in the environment alone. */
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const program = `
const { readFileSync } = await import('node:fs');
const { handler } = await import(process.argv[1]);
const answer = await handler(JSON.parse(readFileSync(0, 'utf8')), {}).then(
  (output = null) => ({ output }),
  ({ name, message, stack }) => ({ error: { name, message, stack } }),
);
process.stdout.write(JSON.stringify(answer), () => process.exit());
`;

interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Returns what the handler returns, and throws what it throws. `stack` is that of the bundle. */
export async function callBundle(
  file: string,
  event: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  const given = ['--input-type=module', '-e', program, pathToFileURL(file).href];
  const env = { ...environment, KUBELOOM_LOG: 'none' };
  const call = promisify(execFile)(process.execPath, given, { env, maxBuffer: 32 * 1024 * 1024 });
  call.child.stdin?.end(JSON.stringify(event ?? null));
  const { stdout } = await call;
  const { output, error } = JSON.parse(stdout) as { output?: unknown; error?: Thrown };
  if (error) throw Object.assign(new Error(error.message), error);
  return output;
}
