/** Contexts: the installations that a person works with, by name, and where the token of each comes from. Never the token itself. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

export const Context = z.strictObject({
  url: z.string(),
  /** @default `default`; lists show all */
  namespace: z.string().optional(),
  /** Region of an API in AWS that has a custom domain name. */
  region: z.string().optional(),
  tokenFile: z.string().optional(),
  /** Run by a shell; prints the token. */
  tokenCommand: z.string().optional(),
  /** Name of an environment variable. */
  tokenEnv: z.string().optional(),
});
export type Context = z.infer<typeof Context>;

const Contexts = z.strictObject({ current: z.string().optional(), contexts: z.record(z.string(), Context) });
export type Contexts = z.infer<typeof Contexts>;

/** The platform on this machine: a context that is always there. */
export const localContext = 'local';

const contextsFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'kubeloom', 'contexts.json');

/** Throws `CliError` when the file is not what `writeContexts` writes. */
export function readContexts(): Contexts {
  const file = contextsFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { contexts: {} };
  }
  const parsed = Contexts.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map(({ path }) => path.join('.') || 'all of it').join(', ');
  throw new CliError(
    `${file} cannot be read (${where}): correct it, or delete it and add the contexts again`,
    exitCodes.fault,
  );
}

/** Readable by its owner only: it has addresses, and commands that print tokens. */
export function writeContexts(contexts: Contexts): void {
  const file = contextsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}

/** The context of that name. Throws `CliError` with the names there are. */
export function contextNamed({ contexts }: Contexts, name: string): Context {
  const context = contexts[name];
  if (context) return context;
  const known = [localContext, ...Object.keys(contexts)].join(', ');
  throw new CliError(
    `there is no context "${name}": there is ${known}; \`kubeloom context add\` adds one`,
    exitCodes.notFound,
  );
}

/** The token of a context; undefined where it needs none. Throws `CliError`, which never has the token in it. */
export function contextToken(name: string, { tokenFile, tokenCommand, tokenEnv }: Context): string | undefined {
  const source = tokenFile ?? tokenCommand ?? tokenEnv;
  if (source === undefined) return undefined;
  const token =
    tokenFile !== undefined
      ? fromFile(tokenFile)
      : tokenCommand !== undefined
        ? fromCommand(name, tokenCommand)
        : (process.env[source] ?? '');
  const [line = ''] = token.trim().split('\n');
  if (line !== '') return line;
  throw new CliError(
    `context ${name}: ${tokenSource({ tokenFile, tokenCommand, tokenEnv })} has no token`,
    exitCodes.forbidden,
  );
}

/** Where the token of a context comes from, for people. */
export function tokenSource({ tokenFile, tokenCommand, tokenEnv }: Partial<Context>): string {
  if (tokenFile !== undefined) return `file ${tokenFile}`;
  if (tokenCommand !== undefined) return `command ${tokenCommand}`;
  return tokenEnv === undefined ? 'none' : `environment ${tokenEnv}`;
}

function fromFile(file: string): string {
  try {
    const { mode } = statSync(file);
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8);
      throw new CliError(
        `${file} holds a token and others may read it (mode ${shown}): chmod 600 ${file}`,
        exitCodes.usage,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(`the token cannot be read: ${cause instanceof Error ? cause.message : cause}`, exitCodes.usage, {
      cause,
    });
  }
}

/** What the command says on standard error is shown: it may ask for something. */
function fromCommand(name: string, command: string): string {
  try {
    const stdio: ['inherit', 'pipe', 'inherit'] = ['inherit', 'pipe', 'inherit'];
    return execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: 60_000, stdio });
  } catch {
    // Its message would have the standard output in it.
    throw new CliError(`context ${name}: the command for the token failed: ${command}`, exitCodes.forbidden);
  }
}
