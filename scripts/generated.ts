/** What a script generates: written into its file, or, with the argument `--check`, compared with it; exit code 1 if it differs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** `file`: relative to the repository. */
export function settle(file: string, fresh: string): void {
  const path = join(import.meta.dirname, '..', file);
  if (existsSync(path) && readFileSync(path, 'utf8') === fresh) return;
  if (process.argv.includes('--check')) {
    const script = basename(process.argv[1] ?? '');
    console.error(`${file} is not what scripts/${script} makes: run \`node scripts/${script}\` and commit`);
    process.exitCode = 1;
  } else writeFileSync(path, fresh);
}
