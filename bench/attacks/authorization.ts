/**
 * Eight callers at every operation in three namespaces: `node bench/attacks/run.ts authorization`. A hole is a request that has to be refused and was not, or an
 * answer that names what is in a namespace of which the caller may see nothing. Nothing that exists is changed: operations that change name what is not there.
 */

import { type Access, pathOf } from '#contracts/operations/operation.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { type AccessRole, roles } from '#domain/access.ts';
import { addUser } from '#local/users.ts';
import { smallManifest } from '../manifests.ts';
import { countEach } from '../numbers.ts';
import { type OwnPlatform, onPlatform } from '../platform-process.ts';

const namespaces = ['alpha', 'beta', 'gamma'] as const;
const secretName = (namespace: string): string => `only-in-${namespace}`;

/** Parameters of paths that have to have a certain form. */
const known = {
  stage: 'nodes',
  kind: 'InventoryLayer',
  verb: 'pause',
  plan: '0'.repeat(40),
  attempt: 1,
  check: 1,
  generation: 1,
  id: 1,
};

interface Caller {
  readonly name: string;
  /** Absent: no identity. */
  readonly role?: AccessRole | 'none';
  readonly in: readonly string[];
}

const callers: readonly Caller[] = [
  { name: 'anonymous', in: [] },
  { name: 'forged', in: [] },
  { name: 'stranger', role: 'none', in: [] },
  { name: 'viewer-of-alpha', role: 'viewer', in: ['alpha'] },
  { name: 'operator-of-alpha', role: 'operator', in: ['alpha'] },
  { name: 'approver-of-alpha', role: 'approver', in: ['alpha'] },
  { name: 'operator-of-beta', role: 'operator', in: ['beta'] },
  { name: 'viewer-of-all', role: 'viewer', in: ['*'] },
];

export const measureAuthorization = () => onPlatform(matrix);

async function matrix({ platform, api, dataDir }: OwnPlatform) {
  for (const namespace of namespaces)
    await api.putManifest({ namespace, name: secretName(namespace) }, smallManifest(secretName(namespace), 'sim'));
  const tokens = new Map<string, string>([['forged', `${platform.token.slice(0, -4)}AAAA`]]);
  for (const { name, role, in: where } of callers.filter((one) => one.role !== undefined)) {
    tokens.set(name, (await addUser(dataDir, { name, groups: [], now: new Date() })).token);
    if (role !== 'none') await grant(name, role, where);
  }
  const results = [];
  for (const caller of callers)
    for (const namespace of namespaces)
      for (const row of operationList) results.push(await ask(caller, namespace, row));
  const holes = results.filter(({ verdict }) => verdict === 'hole');
  return {
    callers: callers.length,
    operations: operationList.length,
    requests: results.length,
    verdicts: countEach(results.map(({ verdict }) => verdict)),
    holes: holes.slice(0, 20),
  };

  async function grant(name: string, role: AccessRole | undefined, where: readonly string[]): Promise<void> {
    const spec = { role, namespaces: where, subjects: [{ user: `local:${name}` }] };
    const body = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name }, spec };
    const answer = await request('PUT', `/v1/roles/${name}`, platform.token, body);
    if (!answer.ok) throw new Error(`${name} got no role: ${answer.status} ${await answer.text()}`);
  }

  async function ask(caller: Caller, namespace: string, row: (typeof operationList)[number]) {
    const { id: operation, method, path, access } = row;
    const fixed = { namespace, name: method === 'GET' ? secretName(namespace) : 'nothing', ...known };
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'w00']);
    const filled = pathOf(row, { ...Object.fromEntries(parameters), ...fixed });
    const url = typeof access === 'object' && access.where === 'anywhere' ? `${filled}?namespace=${namespace}` : filled;
    const answer = await request(method, url, tokens.get(caller.name), method === 'GET' ? undefined : {});
    const text = await answer.text();
    const refused = answer.status === 401 || answer.status === 403;
    const leaked = namespaces.filter(
      (one) => text.includes(secretName(one)) && !sees(caller, one) && !filled.includes(secretName(one)),
    );
    const allowed = mayAsk(caller, namespace, access);
    const verdict =
      leaked.length > 0 || (!allowed && !refused && answer.status !== 400)
        ? 'hole'
        : allowed
          ? refused
            ? 'refused though allowed'
            : 'allowed'
          : refused
            ? 'refused'
            : 'malformed before refused';
    return { caller: caller.name, operation, namespace, status: answer.status, verdict };
  }

  function request(method: string, path: string, token: string | undefined, body?: unknown): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return fetch(platform.apiUrl + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

const sees = ({ in: where }: Caller, namespace: string): boolean => where.includes('*') || where.includes(namespace);

function mayAsk(caller: Caller, namespace: string, access: Access): boolean {
  if (access === 'anonymous') return true;
  if (access === 'agent' || caller.role === undefined) return false;
  if (access === 'authenticated') return true;
  if (access.where === 'everywhere' || caller.role === 'none') return false;
  return sees(caller, namespace) && roles.indexOf(caller.role) >= roles.indexOf(access.role);
}
