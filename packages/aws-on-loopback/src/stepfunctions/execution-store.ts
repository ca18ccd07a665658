/** Executions and their histories in SQLite: a status is on disk before anyone hears of it, events follow in small batches. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openSqlite } from '../stores/sqlite-file.ts';
import { isDiskFull, type StoreWords } from '../stores/store-fault.ts';

export const ExecutionStatus = z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']);
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;

export const Execution = z.object({
  arn: z.string(),
  machine: z.string(),
  name: z.string(),
  /** JSON text, as it was given. */
  input: z.string(),
  status: ExecutionStatus,
  output: z.string().nullable(),
  error: z.string().nullable(),
  cause: z.string().nullable(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  stoppedAt: z.number().nullable(),
  transitions: z.number().int(),
  /** Whether the status-change rule for its end has been carried out. */
  followUp: z.enum(['none', 'pending', 'done']),
});
export type Execution = z.infer<typeof Execution>;

/** One event of a history in the API's shape, without ids. */
export interface HistoryEvent {
  readonly type: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly [details: string]: unknown;
}

export interface ExecutionFilter {
  readonly machine?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  readonly followUp?: 'pending' | undefined;
  /** Those that have not started, or those that have. @default both */
  readonly waits?: boolean | undefined;
  readonly offset?: number;
  readonly limit?: number;
}

/** Executions with the same machine and status. */
export const ExecutionCount = z.object({
  machine: z.string(),
  status: ExecutionStatus,
  /** They wait for their turn. */
  waits: z.number().transform(Boolean),
  number: z.number(),
  /** That those which ended took together. */
  seconds: z.number(),
});
export type ExecutionCount = z.infer<typeof ExecutionCount>;

export interface ExecutionStore {
  get(arn: string): Execution | undefined;
  /** False when the ARN is taken. `waits`: it starts when there is room for it. */
  insert(execution: Execution, waits?: boolean): boolean;
  /** Notes, before any of its work is done, that it no longer waits. */
  begin(arn: string): void;
  /** Writes the end and all events before it. */
  finish(execution: Execution): void;
  followedUp(arn: string): void;
  append(arn: string, event: HistoryEvent): void;
  history(arn: string): readonly HistoryEvent[];
  /** Newest first. */
  list(filter: ExecutionFilter): readonly Execution[];
  counts(): readonly ExecutionCount[];
  /**
   * Deletes executions that ended 90 days ago, as Step Functions does, and, beyond a number of bytes, the oldest histories.
   * Such an execution is still recorded: its name is not used again.
   */
  sweep(now: number, mostBytes?: number): void;
  close(): void;
}

const keptMs = 90 * 24 * 3600 * 1000;
const flushAfterMs = 50;
const mostHistoryBytes = 512 * 1024 * 1024;
/** Events removed at once: others wait as long as that takes. */
const sweptAtOnce = 2_000;
const fullDiskMs = 1_000;

export function openExecutionStore(path: string | ':memory:', words?: StoreWords): ExecutionStore {
  // Its tables are made below, where they are missing.
  const database = openSqlite(path, { holds: 'the executions', version: 1, migrate: () => {} }, words);
  database.exec(`
    CREATE TABLE IF NOT EXISTS executions (
      arn TEXT PRIMARY KEY, machine TEXT NOT NULL, name TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL,
      output TEXT, error TEXT, cause TEXT, startedAt REAL NOT NULL, stoppedAt REAL, transitions INTEGER NOT NULL,
      followUp TEXT NOT NULL, waits INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX IF NOT EXISTS byStart ON executions (startedAt);
    CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY, arn TEXT NOT NULL, event TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS byExecution ON events (arn, number);`);
  addColumn(database, 'waits INTEGER NOT NULL DEFAULT 0');
  return new SqliteExecutions(database);
}

type Statements = ReturnType<typeof statementsOf>;

