/** The SQLite file of the tables: its entries, each with a checksum. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { StoreFault, type StoreWords } from '../stores/store-fault.ts';
import { changesTable } from './change-stream.ts';

export type Entry = Readonly<Record<string, unknown>>;

export interface TableFile {
  readonly path: string;
  readonly words: StoreWords;
}

export const entriesSchema = {
  holds: 'the table',
  version: 2,
  migrate(database: DatabaseSync, from: number): void {
    if (from < 2) database.exec(changesTable);
    if (from > 0) return;
    database.exec(`
      CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL, expires INTEGER) STRICT;
      CREATE INDEX byExpiry ON entries (expires) WHERE expires IS NOT NULL;
      CREATE TABLE lifetimes (name TEXT PRIMARY KEY, attribute TEXT NOT NULL) STRICT;
      CREATE TABLE commits (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL) STRICT;
      INSERT INTO commits VALUES (1, 0);`);
  },
};

/** The entry of a row. Throws `StoreFault` if it does not have its checksum. */
export function entryOf(file: TableFile, key: string, row: ReturnType<StatementSync['get']> & object): Entry {
  const text = String(row.value);
  if (crc32(text) !== row.sum) throw damaged(file, key);
  return JSON.parse(text) as Entry;
}

const damaged = ({ path, words }: TableFile, key: string): StoreFault =>
  new StoreFault(path, `(the table) is damaged: entry ${key} does not have its checksum`, words.restore);

const checkMs = 5_000;

/** Reads every entry, up to the time limit of a start. Throws `StoreFault`. */
export function checkEntries(database: DatabaseSync, file: TableFile): void {
  const end = performance.now() + checkMs;
  try {
    for (const { key, value, sum } of database.prepare('SELECT key, value, sum FROM entries').iterate()) {
      if (crc32(String(value)) !== sum) throw damaged(file, String(key));
      if (performance.now() > end) return;
    }
  } catch (cause) {
    if (cause instanceof StoreFault) throw cause;
    throw new StoreFault(file.path, `(the table) is damaged: ${(cause as Error).message}`, file.words.restore, cause);
  }
}
