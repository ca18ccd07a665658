/** The only wrapper of each kind of handler: parses input, passes ports, names errors, logs one line, never a payload. */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { z } from 'zod';
import type { Operation } from '#contracts/operations/operation.ts';
import type { PipelineError } from '#domain/errors.ts';
import { admit } from './caller.ts';
import { asPipelineError, httpStatuses, parseInput, toProblem } from './failures.ts';
import {
  compressed,
  eventBody,
  eventHeaders,
  type HttpRequest,
  type HttpResponse,
  problemResult,
  toResult,
} from './http.ts';
import type { FreePort, PortUse, Using } from './ports.ts';
import { readableTrace } from './readable-trace.ts';
import type { ApiPorts } from './rights/api-uses.ts';
import { wire } from './wire.ts';

/** What Lambda passes in addition to the event; everything optional, so that handlers can be called in process. */
export type InvocationContext = Partial<Context>;
export type TaskHandler<Output> = (event: unknown, context?: InvocationContext) => Promise<Output>;
export type HttpHandler = (
  event: APIGatewayProxyEventV2,
  context?: InvocationContext,
) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * Wraps the handler of a state. Every error reaches Step Functions with a name of `errorNames`. `uses` is what
 * it and everything below it calls: its role in AWS is generated from it, and other methods of ports do not compile.
 */
export function taskHandler<Schema extends z.ZodType, const Use extends PortUse, Output>(
  schema: Schema,
  uses: readonly Use[],
  handle: (input: z.infer<Schema>, deps: Using<Use | FreePort>) => Promise<Output>,
): TaskHandler<Output> & { readonly uses: readonly Use[] } {
  const chain = middy<unknown, Output>()
    .use({
      before: (request) => {
        Object.assign(request.internal, { began: performance.now() });
        request.event = parseInput(schema, request.event, 'the input of the state');
      },
      after: (request) => log(request, { ...subject(request.event), ...measuresOf(request.response) }, 'ok'),
      onError: async (request) => {
        const error = asPipelineError(request.error);
        log(request, subject(request.event), error);
        if (isOurs(error)) error.stack = await readableTrace(error);
        throw error;
      },
    })
    .handler((input: unknown) => handle(input as z.infer<Schema>, wire()));
  return Object.assign<TaskHandler<Output>, { uses: readonly Use[] }>(
    (event, context) => chain(event, (context ?? {}) as Context),
    { uses },
  );
}

/** The part of an operation that its wrapper needs. */
export type Served = Pick<Operation, 'access' | 'params' | 'query' | 'body'>;
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : Readonly<Record<string, string>>;
export type RequestOf<Row extends Served> = HttpRequest<Parsed<Row['params']>, Parsed<Row['query']>>;

/** Wraps the handler of an operation. Errors become problem+json; a version conflict of a conditional request is a 412. */
export function httpHandler<Row extends Served>(
  operation: Row,
  respond: (request: RequestOf<Row>, deps: ApiPorts) => Promise<HttpResponse>,
): HttpHandler {
  const chain = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use({
      before: (request) => {
        Object.assign(request.internal, { began: performance.now() });
      },
      after: (request) => log(request, { route: request.event.routeKey, status: request.response?.statusCode }, 'ok'),
      onError: (request) => {
        const error = asPipelineError(request.error);
        const headers = eventHeaders(request.event);
        const conditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
        const problem = toProblem(error, requestIdOf(request.event, request.context), conditional);
        log(request, { route: request.event.routeKey, status: problem.status }, error);
        return problemResult(problem);
      },
    })
    .handler(async (event) => {
      const deps = wire();
      const headers = eventHeaders(event);
      const parsed = (schema: z.ZodType | undefined, given: object | undefined, what: string) =>
        parseInput(schema ?? z.unknown(), given ?? {}, what);
      const path = parsed(operation.params, event.pathParameters, 'the path') as Parsed<Row['params']>;
      const query = parsed(operation.query, event.queryStringParameters, 'the query') as Parsed<Row['query']>;
      const request = {
        path,
        query,
        caller: await admit(deps, event, operation.access, { path, query }),
        headers,
        body: eventBody(event, operation.body?.maxBytes ?? deps.config.KUBELOOM_MAX_BODY_BYTES),
      };
      return compressed(toResult(await respond(request, deps)), headers['accept-encoding']);
    });
  return (event, context) => chain(event, (context ?? {}) as Context);
}

function requestIdOf(event: APIGatewayProxyEventV2, context: InvocationContext): string {
  return event.requestContext?.requestId ?? context.awsRequestId ?? 'unknown';
}

const Subject = z.object({
  namespace: z.string().optional(),
  name: z.string().optional(),
  runId: z.string().optional(),
  cluster: z.string().optional(),
  stage: z.string().optional(),
  attempt: z.number().optional(),
});
const StateInput = Subject.extend({ run: Subject.optional(), slot: Subject.optional(), try: Subject.optional() });

/** What a log line may contain of a state's input: run, cluster, stage and try; nothing else. */
function subject(event: unknown): Record<string, unknown> {
  const { run, slot, try: tried, ...rest } = StateInput.safeParse(event).data ?? {};
  return { ...rest, ...run, ...slot, ...tried };
}

const Measured = z.object({ measures: z.record(z.string(), z.number()) });

/** Numbers that a handler returns under `measures`: metrics are derived from the log. */
function measuresOf(output: unknown): z.infer<typeof Measured> | undefined {
  return Measured.safeParse(output).data;
}

/** A fault of Kubeloom or of a service, as opposed to a user's mistake or a conflict. */
const isOurs = ({ name }: PipelineError): boolean => (httpStatuses[name as keyof typeof httpStatuses] ?? 500) >= 500;

/** One line for each call: our faults at level error, users' mistakes and conflicts at level info. */
function log(
  request: { readonly context: InvocationContext; readonly internal: object },
  about: Record<string, unknown>,
  outcome: 'ok' | PipelineError,
): void {
  const failed = outcome !== 'ok' && isOurs(outcome);
  // Read directly from the environment, because a faulty configuration has to be logged, too.
  const wanted = process.env.KUBELOOM_LOG ?? 'all';
  if (wanted === 'none' || (wanted === 'errors' && !failed)) return;
  const began = 'began' in request.internal ? Number(request.internal.began) : performance.now();
  const line = {
    at: new Date().toISOString(),
    level: failed ? 'error' : 'info',
    function: request.context.functionName,
    ...about,
    ms: Math.round(performance.now() - began),
    outcome: outcome === 'ok' ? 'ok' : outcome.name,
    ...(outcome === 'ok' ? {} : { message: outcome.message }),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
