/** A table that dynalite kept in LevelDB, under the very same keys: it is migrated once, as a whole. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFault, type StoreWords } from '../stores/store-fault.ts';
import { openItemStore } from './item-store.ts';
import type { Entry } from './table-file.ts';

/** Called before the item store is opened. Returns how many entries were migrated; undefined when there was nothing to do. */
export async function migrateLevelDb(directory: string, file: string, words: StoreWords): Promise<number | undefined> {
  if ((await filesIn(directory)).length === 0) return undefined;
  // The file gets its name only when it is complete: remaining LevelDB files are those of an interrupted removal.
  const count = existsSync(file) ? undefined : await copy(directory, file, words);
  for (const name of await filesIn(directory)) await rm(join(directory, name), { recursive: true, force: true });
  return count;
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory);
  return names.filter((name) => /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-.*|.*\.(ldb|log|sst))$/.test(name));
}

async function copy(directory: string, file: string, words: StoreWords): Promise<number> {
  const fault = (wrong: string, cause?: unknown) =>
    new StoreFault(directory, `(the table, ${words.levelDb}) ${wrong}`, words.restore, cause);
  if (!existsSync(join(directory, 'CURRENT'))) throw fault('is damaged: CURRENT is missing');
  const { Level } = await import('level');
  const from = new Level<string, Entry>(directory, { valueEncoding: 'json', createIfMissing: false });
  const unfinished = `${file}.new`;
  for (const end of ['', '-wal', '-shm', '-commits']) await rm(unfinished + end, { force: true });
  const to = openItemStore(unfinished);
  try {
    const entries = await from.iterator().all();
    const works = entries.map(
      ([key, value]) =>
        () =>
          to.putWhole(key, value),
    );
    if (!entries.some(([key]) => key.startsWith('table~'))) throw fault('has lost its contents: it names no table');
    to.transaction(works);
    to.close();
    await rename(`${unfinished}-commits`, `${file}-commits`);
    await rename(unfinished, file);
    return entries.length;
  } catch (cause) {
    to.close();
    throw cause instanceof StoreFault ? cause : fault(`is damaged: ${(cause as Error).message}`, cause);
  } finally {
    await from.close().catch(() => undefined);
  }
}
