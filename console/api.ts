/** The typed client of the API for the browser. Its types are those of the table of operations, of which nothing is loaded. */
import type { z } from 'zod';
import type { Problem } from '#contracts/api-bodies.ts';
import type { Answer } from '#contracts/operations/operation.ts';
import type { operations } from '#contracts/operations/operations.ts';
import { wayIn } from './sign-in/way-in.ts';

type Table = typeof operations;
type RouteOf<Row> = Row extends {
  readonly method: infer Method extends string;
  readonly path: infer Path extends string;
}
  ? `${Method} ${Path}`
  : never;
type ByRoute = { [Id in keyof Table as RouteOf<Table[Id]>]: Table[Id] };
/** Every route of the API, as `GET /v1/manifests/{namespace}`: one that does not exist does not compile. */
export type RouteName = keyof ByRoute;

type AnswerOf<One> = One extends { readonly media: string }
  ? string
  : One extends { readonly schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : undefined;
type Answers<Row> = Row extends { readonly answers: infer All extends Readonly<Record<number, Answer>> } ? All : never;
/** What it answers when it succeeds and something changed. */
export type AnswerTo<Wanted extends RouteName> = AnswerOf<
  Answers<ByRoute[Wanted]>[Exclude<keyof Answers<ByRoute[Wanted]> & number, 304>]
>;

type Values<Schema> = Schema extends z.ZodObject
  ? { readonly [Name in keyof z.output<Schema>]: string | number }
  : never;
type ParamsOf<Row> = Row extends { readonly params: infer Schema } ? { readonly params: Values<Schema> } : unknown;
type QueryOf<Row> = Row extends { readonly query: infer Schema }
  ? { readonly query?: Partial<Values<Schema>> }
  : unknown;
type BodyOf<Row> = Row extends { readonly body: unknown } ? { readonly body?: unknown } : unknown;

/** Everything of a request but its route. */
export type Asked<Wanted extends RouteName> = ParamsOf<ByRoute[Wanted]> &
  QueryOf<ByRoute[Wanted]> &
  BodyOf<ByRoute[Wanted]> & { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

export interface AnswerWithHeaders<Data> {
  readonly data: Data;
  readonly headers: Headers;
}

/** An answer of 4xx or 5xx. */
export class RequestRefused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'RequestRefused';
    this.problem = problem;
  }
}

/** There is no session, or none any more; the message says why if there is more to say. */
export class SignedOut extends Error {}

/** Nothing answered. */
export class Unreachable extends Error {}

/** Throws `RequestRefused`, `SignedOut` or `Unreachable`. */
export async function ask<Wanted extends RouteName>(route: Wanted, asked: Asked<Wanted>): Promise<AnswerTo<Wanted>> {
  const answered = await request(route, asked);
  return answered.data as AnswerTo<Wanted>;
}

/** The same with its headers; undefined for "not modified". */
export async function askOnce<Wanted extends RouteName>(
  route: Wanted,
  asked: Asked<Wanted>,
): Promise<AnswerWithHeaders<NonNullable<AnswerTo<Wanted>>> | undefined> {
  const answered = await request(route, asked);
  return answered.status === 304 ? undefined : (answered as AnswerWithHeaders<NonNullable<AnswerTo<Wanted>>>);
}

interface Loose {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function request(
  route: RouteName,
  { params = {}, query = {}, body, headers = {}, signal }: Loose,
): Promise<AnswerWithHeaders<unknown> & { readonly status: number }> {
  const [method = 'GET', pattern = ''] = route.split(' ');
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(String(params[name])));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  const unreachable = (cause: unknown): never => {
    if (signal?.aborted) throw cause;
    throw new Unreachable('nothing answers', { cause });
  };
  const session = await wayIn().headers().catch(unreachable);
  const response = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    // Not modified: what was understood before stays as it is.
    cache: 'no-store',
    headers: {
      ...session,
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(unreachable);
  if (response.status === 401) throw new SignedOut(wayIn().refused?.());
  if (response.status === 304) return { status: 304, data: undefined, headers: response.headers };
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const data: unknown = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new RequestRefused(problemOf(data, response.status));
  return { status: response.status, data, headers: response.headers };
}

/** Encodes a part of a path. URLs resolve `.` and `..` to the path above even if they are encoded, so these are refused. */
function segmentOf(value: string): string {
  if (value !== '.' && value !== '..') return encodeURIComponent(value);
  const detail = `nothing can be called "${value}"`;
  throw new RequestRefused({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    instance: '',
    code: 'NotFound',
    detail,
  });
}

function problemOf(data: unknown, status: number): Problem {
  if (typeof data === 'object' && data !== null && 'detail' in data) return data as Problem;
  const detail = `the answer was HTTP ${status}`;
  return { type: 'about:blank', title: 'Unexpected answer', status, instance: '', code: 'InternalFault', detail };
}
