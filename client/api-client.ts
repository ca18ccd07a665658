/** The typed client of the HTTP API: one method for each row of the table of operations, answers parsed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { headerNames } from '#contracts/api-bodies.ts';
import { type Answer, type Body, type Operation, pathOf } from '#contracts/operations/operation.ts';
import { type OperationId, operations } from '#contracts/operations/operations.ts';
import { ConnectionFault, isMissing, ProblemAnswer } from './faults.ts';
import { type Connection, jsonIn, requestSender, type Sent } from './send-request.ts';

export interface ManifestName {
  readonly namespace: string;
  readonly name: string;
}

type ParamsIn<Row extends Operation> = Row['params'] extends infer Params extends z.ZodObject
  ? [params: Readonly<z.output<Params>>]
  : [];
/** The body of a row that has one, else its query. */
type ContentIn<Row extends Operation> = Row['body'] extends { readonly schema: infer Schema extends z.ZodType }
  ? [body?: z.input<Schema>]
  : Row['body'] extends Body
    ? [body?: unknown]
    : Row['query'] extends z.ZodObject
      ? [query?: QueryOf<Row['query']>]
      : [];
type QueryOf<Query extends z.ZodObject> = Partial<z.output<Query>>;
/** It keeps no answers, so it does not ask whether one has changed. */
type HeadersIn<Row extends Operation> = 304 extends keyof Row['answers']
  ? []
  : Row['headers'] extends infer Headers extends z.ZodObject
    ? [headers?: Partial<z.output<Headers>>]
    : [];

