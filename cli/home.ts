/** Where the platform on this machine keeps its data. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Data directory of the local platform: `KUBELOOM_HOME`, else `~/.kubeloom`. */
export function kubeloomHome(): string {
  return process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom');
}
