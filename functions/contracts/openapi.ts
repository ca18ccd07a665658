/** The OpenAPI 3.1 document of the API, made from the shapes in `http.ts`; `docs/openapi.json` is its committed copy. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { Problem } from './api-bodies.ts';
import { operations } from './operations.ts';

/** As much of a route as the document needs. */
export interface DocumentedRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly operation: string;
  readonly anonymous?: true;
}

/** What each failing status means, everywhere. */
const problems: Readonly<Record<number, string>> = {
  400: 'the request cannot be understood',
  401: 'no token, or none that is accepted here; signed requests of AWS principals are refused with 403 instead',
  403: 'the caller has not the role that this needs',
  404: 'the thing asked for does not exist',
  409: 'the stored state does not allow it, or somebody else was first; `current` says what is stored',
  412: '`If-Match` names another version than the one stored; `current` says which',
  413: 'the body is too large',
  422: 'the document has faults, or the change is refused; `faults` lists all of them',
};

/** Throws when a route has no description. */
export function openapiDocument(routes: readonly DocumentedRoute[], version: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], ...operationOf(route) };
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Kubeloom',
      version,
      description: 'Kubernetes clusters that span clouds, data centres and accounts, from one manifest.',
    },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'in AWS: Signature Version 4 instead' },
      },
    },
    security: [{ bearer: [] }],
  });
}

function operationOf(route: DocumentedRoute): ZodOpenApiPathsObject[string] {
  const known = operations[route.operation];
  if (!known) throw new Error(`operation "${route.operation}" has no entry in contracts/operations.ts`);
  const { path, query, headers } = known;
  return {
    [route.method.toLowerCase()]: {
      operationId: route.operation,
      tags: [known.tag],
      summary: known.summary,
      requestParams: { ...(path && { path }), ...(query && { query }), ...(headers && { header: headers }) },
      ...(known.body && {
        requestBody: {
          description: known.body.description,
          required: known.body.required,
          content: known.body.schema
            ? { 'application/json': { schema: known.body.schema } }
            : {
                'application/yaml': { schema: z.string() },
                'application/json': { schema: z.record(z.string(), z.unknown()) },
              },
        },
      }),
      responses: {
        ...successes(known.answers),
        ...failures(route.anonymous ? known.problems : [...known.problems, 401, 403].sort((a, b) => a - b)),
        default: problemAnswer('a fault of ours'),
      },
      ...(route.anonymous && { security: [] }),
    },
  };
}

function successes(answers: (typeof operations)[string]['answers']): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, media, headers }]) => [
      status,
      {
        description,
        ...(headers && { headers }),
        ...(schema && { content: { [media ?? 'application/json']: { schema } } }),
      },
    ]),
  );
}

function failures(statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(problems[status] ?? '')]));
}

function problemAnswer(description: string): object {
  return { description, content: { 'application/problem+json': { schema: Problem } } };
}
