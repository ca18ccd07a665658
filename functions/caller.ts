/** The caller, from the claims of API Gateway's authorizer. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { z } from 'zod';
import type { Access } from '#contracts/operations/operation.ts';
import type { ManifestKey } from '#contracts/records.ts';
import {
  type AccessRole,
  type Caller,
  type Grant,
  grantsOf,
  holds,
  holdsAnywhere,
  parseSubjects,
} from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { bindingOf, RoleBinding } from '#domain/manifest/role-binding.ts';
import type { Using } from './ports.ts';

const Authorizer = z
  .object({
    iam: z.object({ userArn: z.string() }).optional(),
    jwt: z.object({ claims: z.record(z.string(), z.unknown()) }).optional(),
  })
  .optional();

/** A caller with its grants; handlers ask it about namespaces that are not in their path. */
export interface AdmittedCaller extends Caller {
  readonly grants: readonly Grant[];
  may(role: AccessRole, namespace: string): boolean;
}

/** `alice from 203.0.113.7`, for events. */
export const callerText = ({ name, from }: Caller): string => `${name} from ${from}`;

/** A caller without a role in a namespace does not learn what is in it. */
export function shownTo(caller: AdmittedCaller, { namespace, name }: ManifestKey): string {
  return caller.may('viewer', namespace) ? `${namespace}/${name}` : 'one that you may not see';
}

function callerOf(event: APIGatewayProxyEventV2): Caller {
  const { http } = event.requestContext;
  const found = Authorizer.safeParse((event.requestContext as { authorizer?: unknown }).authorizer).data;
  if (found?.iam) return { kind: 'iam', name: found.iam.userArn, claims: {}, from: http.sourceIp };
  if (!found?.jwt) return { kind: 'unknown', name: 'an unknown caller', claims: {}, from: http.sourceIp };
  const claims = Object.fromEntries(
    Object.entries(found.jwt.claims).map(([name, value]) => [name, valuesOf(name, value)]),
  );
  return { kind: 'token', name: claims.sub?.[0] ?? 'a token without subject', claims, from: http.sourceIp };
}

/**
 * API Gateway hands on a list as the text `[a b]`. Only claims that are lists by their name are taken apart: else a subject
 * or an address "[root]" that a user chose would be "root".
 */
function valuesOf(name: string, claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.map(String);
  if (!isList.test(name)) return [String(claim)];
  const text = String(claim);
  const [, list] = /^\[(.*)\]$/.exec(text) ?? [];
  return list === undefined ? [text] : list.split(/[\s,]+/).filter(Boolean);
}

const isList = /(^|[^a-z])(groups?|roles?|teams?|entitlements|permissions|memberof|amr|aud)$/i;

/** The caller if it may use the route. Throws `Forbidden` that says which role is missing, the same for what exists and what does not. */
export async function admit(
  deps: Using<'roleBindings.list' | 'config'>,
  event: APIGatewayProxyEventV2,
  access: Access,
  named: { readonly path: unknown; readonly query: unknown },
): Promise<AdmittedCaller> {
  const caller = callerOf(event);
  const open = access === 'anonymous' || access === 'agent';
  const grants = open ? [] : await grantsOfCaller(deps, caller);
  const admitted = { ...caller, grants, may: (role: AccessRole, namespace: string) => holds(grants, role, namespace) };
  if (open || (access === 'authenticated' && caller.kind !== 'unknown')) return admitted;
  const needed = typeof access === 'string' ? 'viewer' : access.role;
  const namespace = namespaceOf(access, named);
  const allowed =
    caller.kind !== 'unknown' &&
    (namespace === undefined ? holdsAnywhere(grants, needed) : holds(grants, needed, namespace));
  if (allowed) return admitted;
  const place =
    namespace === undefined ? 'any namespace' : namespace === '*' ? 'all namespaces' : `namespace "${namespace}"`;
  throw new PipelineError(
    'Forbidden',
    `${caller.name} lacks the role ${needed} in ${place}; an admin can grant it with a RoleBinding`,
  );
}

/** What the first admins and the RoleBindings give to it now. */
export async function grantsOfCaller(
  { config, roleBindings }: Using<'roleBindings.list' | 'config'>,
  caller: Caller,
): Promise<readonly Grant[]> {
  const admins = { role: 'admin' as const, namespaces: ['*'], subjects: parseSubjects(config.KUBELOOM_ADMINS) };
  const first = grantsOf(caller, [admins]);
  if (first.length > 0) return first;
  const stored = (await roleBindings.list()).map((document) => bindingOf(RoleBinding.parse(document)));
  return grantsOf(caller, stored);
}

const Named = z.object({ namespace: z.string().optional() });

function namespaceOf(access: Access, { path, query }: { readonly path: unknown; readonly query: unknown }) {
  if (typeof access === 'string') return undefined;
  if (access.where === 'everywhere') return '*';
  return Named.safeParse(access.where === 'path' ? path : query).data?.namespace;
}
