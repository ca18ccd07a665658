/** Opens a SQLite file: checked, durable, of a known version. Every fault names the file and what to do. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { plainWords, StoreFault, type StoreWords } from './store-fault.ts';

export interface SqliteSchema {
  /** What is in it, for people: `the table`. */
  readonly holds: string;
  /** `user_version` of the file after `migrate`. */
  readonly version: number;
  /** Brings a file of an earlier version up to date; 0 is a new file. */
  migrate(database: DatabaseSync, from: number): void;
}

/** Larger files are checked row by row when they are read: a check of a gigabyte keeps the platform from starting for seconds. */
const checkedBytes = 256 * 1024 * 1024;

/** Write-ahead log, flushed at each commit: what was acknowledged outlives a power cut. Throws `StoreFault`. */
export function openSqlite(
  path: string | ':memory:',
  schema: SqliteSchema,
  words: StoreWords = plainWords,
): DatabaseSync {
  const database = opened(path, schema.holds, words);
  try {
    const large = path !== ':memory:' && statSync(path).size > checkedBytes;
    // Not `quick_check`: it does not compare rows with their index, through which every row is found.
    const [check] = large ? [] : database.prepare('PRAGMA integrity_check(1)').all();
    if (check && check.integrity_check !== 'ok') throw new Error(String(check.integrity_check));
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > schema.version)
      throw new StoreFault(
        path,
        `was written by a newer version of ${words.writer} (${schema.holds}, version ${version})`,
        newer,
      );
    // Only an empty file takes it: what is deleted later gives its pages back.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (version < schema.version) {
      database.exec('BEGIN IMMEDIATE');
      schema.migrate(database, version);
      database.exec(`PRAGMA user_version = ${schema.version}; COMMIT`);
    }
    return database;
  } catch (cause) {
    if (database.isOpen) database.close();
    throw asFault(path, schema.holds, words, cause);
  }
}

const newer = 'start that version, or restore a backup of this one';

function opened(path: string, holds: string, words: StoreWords): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (cause) {
    throw asFault(path, holds, words, cause);
  }
}

function asFault(path: string, holds: string, words: StoreWords, cause: unknown): StoreFault {
  if (cause instanceof StoreFault) return cause;
  const { errcode, message } = cause as Error & { errcode?: number };
  // SQLITE_CORRUPT, SQLITE_NOTADB and failed checks are damage; the rest is a matter of the disk or of rights.
  if (errcode === undefined || errcode % 256 === 11 || errcode === 26)
    return new StoreFault(
      path,
      `(${holds}) is damaged: ${message.replaceAll(/\*{3} in database \w+ \*{3}\s*|\n\s*/g, ' ').trim()}`,
      words.restore,
      cause,
    );
  if (errcode === 13)
    return new StoreFault(path, `(${holds}) cannot be written: the disk is full`, 'free space and start again', cause);
  const there = existsSync(path) ? 'cannot be opened' : 'cannot be created';
  return new StoreFault(path, `(${holds}) ${there}: ${message}`, 'check its rights and its disk', cause);
}
