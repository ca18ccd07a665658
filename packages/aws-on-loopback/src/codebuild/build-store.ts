/** Builds in SQLite: what is needed to describe them, and to find their processes after a crash. */
import { z } from 'zod';
import { localImage } from '../names.ts';
import { openSqlite } from '../stores/sqlite-file.ts';
import type { StoreWords } from '../stores/store-fault.ts';

export const Build = z.object({
  /** `<project>:<uuid>` */
  id: z.string(),
  project: z.string(),
  number: z.number().int(),
  status: z.enum(['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'FAULT', 'TIMED_OUT', 'STOPPED']),
  /** Overrides of the start request: references, never secrets. */
  environment: z.record(z.string(), z.string()),
  /** Builds of older releases do not say it. */
  image: z.string().default(localImage),
  timeoutMinutes: z.number(),
  logFile: z.string(),
  /** Epoch milliseconds. */
  queuedAt: z.number(),
  /** When it left the queue. */
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  /** Process that leads the build's group. */
  process: z.object({ pid: z.number().int(), startedAt: z.string() }).nullable(),
  /** Why it ended as it did, a sentence. */
  reason: z.string().nullable(),
});
export type Build = z.infer<typeof Build>;

export interface BuildStore {
  get(id: string): Build | undefined;
  put(build: Build): void;
  unfinished(): readonly Build[];
  /** Those that are kept. */
  all(): readonly Build[];
  /** Ids of a project's builds, newest first, at most 100. */
  newest(project: string): readonly string[];
  /** Deletes builds that were queued more than 90 days ago and have ended; returns its logs, which cannot be found any more. */
  sweep(now: number): readonly string[];
  /** Number of the next build of a project. */
  nextNumber(project: string): number;
  close(): void;
}

const keptMs = 90 * 24 * 3600 * 1000;

export function openBuildStore(path: string | ':memory:', words?: StoreWords): BuildStore {
  // Its tables are made below, where they are missing.
  const database = openSqlite(path, { holds: 'the builds', version: 1, migrate: () => {} }, words);
  database.exec(`
    CREATE TABLE IF NOT EXISTS builds (
      id TEXT PRIMARY KEY, project TEXT NOT NULL, queuedAt REAL NOT NULL, finished INTEGER NOT NULL, build TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS byProject ON builds (project);`);
  const select = database.prepare('SELECT build FROM builds WHERE id = ?');
  const upsert = database.prepare(
    `INSERT INTO builds VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET finished = excluded.finished, build = excluded.build`,
  );
  const selectUnfinished = database.prepare('SELECT build FROM builds WHERE finished = 0 ORDER BY queuedAt');
  const selectAll = database.prepare('SELECT build FROM builds');
  const selectNewest = database.prepare('SELECT id FROM builds WHERE project = ? ORDER BY queuedAt DESC LIMIT 100');
  const count = database.prepare('SELECT count(*) AS number FROM builds WHERE project = ?');
  const forget = database.prepare('DELETE FROM builds WHERE finished = 1 AND queuedAt < ? RETURNING build');
  const parse = (row: Record<string, unknown>): Build => Build.parse(JSON.parse(String(row.build)));
  return {
    get(id) {
      const row = select.get(id);
      return row && parse(row);
    },
    put: (build) =>
      void upsert.run(
        build.id,
        build.project,
        build.queuedAt,
        build.status === 'IN_PROGRESS' ? 0 : 1,
        JSON.stringify(build),
      ),
    unfinished: () => selectUnfinished.all().map(parse),
    all: () => selectAll.all().map(parse),
    newest: (project) => selectNewest.all(project).map(({ id }) => String(id)),
    sweep(now) {
      const logs = forget.all(now - keptMs).map((row) => parse(row).logFile);
      database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
      return logs;
    },
    nextNumber: (project) => Number(count.get(project)?.number ?? 0) + 1,
    close: () => database.close(),
  };
}
