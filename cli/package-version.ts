/** Version of this program. */
import { readFileSync } from 'node:fs';
import { ownFile } from './own-files.ts';

/** As package.json says. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { version: string };
  return version;
}
