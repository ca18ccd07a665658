/** Authorization: roles by namespace, bound to callers. Decided only here. */

/** Each includes the ones before it. */
export const roles = ['viewer', 'operator', 'approver', 'admin'] as const;
export type AccessRole = (typeof roles)[number];

/** The caller, as identified by the gateway in front of the API. */
export interface Caller {
  /** `iam`: signed by an AWS principal; `token`: a token of an OIDC issuer or of the local platform; `unknown`: neither. */
  readonly kind: 'iam' | 'token' | 'unknown';
  /** For people and events: the ARN, or the subject of the token. */
  readonly name: string;
  /** Claims of a token; a claim with several values lists all of them. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** Address that the request came from. */
  readonly from: string;
}

/** The subject that has a role. */
export type Subject =
  /** ARN of a user, role or session, or the beginning of one before a final `*`. Sessions of a role count as the role. */
  | { readonly iam: string }
  /** Subject (`sub`) of a token: `local:<name>` on the local platform, or one of the OIDC issuer. */
  | { readonly user: string }
  | { readonly claim: { readonly name: string; readonly value: string } }
  /** Every caller whom the gateway accepts. */
  | { readonly everybody: true };

export interface Grant {
  readonly role: AccessRole;
  /** `*`: all, also those that do not exist yet. */
  readonly namespaces: readonly string[];
}

export interface Binding extends Grant {
  readonly subjects: readonly Subject[];
}

/** What the bindings give to a caller. */
export function grantsOf(caller: Caller, bindings: readonly Binding[]): readonly Grant[] {
  if (caller.kind === 'unknown') return [];
  return bindings
    .filter(({ subjects }) => subjects.some((subject) => isMeant(caller, subject)))
    .map(({ role, namespaces }) => ({ role, namespaces }));
}

/** True when the role is held in the namespace; for `*`: in all of them. */
export function holds(grants: readonly Grant[], role: AccessRole, namespace: string): boolean {
  return grants.some(
    (grant) =>
      roles.indexOf(grant.role) >= roles.indexOf(role) &&
      (grant.namespaces.includes('*') || grant.namespaces.includes(namespace)),
  );
}

/** True when the role is held in at least one namespace. */
export function holdsAnywhere(grants: readonly Grant[], role: AccessRole): boolean {
  return grants.some((grant) => roles.indexOf(grant.role) >= roles.indexOf(role) && grant.namespaces.length > 0);
}

/** The namespaces in which the role is held, sorted; `*` when it is held in all. */
export function namespacesWith(grants: readonly Grant[], role: AccessRole): readonly string[] | '*' {
  if (holds(grants, role, '*')) return '*';
  const named = grants.flatMap(({ namespaces }) => namespaces).filter((namespace) => holds(grants, role, namespace));
  return [...new Set(named)].sort();
}

/** `*`, `iam:<arn>`, `user:<sub>` or `claim:<name>=<value>` with commas between: how an installation names its first admins. */
export function parseSubjects(text: string): readonly Subject[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      if (part === '*') return { everybody: true };
      if (part.startsWith('iam:')) return { iam: part.slice('iam:'.length) };
      if (part.startsWith('user:')) return { user: part.slice('user:'.length) };
      const [, name, value] = /^claim:([^=]+)=(.+)$/.exec(part) ?? [];
      if (name !== undefined && value !== undefined) return { claim: { name, value } };
      throw new Error(`"${part}" names no one; use *, iam:<arn>, user:<sub> or claim:<name>=<value>`);
    });
}

/** Why a list of first admins would lock out everyone; undefined when it does not. */
export function firstAdminsFault(text: string): string | undefined {
  try {
    return parseSubjects(text).length > 0 ? undefined : 'names no one: no caller could do anything or grant roles';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The principal behind an ARN: for a session of a role, the role without path, which sessions do not contain. */
function principalOf(arn: string): string {
  const [, partition, account, role] = /^arn:([^:]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(arn) ?? [];
  return role === undefined ? arn : `arn:${partition}:iam::${account}:role/${role}`;
}

function isMeant(caller: Caller, subject: Subject): boolean {
  if ('everybody' in subject) return true;
  if ('iam' in subject) {
    return (
      caller.kind === 'iam' && [principalOf(caller.name), caller.name].some((arn) => isPrincipal(arn, subject.iam))
    );
  }
  if (caller.kind !== 'token') return false;
  if ('user' in subject) return valuesOf(caller, 'sub').includes(subject.user);
  return valuesOf(caller, subject.claim.name).includes(subject.claim.value);
}

/** Only the token's own fields, not those of every object: a claim may be called `constructor`. */
function valuesOf({ claims }: Caller, name: string): readonly string[] {
  return Object.hasOwn(claims, name) ? (claims[name] ?? []) : [];
}

function isPrincipal(principal: string, wanted: string): boolean {
  if (wanted.endsWith('*')) return principal.startsWith(wanted.slice(0, -1));
  // A role's ARN may be given with its path, which sessions leave out.
  return principal === wanted || principal === wanted.replace(/^([^/]*:role)\/.*\//, '$1/');
}
