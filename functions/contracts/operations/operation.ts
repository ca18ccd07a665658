/** A row of the table of operations describes one route of the API. Also: the shapes that most rows share. */
import { z } from 'zod';
import type { AccessRole } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { ManifestAccepted } from '../api-bodies.ts';

/** What a route asks of its caller. */
export type Access =
  /** Nothing, not even who it is. */
  | 'anonymous'
  /** The token of the agent of a cluster, which only the handler can judge: see `api/agent-caller.ts`. */
  | 'agent'
  /** An identity, but no role. */
  | 'authenticated'
  /** A role: in the namespace of the path, in any (of the query, when it names one), or in all. */
  | { readonly role: AccessRole; readonly where: 'path' | 'anywhere' | 'everywhere' };

/** True when the gateway passes requests on as they are. */
export const passesGateway = (access: Access): boolean => access === 'anonymous' || access === 'agent';

export const manifest = '/v1/manifests/{namespace}/{name}';
export const viewer = { role: 'viewer', where: 'path' } as const;
export const viewerAnywhere = { role: 'viewer', where: 'anywhere' } as const;
export const operator = { role: 'operator', where: 'path' } as const;
export const approver = { role: 'approver', where: 'path' } as const;
export const admin = { role: 'admin', where: 'everywhere' } as const;

export interface Answer {
  readonly description: string;
  /** @default no body */
  readonly schema?: z.ZodType;
  /** @default application/json */
  readonly media?: string;
  readonly headers?: z.ZodObject;
}

export interface Body {
  readonly description: string;
  readonly required: boolean;
  /** @default a document as YAML or JSON */
  readonly schema?: z.ZodType;
  /** Largest body in bytes. @default KUBELOOM_MAX_BODY_BYTES */
  readonly maxBytes?: number;
}

/** The router, the local gateway, CDK, the OpenAPI document, handlers and the client of the command line read it. */
export interface Operation {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** API Gateway's notation: `/v1/manifests/{namespace}/{name}`. */
  readonly path: `/v1/${string}`;
  readonly access: Access;
  readonly tag: string;
  readonly summary: string;
  /** Parameters in the path. */
  readonly params?: z.ZodObject;
  /** Query parameters; all are strings, so use `z.coerce`. */
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of problems it can answer with, apart from 401, 403 and faults of Kubeloom. */
  readonly problems: readonly number[];
}

/** By `operationId`. Written `as const satisfies Operations`: handlers and the client are typed by the literal rows. */
export type Operations = Readonly<Record<string, Operation>>;

/** The path with its parameters. Values come out of files and the command line: none may become another path. */
export function pathOf(row: Pick<Operation, 'path'>, params: object): string {
  const values = new Map(Object.entries(params));
  return row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values.get(name));
    // URLs resolve these to the path above, even if they are encoded.
    if (/^\.{1,2}$/.test(value)) throw new PipelineError('InvalidInput', `${name}: nothing can be called "${value}"`);
    return encodeURIComponent(value);
  });
}

export const ok = <Schema extends z.ZodType>(description: string, schema: Schema) => ({ 200: { description, schema } });
export const document = (description: string, required = true) => ({ description, required });
export const etagHeaders = z.object({
  ETag: z.string().describe('changes with every accepted document and attempt; for `If-Match`'),
});
const revisionHeaders = z.object({
  ETag: z.string().describe('changes with everything that the answer shows; for `If-None-Match`'),
});
/** Headers of routes that answer 304 when nothing changed. */
export const ifChanged = z.object({ 'If-None-Match': z.string().optional().describe('`ETag` of the previous answer') });
export const okIfChanged = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, schema, headers: revisionHeaders },
  304: { description: 'nothing changed', headers: revisionHeaders },
});
/** Only what this plan says. */
export const planHeader = {
  'Kubeloom-Plan': z.string().optional().describe('id of the only plan that may be carried out'),
};
/** Only this version of the document. */
export const ifMatch = z.object({ 'If-Match': z.string().optional().describe('`ETag` of the version to change') });
export const boundToPlan = ifMatch.extend(planHeader);
export const accepted = (description: string) => ({ description, schema: ManifestAccepted, headers: etagHeaders });

/** Largest bodies of routes where nothing large is meant, in bytes. */
export const bodyLimits = {
  /** A word or two in addition to the path. */
  verb: 10_000,
  /** All values of a Secret. */
  secret: 100_000,
  /** All nodes of a cluster. */
  agentHealth: 600_000,
  /** What is stored as it is: for what is a little too large, the answer says by how much. */
  document: 200_000,
} as const;

export const verbBody = <Schema extends z.ZodType>(description: string, schema: Schema, required = true) => ({
  description,
  required,
  schema,
  maxBytes: bodyLimits.verb,
});