function statementsOf(database: DatabaseSync) {
  return {
    select: database.prepare('SELECT * FROM executions WHERE arn = ?'),
    insert: database.prepare(
      `INSERT INTO executions VALUES (:arn, :machine, :name, :input, :status, :output, :error, :cause, :startedAt,
       :stoppedAt, :transitions, :followUp, :waits) ON CONFLICT DO NOTHING`,
    ),
    begin: database.prepare('UPDATE executions SET waits = 0 WHERE arn = ?'),
    update: database.prepare(
      `UPDATE executions SET status = ?, output = ?, error = ?, cause = ?, stoppedAt = ?, transitions = ?, followUp = ?
       WHERE arn = ?`,
    ),
    follow: database.prepare("UPDATE executions SET followUp = 'done' WHERE arn = ?"),
    selectEvents: database.prepare('SELECT event FROM events WHERE arn = ? ORDER BY number'),
    insertEvent: database.prepare('INSERT INTO events (arn, event) VALUES (?, ?)'),
    selectMany: database.prepare(
      `SELECT * FROM executions WHERE (:machine IS NULL OR machine = :machine) AND (:status IS NULL OR status = :status)
       AND (:followUp IS NULL OR followUp = :followUp) AND (:waits IS NULL OR waits = :waits) ORDER BY startedAt DESC, arn LIMIT :limit OFFSET :offset`,
    ),
    count: database.prepare(
      `SELECT machine, status, waits, count(*) AS number, coalesce(sum(stoppedAt - startedAt), 0) / 1000.0 AS seconds
       FROM executions GROUP BY machine, status, waits`,
    ),
    forgetEvents: database.prepare('DELETE FROM events WHERE arn IN (SELECT arn FROM executions WHERE stoppedAt < ?)'),
    forget: database.prepare('DELETE FROM executions WHERE stoppedAt < ?'),
    forgetOldest: database.prepare(
      `DELETE FROM events WHERE number IN (
         SELECT number FROM events WHERE arn NOT IN (SELECT arn FROM executions WHERE status = 'RUNNING')
         ORDER BY number LIMIT ${sweptAtOnce})`,
    ),
    pages: database.prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    ),
  };
}

class SqliteExecutions implements ExecutionStore {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  #waiting: { arn: string; text: string }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = statementsOf(database);
  }

  get(arn: string): Execution | undefined {
    const row = this.#statements.select.get(arn);
    return row && Execution.parse(row);
  }

  insert(execution: Execution, waits = false): boolean {
    return Number(this.#statements.insert.run({ ...execution, waits: Number(waits) }).changes) === 1;
  }

  begin(arn: string): void {
    this.#statements.begin.run(arn);
  }

  finish({ arn, status, output, error, cause, stoppedAt, transitions, followUp }: Execution): void {
    this.#flush(
      () => void this.#statements.update.run(status, output, error, cause, stoppedAt, transitions, followUp, arn),
    );
  }

  followedUp(arn: string): void {
    this.#statements.follow.run(arn);
  }

  append(arn: string, event: HistoryEvent): void {
    this.#waiting.push({ arn, text: JSON.stringify(event) });
    this.#flushLater(flushAfterMs);
  }

  history(arn: string): readonly HistoryEvent[] {
    if (this.#waiting.length > 0) this.#flush();
    return this.#statements.selectEvents.all(arn).map(({ event }) => JSON.parse(String(event)) as HistoryEvent);
  }

  list(filter: ExecutionFilter): readonly Execution[] {
    const { machine = null, status = null, followUp = null, waits, limit = -1, offset = 0 } = filter;
    return this.#statements.selectMany
      .all({ machine, status, followUp, waits: waits === undefined ? null : Number(waits), limit, offset })
      .map((row) => Execution.parse(row));
  }

  counts(): readonly ExecutionCount[] {
    return this.#statements.count.all().map((row) => ExecutionCount.parse(row));
  }

  sweep(now: number, mostBytes = mostHistoryBytes): void {
    const { forgetEvents, forget, forgetOldest } = this.#statements;
    this.#flush(() => {
      forgetEvents.run(now - keptMs);
      forget.run(now - keptMs);
    });
    while (this.#bytesInUse() > mostBytes && Number(forgetOldest.run().changes) > 0);
    this.#database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#flush();
    this.#database.close();
  }

  #bytesInUse(): number {
    return Number(this.#statements.pages.get()?.bytes ?? 0);
  }

  /** Writes the events that wait, and `more`, in one transaction. */
  #flush(more: () => void = () => {}): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    this.#database.exec('BEGIN');
    try {
      for (const { arn, text } of events) this.#statements.insertEvent.run(arn, text);
      more();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#waiting = [...events, ...this.#waiting];
      throw error;
    }
  }

  /** On a full disk the events wait until there is space. */
  #flushLater(ms: number): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.#flush();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        this.#flushLater(fullDiskMs);
      }
    }, ms);
  }
}

/** Databases of earlier versions lack it. */
function addColumn(database: DatabaseSync, column: string): void {
  const known = database.prepare('PRAGMA table_info(executions)').all();
  if (!known.some(({ name }) => column.startsWith(`${name} `)))
    database.exec(`ALTER TABLE executions ADD COLUMN ${column}`);
}
