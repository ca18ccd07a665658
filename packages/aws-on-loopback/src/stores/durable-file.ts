/** Files that are written completely or not at all, also when the power is cut. */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

const temporaryName = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/**
 * Removes temporary files that a writer left when it was killed. `idleMs`: younger ones stay, where a living process may write.
 * @default 0
 */
export async function removeLeftovers(directory: string, idleMs = 0): Promise<void> {
  const names = await readdir(directory).catch((): string[] => []);
  for (const path of names.filter((name) => temporaryName.test(name)).map((name) => join(directory, name))) {
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile() && Date.now() - file.mtimeMs >= idleMs) await rm(path, { force: true });
  }
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
