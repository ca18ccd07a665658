/**
 * The data of the DynamoDB of this machine, in one SQLite file: entries by key, as dynalite's operations name them. Each has
 * a checksum; a group of writes is one transaction, on disk before anyone hears of it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type CommitCount, openCommitCount } from '../stores/commit-count.ts';
import { openSqlite } from '../stores/sqlite-file.ts';
import { plainWords, type StoreWords } from '../stores/store-fault.ts';
import { type ChangeStream, openChangeStream, type Streamed } from './change-stream.ts';
import { checkEntries, type Entry, entriesSchema, entryOf, type TableFile } from './table-file.ts';

type Callback<Value = void> = (error: Error | null, value?: Value) => void;
export interface Range {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
  readonly lte?: string;
  readonly reverse?: boolean;
  /** -1: all. */
  readonly limit?: number;
}

/** One of the key ranges that dynalite calls a database; it answers at once, so that an operation is one step. */
export interface EntryRange {
  get(key: string, answer: Callback<Entry | undefined>): void;
  put(key: string, value: Entry, answer: Callback): void;
  del(key: string, answer: Callback): void;
  createKeyStream(): Readable;
  createValueStream(range: Range): Readable;
  /** Only one thread of one process writes: nothing has to wait. */
  lock(key: string, work: (release: <Answer>(answer: Answer) => Answer) => void): void;
}

export interface ItemStore {
  readonly changes: ChangeStream;
  range(name: string): EntryRange;
  /** Writes an entry by its whole key, as an earlier store had it. */
  putWhole(key: string, value: Entry): void;
  /** All of it or nothing; work that throws is undone alone, and its result throws. */
  transaction<Value>(works: readonly (() => Value)[]): readonly (() => Value)[];
  /** Notes which attribute of a table's items says when they expire, in epoch seconds. */
  setTimeToLive(table: string, attribute: string): void;
  timeToLive(table: string): string | undefined;
  tablesThatExpire(): readonly string[];
  /** Items of which the time is over, at most so many. */
  expired(table: string, now: number, limit: number): readonly Entry[];
  /** Gives pages that are free back to the file system. */
  shrink(): void;
  close(): void;
}

const pageSize = 64;

export interface ItemStoreOptions {
  /** Opens although acknowledged changes are lost. @default false */
  readonly acceptLoss?: boolean;
  /** New items that the stream of the table has. @default none */
  readonly streamed?: Streamed | undefined;
  readonly words?: StoreWords;
}

