/** The OpenAPI 3.1 document of the API, made from the table of operations; `docs/openapi.json` is its committed copy. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { Problem } from './api-bodies.ts';
import type { Operation } from './operations/operation.ts';
import { operationList } from './operations/operations.ts';

/** What each failing status means, everywhere. */
const problems: Readonly<Record<number, string>> = {
  400: 'the request cannot be understood',
  401: 'no token, or one that is not accepted here; signed requests of AWS principals are refused with 403 instead',
  403: 'the caller lacks the required role',
  404: 'the resource does not exist',
  409: 'the resource was changed meanwhile, or its state does not allow it; `current` says what is stored',
  412: '`If-Match` names another version than the one stored; `current` says which',
  413: 'the body is too large',
  422: 'the document has faults, or the change is refused; `faults` lists all of them',
};

export function openapiDocument(version: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const row of operationList) paths[row.path] = { ...paths[row.path], ...operationOf(row) };
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
        agent: { type: 'http', scheme: 'bearer', description: 'the token of the agent of a cluster' },
      },
    },
    security: [{ bearer: [] }],
  });
}

function operationOf(row: (typeof operationList)[number]): ZodOpenApiPathsObject[string] {
  const { params, query, headers, body } = row;
  const anonymous = row.access === 'anonymous';
  const agent = row.access === 'agent';
  return {
    [row.method.toLowerCase()]: {
      operationId: row.id,
      tags: [row.tag],
      summary: row.summary,
      requestParams: { ...(params && { path: params }), ...(query && { query }), ...(headers && { header: headers }) },
      ...(body && {
        requestBody: {
          description: body.description,
          required: body.required,
          content: body.schema
            ? { 'application/json': { schema: body.schema } }
            : {
                'application/yaml': { schema: z.string() },
                'application/json': { schema: z.record(z.string(), z.unknown()) },
              },
        },
      }),
      responses: {
        ...successes(row.answers),
        ...failures(anonymous ? row.problems : [...row.problems, ...(agent ? [] : [401]), 403].sort((a, b) => a - b)),
        default: problemAnswer('a fault of Kubeloom'),
      },
      ...(anonymous && { security: [] }),
      ...(agent && { security: [{ agent: [] }] }),
    },
  };
}

function successes(answers: Operation['answers']): Record<string, object> {
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
