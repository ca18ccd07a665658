/** Files that the command line reads: those that come with it, and the data of the platform on this machine. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of a file, from the root of the clone or of the package: `cli/` in a clone and `lib/` in the package are both one below it. */
export const ownFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Version of this program, as package.json says. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { version: string };
  return version;
}

/** Data directory of the local platform: `KUBELOOM_HOME`, else `~/.kubeloom`. */
export const kubeloomHome = (): string => process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom');
