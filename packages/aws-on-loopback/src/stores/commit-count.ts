/** The number of commits of a SQLite file, also in a second file next to it. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreFault, type StoreWords } from './store-fault.ts';

export interface CommitCount {
  write(): void;
  close(): void;
}

/**
 * The number of commits, in a second file that is written after each commit. So a truncated or lost log is noticed: the
 * table alone would only be older.
 */
export function openCommitCount(
  database: DatabaseSync,
  path: string,
  { accept, words }: { readonly accept: boolean; readonly words: StoreWords },
): CommitCount {
  const countFile = `${path}-commits`;
  const select = database.prepare('SELECT count FROM commits');
  const stored = (): bigint => BigInt(Number(select.get()?.count));
  const file = openSync(countFile, 'a+', 0o600);
  closeSync(file);
  const handle = openSync(countFile, 'r+');
  const bytes = Buffer.alloc(8);
  const isWhole = readSync(handle, bytes, 0, 8, 0) === 8;
  const known = isWhole ? bytes.readBigUInt64BE() : 0n;
  // It is written before the first commit, so only a new table has none; the count of an older table would be smaller.
  const isLost = stored() > 0n && (!isWhole || known === 0n);
  if (isLost && !accept) {
    closeSync(handle);
    const wrong = '(the number of commits of the table) is gone: whether the table has lost changes cannot be seen';
    throw new StoreFault(countFile, wrong, `${words.restore}, or accept that: ${words.acceptLoss}`);
  }
  if (known > stored() && !accept) {
    closeSync(handle);
    const lost = `(the table) has lost its last ${known - stored()} changes`;
    throw new StoreFault(path, lost, `${words.restore}, or accept that they are gone: ${words.acceptLoss}`);
  }
  const write = (): void => {
    bytes.writeBigUInt64BE(stored());
    writeSync(handle, bytes, 0, 8, 0);
  };
  write();
  return { write, close: () => closeSync(handle) };
}
