/** Where the API is and how to get in: options, environment, or the platform on this machine. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError, exitCodes } from './exit-codes.ts';

const PlatformFile = z.object({ apiUrl: z.string(), token: z.string() });

export interface Connection {
  readonly apiUrl: string;
  readonly token: string | undefined;
}

/** Data directory of the local platform: `KUBELOOM_HOME`, else `~/.kubeloom`. */
export function kubeloomHome(): string {
  return process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom');
}

/**
 * `KUBELOOM_API_URL`, else what the local platform wrote down; a `KUBELOOM_TOKEN` always stands before the owner's.
 * Throws with how to start one.
 */
export function findConnection(): Connection {
  const apiUrl = process.env.KUBELOOM_API_URL;
  if (apiUrl) return { apiUrl: checkedUrl(apiUrl), token: process.env.KUBELOOM_TOKEN };
  const file = join(kubeloomHome(), 'platform.json');
  if (!existsSync(file)) {
    throw new CliError(
      'no Kubeloom is known here: start one with `kubeloom local up`, or set KUBELOOM_API_URL (and KUBELOOM_TOKEN)',
      exitCodes.unreachable,
    );
  }
  const platform = PlatformFile.safeParse(readJson(file)).data;
  if (platform) return { apiUrl: platform.apiUrl, token: process.env.KUBELOOM_TOKEN || platform.token };
  throw new CliError(
    `${file} does not say where the platform is: \`kubeloom local up\` writes it again`,
    exitCodes.unreachable,
  );
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return text.replace(/\/+$/, '');
  throw new CliError(
    `KUBELOOM_API_URL is "${text}", which is no address of an API: write it as https://host, or http://127.0.0.1:7700`,
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
