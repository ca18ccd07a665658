/** The private directory of one stage: 0700, removed at the end; those of runners that were killed are removed first. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'kubeloom-stage-';

/** Creates it. The name shows which process it belongs to. */
export async function makeWorkDirectory(parent: string): Promise<string> {
  await removeAbandoned(parent);
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

/** It holds keys and credentials: a failure to remove it is worth an error. */
export async function removeWorkDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^kubeloom-stage-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isAlive(pid)) await removeWorkDirectory(join(parent, name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