/** Throws `StoreFault` for a file that is damaged or has lost data. */
export function openItemStore(path: string | ':memory:', options: ItemStoreOptions = {}): ItemStore {
  const { acceptLoss = false, words = plainWords, streamed } = options;
  const database = openSqlite(path, entriesSchema, words);
  let commits: CommitCount | undefined;
  try {
    checkEntries(database, { path, words });
    if (path !== ':memory:') commits = openCommitCount(database, path, { accept: acceptLoss, words });
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteItems(database, { file: { path, words }, commits, changes: openChangeStream(database, streamed) });
}

type Statements = ReturnType<typeof statementsOf>;

function statementsOf(database: DatabaseSync) {
  return {
    select: database.prepare('SELECT value, sum FROM entries WHERE key = ?'),
    upsert: database.prepare(
      `INSERT INTO entries VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, sum = excluded.sum, expires = excluded.expires`,
    ),
    remove: database.prepare('DELETE FROM entries WHERE key = ?'),
    forward: database.prepare('SELECT key, value, sum FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?'),
    backward: database.prepare(
      'SELECT key, value, sum FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?',
    ),
    keys: database.prepare('SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key'),
    count: database.prepare('UPDATE commits SET count = count + 1'),
  };
}

interface OpenParts {
  readonly file: TableFile;
  readonly commits: CommitCount | undefined;
  readonly changes: ChangeStream;
}

class SqliteItems implements ItemStore {
  readonly changes: ChangeStream;
  readonly #database: DatabaseSync;
  readonly #file: TableFile;
  readonly #commits: CommitCount | undefined;
  readonly #statements: Statements;
  /** Attributes with the time at which items expire, by table. */
  readonly #lifetimes: Map<string, string>;

  constructor(database: DatabaseSync, { file, commits, changes }: OpenParts) {
    this.changes = changes;
    this.#database = database;
    this.#file = file;
    this.#commits = commits;
    this.#statements = statementsOf(database);
    const lifetimes = database.prepare('SELECT * FROM lifetimes').all();
    this.#lifetimes = new Map(lifetimes.map(({ name, attribute }) => [String(name), String(attribute)]));
  }

  range(name: string): EntryRange {
    const { select, upsert, remove, keys } = this.#statements;
    const prefix = `${name}~`;
    const isOfItems = name.startsWith(itemPrefix);
    const lifetime = (): string | undefined =>
      isOfItems ? this.#lifetimes.get(name.slice(itemPrefix.length)) : undefined;
    return {
      get: (key, answer) => {
        const row = select.get(prefix + key);
        attempt<Entry | undefined>(answer, () => row && entryOf(this.#file, prefix + key, row));
      },
      put: (key, value, answer) =>
        attempt(answer, () => {
          const text = JSON.stringify(value);
          if (isOfItems && this.changes.concerns(value) && !select.get(prefix + key)) this.changes.add(text);
          upsert.run(prefix + key, text, crc32(text), expiryOf(value, lifetime()));
        }),
      del: (key, answer) => attempt(answer, () => void remove.run(prefix + key)),
      createKeyStream: () =>
        Readable.from(keys.all(...bounds({}, prefix)).map(({ key }) => String(key).slice(prefix.length))),
      createValueStream: (given) => Readable.from(this.#rows(given, prefix)),
      lock: (_key, work) => work((answer) => answer),
    };
  }

  putWhole(key: string, value: Entry): void {
    const text = JSON.stringify(value);
    this.#statements.upsert.run(key, text, crc32(text), null);
  }

  transaction<Value>(works: readonly (() => Value)[]): readonly (() => Value)[] {
    const outcomes = inTransaction(this.#database, works, () => void this.#statements.count.run());
    this.#commits?.write();
    this.changes.committed();
    return outcomes;
  }

  setTimeToLive(table: string, attribute: string): void {
    this.#lifetimes.set(table, attribute);
    this.#database.prepare('INSERT OR REPLACE INTO lifetimes VALUES (?, ?)').run(table, attribute);
    // Items that existed before.
    this.#database
      .prepare(`UPDATE entries SET expires = CAST(value ->> ? AS INTEGER) WHERE key >= ? AND key < ?`)
      .run(`$.${attribute}.N`, ...bounds({}, `${itemPrefix}${table}~`));
  }

  timeToLive(table: string): string | undefined {
    return this.#lifetimes.get(table);
  }

  tablesThatExpire(): readonly string[] {
    return [...this.#lifetimes.keys()];
  }

  expired(table: string, now: number, limit: number): readonly Entry[] {
    return this.#database
      .prepare('SELECT key, value, sum FROM entries WHERE expires < ? AND key >= ? AND key < ? LIMIT ?')
      .all(now, ...bounds({}, `${itemPrefix}${table}~`), limit)
      .map((row) => entryOf(this.#file, String(row.key), row));
  }

  shrink(): void {
    this.#database.exec('PRAGMA incremental_vacuum');
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#commits?.close();
    this.#database.close();
  }

  /** Entries of a range, read page by page. */
  *#rows(given: Range, prefix: string): Generator<Entry> {
    const { forward, backward } = this.#statements;
    let [from, to] = bounds(given, prefix);
    let left = given.limit === undefined || given.limit < 0 ? Number.POSITIVE_INFINITY : given.limit;
    for (;;) {
      const page = (given.reverse ? backward : forward).all(from, to, Math.min(pageSize, left));
      for (const row of page) yield entryOf(this.#file, String(row.key), row);
      left -= page.length;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize || left <= 0) return;
      if (given.reverse) to = String(last.key);
      else from = keyAfter(String(last.key));
    }
  }
}

/** Key range of a table's items, and the name of the range. */
export const itemPrefix = 'item-';

function attempt<Value>(answer: Callback<Value>, work: () => Value): void {
  let value: Value;
  try {
    value = work();
  } catch (error) {
    answer(error as Error);
    return;
  }
  answer(null, value);
}

function inTransaction<Value>(
  database: DatabaseSync,
  works: readonly (() => Value)[],
  before: () => void,
): readonly (() => Value)[] {
  database.exec('BEGIN IMMEDIATE');
  try {
    before();
    const outcomes = works.map((work): (() => Value) => {
      database.exec('SAVEPOINT one');
      try {
        const value = work();
        database.exec('RELEASE one');
        return () => value;
      } catch (error) {
        // A fault of SQLite may have undone everything already.
        if ((error as { code?: unknown }).code === 'ERR_SQLITE_ERROR') throw error;
        database.exec('ROLLBACK TO one; RELEASE one');
        return () => {
          throw error;
        };
      }
    });
    database.exec('COMMIT');
    return outcomes;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function bounds({ gt, gte, lt, lte }: Range, prefix: string): [string, string] {
  const from = gt === undefined ? prefix + (gte ?? '') : keyAfter(prefix + gt);
  const to = lt === undefined ? (lte === undefined ? `${prefix}\u{ff}` : keyAfter(prefix + lte)) : prefix + lt;
  return [from, to];
}

/** The smallest key that is greater. */
const keyAfter = (key: string): string => `${key}\u0000`;

function expiryOf(value: Entry, attribute: string | undefined): number | null {
  const { N } = ((attribute && value[attribute]) ?? {}) as { readonly N?: string };
  return N === undefined ? null : Math.trunc(Number(N));
}