type AnswerTo<Row extends Operation> = AnswerOf<Row['answers'][Exclude<keyof Row['answers'] & number, 304>]>;
type AnswerOf<One extends Answer> = One extends { readonly media: string }
  ? string
  : One extends { readonly schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : undefined;

type Call<Row extends Operation> = (
  ...given: [...ParamsIn<Row>, ...ContentIn<Row>, ...HeadersIn<Row>]
) => Promise<AnswerTo<Row>>;
type Calls = { readonly [Id in OperationId]: Call<(typeof operations)[Id]> };

export type PutCondition = HeadersIn<typeof operations.putManifest>[0];

/** A document with those that will be stored with it; without one, the stored manifest, its deletion or a rollback. */
export interface PlanRequest extends QueryOf<typeof operations.planManifest.query> {
  readonly document?: unknown;
  readonly related?: readonly unknown[];
}

/** Documents of an inventory; without any, what is stored is rolled out. */
export interface RollOutRequest {
  readonly documents?: readonly unknown[];
  readonly query?: Partial<z.input<typeof operations.startRollOut.query>>;
  readonly headers?: HeadersIn<typeof operations.startRollOut>[0];
}

export type ApiClient = ReturnType<typeof apiClient>;

/** The API as functions. Every one throws `ProblemAnswer` for 4xx and 5xx, `ConnectionFault` when nothing answers. */
export function apiClient(connection: Connection, pending: PendingOptions = {}) {
  const send = requestSender(connection);

  /** A version as it is printed, `g3-a1`, means one of the manifest that exists now: its entity tag also has the manifest's identity. */
  const tagOf = async (path: string, version: string): Promise<string> => {
    if (!/^"?g\d+-a\d+"?$/.test(version)) return entityTag(version);
    const response = await send('GET', path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
    const [identity] = response?.headers.get('etag')?.match(/(?<!\w)\w+-(?=g\d+-a\d+"$)/) ?? [];
    return entityTag(`${identity ?? ''}${version.replaceAll('"', '')}`);
  };

  const call = async <Row extends Operation>(row: Row, params: object, sent: Sent): Promise<AnswerTo<Row>> => {
    const path = pathOf(row, params);
    const version = sent.headers?.['If-Match'];
    const tag = version && (await tagOf(pathOf(operations.getManifest, params), version));
    const first = Object.values(row.answers)[0];
    const response = await send(row.method, path, {
      ...sent,
      headers: { accept: first?.media, ...sent.headers, ...(tag && { 'If-Match': tag }) },
      // A whole page, unless another size is asked for.
      query: { ...(row.query && 'limit' in row.query.shape && { limit: 200 }), ...sent.query },
    });
    const { schema, media } = row.answers[response.status] ?? first ?? {};
    const text = await response.text();
    return (schema && media === undefined ? understood(schema, path, text) : schema && text) as AnswerTo<Row>;
  };
  const calls = Object.fromEntries(
    Object.entries<Operation>(operations).map(([id, row]) => [
      id,
      (...given: never[]): Promise<unknown> => {
        const rest: object[] = [...given];
        const params = row.params ? rest.shift() : {};
        const content = row.body || row.query ? rest.shift() : undefined;
        const sent = { [row.body ? 'body' : 'query']: content, headers: rest.shift() } as Sent;
        return onceTemplatesKnown(() => call(row, params ?? {}, sent), pending);
      },
    ]),
  ) as Calls;

  return {
    ...calls,
    planManifest: (key: ManifestName, { document, related = [], ...query }: PlanRequest = {}) => {
      const body = document === undefined ? {} : { body: asBody([document, ...related]) };
      return onceTemplatesKnown(() => call(operations.planManifest, key, { query, ...body }), pending);
    },
    startRollOut: (
      { namespace }: Pick<ManifestName, 'namespace'>,
      { documents = [], query = {}, headers }: RollOutRequest,
    ) => {
      const sent = { query, ...(headers && { headers }), ...(documents.length > 0 && { body: asBody(documents) }) };
      return onceTemplatesKnown(() => call(operations.startRollOut, { namespace }, sent), pending);
    },
    validate: (documents: readonly unknown[]) => calls.validate(asBody(documents)),
    /** What is stored, with the entity tag of its version for `If-Match`; undefined when nothing is stored. */
    findManifest: async (key: ManifestName) => {
      const path = pathOf(operations.getManifest, key);
      try {
        const response = await send('GET', path);
        const manifest = understood(operations.getManifest.answers[200].schema, path, await response.text());
        return { manifest, etag: response.headers.get('etag') ?? undefined };
      } catch (error) {
        if (!isMissing(error)) throw error;
        return undefined;
      }
    },
    /** Text of the log at `path` from `offset` on, where the next read begins, and whether the log is complete. */
    readLog: async (path: string, offset: number) => {
      const response = await send('GET', path, { query: { offset }, headers: { accept: 'text/plain' } });
      const text = await response.text();
      return {
        text,
        next: Number(response.headers.get(headerNames.nextOffset) ?? offset + Buffer.byteLength(text)),
        ended: response.headers.get(headerNames.ended) === 'true',
      };
    },
  };
}

/** The items of all pages of a list. */
export async function* itemsOf<Item>(
  list: (next: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): AsyncIterable<Item> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await list(cursor);
    yield* items;
    // Events always have a cursor to continue from.
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}

/** JSON is YAML: several documents are one text. */
const asBody = (documents: readonly unknown[]): string =>
  documents.map((document) => JSON.stringify(document)).join('\n---\n');

/** As HTTP requires it, in quotation marks, which a shell removes. */
const entityTag = (text: string): string => (text === '*' || text.includes('"') ? text : `"${text}"`);

/** Throws `ConnectionFault` for an answer that this version does not understand. */
function understood<Schema extends z.ZodType>(schema: Schema, path: string, text: string): z.output<Schema> {
  const result = schema.safeParse(jsonIn(text));
  if (result.success) return result.data;
  const where = result.error.issues.map((issue) => issue.path.join('.') || '(all of it)');
  throw new ConnectionFault('incomprehensible', `the answer of ${path} cannot be understood (${where.join(', ')})`);
}

export interface PendingOptions {
  /** @default 2,000 */
  readonly everyMs?: number;
  /** After this time the API's problem is thrown. @default 10 min */
  readonly limitMs?: number;
  /** What the API says while it waits; called once for a request. */
  readonly onWait?: (sentence: string) => void;
}

/** Retries as long as the API answers `TemplatesPending`, and reports that once. */
export async function onceTemplatesKnown<Answer>(
  ask: () => Promise<Answer>,
  { everyMs = 2_000, limitMs = 600_000, onWait }: PendingOptions = {},
): Promise<Answer> {
  const end = performance.now() + limitMs;
  for (let reported = false; ; reported = true) {
    try {
      return await ask();
    } catch (error) {
      const pending = error instanceof ProblemAnswer && error.problem.code === 'TemplatesPending';
      if (!pending || performance.now() >= end) throw error;
      if (!reported) onWait?.(error.message);
    }
    await pause(everyMs);
  }
}
