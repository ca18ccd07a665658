/** Joins an operation with its handler: the row defines what is parsed, and types the answer. */
import type { z } from 'zod';
import type { Answer, Operation } from '#contracts/operations/operation.ts';
import { parseInput } from '../../failures.ts';
import type { HttpResponse } from '../../http.ts';
import { type HttpHandler, httpHandler, type RequestOf } from '../../middleware.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { requestDocuments } from './request-document.ts';

/** What answers `Row`, and no other operation. */
export type Handler<Row extends Operation> = HttpHandler & { readonly operation: Row };

/** A request with its body: parsed where the row has a schema for it, else as bytes. */
type WithBody<Row extends Operation> = Omit<RequestOf<Row>, 'body'> & {
  readonly body: Row['body'] extends { readonly schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : Uint8Array;
};

type Statuses<Row extends Operation> = keyof Row['answers'] & number;
type AnswerTo<Row extends Operation> = Pick<HttpResponse, 'headers'> &
  StatusIn<Statuses<Row>> &
  BodyIn<Row['answers'][Statuses<Row>]> &
  HeadersIn<Row['answers'][Statuses<Row>]>;

/** Only a row with several answers needs to be asked which. */
type StatusIn<Status, All = Status> = Status extends unknown
  ? [All] extends [Status]
    ? { readonly status?: Status }
    : { readonly status: Status }
  : never;

type BodyIn<One extends Answer> = One extends { readonly media: string }
  ? Required<Pick<HttpResponse, 'text'>> & Pick<HttpResponse, 'contentType'>
  : One extends { readonly schema: infer Schema extends z.ZodType }
    ? { readonly json: z.output<Schema> }
    : { readonly json?: never };

type HeadersIn<One extends Answer> = One extends { readonly headers: infer Headers extends z.ZodObject }
  ? { readonly headers: Readonly<Record<Lowercase<keyof z.output<Headers> & string>, string>> }
  : unknown;

export function handle<Row extends Operation>(
  operation: Row,
  respond: (request: WithBody<Row>, deps: ApiPorts) => Promise<AnswerTo<Row>>,
): Handler<Row> {
  return handleFor(operation, async () => undefined, respond);
}

/** The same for a caller that `admit` finds out, or refuses, before the body is parsed. */
export function handleFor<Row extends Operation, Admitted>(
  operation: Row,
  admit: (deps: ApiPorts, headers: RequestOf<Row>['headers']) => Promise<Admitted>,
  respond: (request: WithBody<Row>, deps: ApiPorts, admitted: Admitted) => Promise<AnswerTo<Row>>,
): Handler<Row> {
  const handler = httpHandler(operation, async (request, deps) => {
    const admitted = await admit(deps, request.headers);
    const schema = operation.body?.schema;
    const body = schema ? parsedBody(schema, request, deps) : request.body;
    const [status] = Object.keys(operation.answers).map(Number);
    return { status, ...(await respond({ ...request, body } as WithBody<Row>, deps, admitted)) } as HttpResponse;
  });
  return Object.assign(handler, { operation });
}

/** A request without a body is one with `{}`. */
function parsedBody(schema: z.ZodType, request: Pick<RequestOf<Operation>, 'body'>, deps: ApiPorts): unknown {
  const [body = {}] = request.body.length > 0 ? requestDocuments(request, deps) : [];
  return parseInput(schema, body, 'the body');
}
