/** Files that are written completely or not at all, also when the power is cut. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a temporary file next to it, flushes it, renames it, flushes the directory. */
export async function writeFileDurably(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.${randomUUID()}.new`;
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes renames and removals in a directory last. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
