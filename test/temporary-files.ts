/** Temporary files of a run of the unit tests are in one folder, also those of libraries: it is removed at the end. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'kubeloom-unit-';

export default function setup(): () => void {
  const parent = tmpdir();
  for (const name of readdirSync(parent)) {
    // Files of a run that was killed.
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length)))) remove(join(parent, name));
  }
  const folder = join(parent, `${prefix}${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  process.env.TMPDIR = folder;
  return () => remove(folder);
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
