/**
 * The stream of the table, as far as a function reads it: items that are new, in the order in which they were written, until the
 * function has had them. Kept with the table, so that a kill loses none.
 */
import type { DatabaseSync } from 'node:sqlite';
import { AwsFault, type AwsOperation } from '../server/aws-json.ts';

/** Items are streamed whose attribute, a string, begins so. */
export interface Streamed {
  readonly attribute: string;
  readonly prefix: string;
}

interface StreamChange {
  readonly id: number;
  /** The new item, as DynamoDB writes it: `{ "pk": { "S": "…" } }`. */
  readonly image: unknown;
}

export interface ChangeStream {
  /** Whether the stream has a new item like this. */
  concerns(item: Readonly<Record<string, unknown>>): boolean;
  /** In the transaction of the item. */
  add(json: string): void;
  /** After each transaction. */
  committed(): void;
  first(most: number): readonly StreamChange[];
  /** Forgets those up to this one. */
  forget(upTo: number): void;
  /** Resolves at the next change, or when so much time is over. */
  next(waitMs: number): Promise<void>;
}

export const changesTable = 'CREATE TABLE changes (id INTEGER PRIMARY KEY AUTOINCREMENT, image TEXT NOT NULL) STRICT';

/** `streamed`: absent if the table has no stream. */
export function openChangeStream(database: DatabaseSync, streamed: Streamed | undefined): ChangeStream {
  const insert = database.prepare('INSERT INTO changes (image) VALUES (?)');
  const select = database.prepare('SELECT id, image FROM changes ORDER BY id LIMIT ?');
  const remove = database.prepare('DELETE FROM changes WHERE id <= ?');
  let waiting: (() => void)[] = [];
  let added = false;
  return {
    concerns: (item) => streamed !== undefined && textOf(item[streamed.attribute]).startsWith(streamed.prefix),
    add(json) {
      insert.run(json);
      added = true;
    },
    committed() {
      if (!added) return;
      added = false;
      for (const wake of waiting.splice(0)) wake();
    },
    first: (most) =>
      select.all(most).map(({ id, image }) => ({ id: Number(id), image: JSON.parse(String(image)) as unknown })),
    forget: (upTo) => void remove.run(upTo),
    next: (waitMs) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting = waiting.filter((one) => one !== wake);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        waiting.push(wake);
      }),
  };
}

const textOf = (value: unknown): string => String((value as { readonly S?: unknown } | undefined)?.S);

/** As many as Lambda gives a function at once. */
const batchSize = 100;

/** What the event source of a function reads; in AWS it is a part of Lambda. */
export function streamOperations(changes: ChangeStream): Readonly<Record<string, AwsOperation>> {
  return {
    async ReadNewItems(input) {
      const { forget, waitMs } = Object(input) as { readonly forget?: unknown; readonly waitMs?: unknown };
      if (typeof waitMs !== 'number') throw new AwsFault('ValidationException', 'waitMs is missing');
      if (typeof forget === 'number') changes.forget(forget);
      if (changes.first(1).length === 0) await changes.next(waitMs);
      return { changes: changes.first(batchSize) };
    },
  };
}
