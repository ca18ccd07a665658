/** Address and credentials of the API: environment, a context, or the platform on this machine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { kubeloomHome } from '../own-files.ts';
import { contextNamed, contextToken, localContext, readContexts } from './contexts.ts';

const PlatformFile = z.object({ apiUrl: z.string(), token: z.string() });

export interface CliConnection {
  readonly apiUrl: string;
  readonly token: string | undefined;
  /** Region of an API in AWS that has a custom domain name. */
  readonly region?: string;
}

/** Where a connection leads, before any token is asked for. */
interface Target {
  readonly apiUrl: string;
  readonly region?: string;
  readonly token: () => string | undefined;
  /** Its name; absent for a connection without a context. */
  readonly context?: string;
  /** Which setting chose it, for people. */
  readonly chosenBy: () => string;
}

let wanted: string | undefined;

/** Makes commands talk to that context: the option `--context`. */
export function useContext(name: string | undefined): void {
  wanted = name;
}

/**
 * `KUBELOOM_API_URL`, else the context that was asked for or is in use, else what the local platform wrote down. A `KUBELOOM_TOKEN`
 * always comes before the token of any of them. Throws `CliError` with how to get one.
 */
export function findConnection(): CliConnection {
  const { apiUrl, region, token } = findTarget();
  const chosen = process.env.KUBELOOM_TOKEN || token();
  return { apiUrl, token: chosen, ...(region !== undefined && { region }) };
}

/** The installation that is used and the setting that chose it, in one line without secrets: for `whoami` and before something is deleted. */
export function currentContextLine(): string {
  const { apiUrl, chosenBy } = findTarget();
  return `${chosenBy()}: ${apiUrl}${process.env.KUBELOOM_TOKEN ? ' (with KUBELOOM_TOKEN)' : ''}`;
}

/** The namespace that the context names; undefined when it names none. Never throws: a command without an API needs no connection. */
export function contextNamespace(): string | undefined {
  if (process.env.KUBELOOM_API_URL) return undefined;
  const { current, contexts } = readContexts();
  return contexts[wanted ?? current ?? localContext]?.namespace;
}

/** The name of the context that is used; undefined for `KUBELOOM_API_URL` and the platform on this machine. */
export const usedContext = (): string | undefined => findTarget().context;

function findTarget(): Target {
  const fromEnvironment = process.env.KUBELOOM_API_URL;
  if (fromEnvironment) {
    if (wanted !== undefined)
      throw new CliError(
        `--context ${wanted} and KUBELOOM_API_URL are both given: leave one of them out`,
        exitCodes.usage,
      );
    const apiUrl = checkedUrl(fromEnvironment, 'KUBELOOM_API_URL');
    return { apiUrl, token: () => undefined, chosenBy: environmentTitle };
  }
  const known = readContexts();
  const name = wanted ?? known.current ?? localContext;
  if (name === localContext) return localTarget();
  const context = contextNamed(known, name);
  return {
    apiUrl: checkedUrl(context.url, `the URL of context ${name}`),
    ...(context.region !== undefined && { region: context.region }),
    token: () => contextToken(name, context),
    context: name,
    chosenBy: () => `context ${name}`,
  };
}

function environmentTitle(): string {
  const { current } = readContexts();
  return current === undefined ? 'KUBELOOM_API_URL' : `KUBELOOM_API_URL, instead of context ${current}`;
}

function localTarget(): Target {
  const file = join(kubeloomHome(), 'platform.json');
  if (!existsSync(file)) {
    throw new CliError(
      'no installation of Kubeloom is configured: start one with `kubeloom local up`, name one with `kubeloom context add`, or set KUBELOOM_API_URL (and KUBELOOM_TOKEN)',
      exitCodes.unreachable,
    );
  }
  const platform = PlatformFile.safeParse(readJson(file)).data;
  if (platform)
    return { apiUrl: platform.apiUrl, token: () => platform.token, chosenBy: () => 'platform on this machine' };
  throw new CliError(
    `${file} does not contain the address of the platform: \`kubeloom local up\` writes it again`,
    exitCodes.unreachable,
  );
}

/** Throws `CliError` for a text that is not the address of an API; `what` says where it was written. */
export function checkedUrl(text: string, what: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) return trimmedEnd(text, '/');
  throw new CliError(
    `${what} is "${text}", which is not the address of an API: write it as https://host, or http://127.0.0.1:7700`,
    exitCodes.usage,
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
