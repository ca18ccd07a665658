/** Exoscale: whose key it is, each operation by its role or by what may be listed, and the quotas of the organisation. */
import { z } from 'zod';
import { CloudId, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { type CloudAnswer, mustBeGood, quotaUnread } from '../ask.ts';
import { isAllowed, RolePolicy } from '../exoscale-role.ts';
import {
  type CheckFinding,
  type CheckInput,
  type CheckOfType,
  identity,
  permissionFinding,
  quotaFinding,
  unknownRegions,
  unreported,
} from '../finding.ts';
import { askExoscale } from '../signed-exoscale.ts';

/** The quotas that machines use. */
const resources = ['instance', 'gpu', 'block-storage-volume', 'block-storage'];
/** Operation to where it is done, for those that only look. */
const lists: Readonly<Record<string, string>> = {
  'compute: list-instances': 'instance',
  'compute: list-instance-types': 'instance-type',
  'compute: list-security-groups': 'security-group',
  'compute: list-ssh-keys': 'ssh-key',
  'compute: list-templates': 'template',
  'compute: list-block-storage-volumes': 'block-storage',
  'dns: list-dns-domains': 'dns-domain',
};

const Zones = z.object({ zones: z.array(z.object({ name: CloudWord })) });
const Key = z.object({ name: CloudName, 'role-id': CloudId });
const Role = z.object({ name: CloudName, policy: RolePolicy });
const Quotas = z.object({
  quotas: z.array(z.object({ resource: CloudWord, usage: z.number().default(0), limit: z.number().default(0) })),
});

type Question = (path: string) => Promise<CloudAnswer>;

export const check: CheckOfType = async ({ fields, permissions, regions, bases }) => {
  const question: Question = (path) =>
    askExoscale(fields, `${bases.api ?? 'https://api-ch-gva-2.exoscale.com'}/v2/${path}`);
  const seen = await seenLists(question, permissions);
  const zones = await zonesOf(question, regions);
  const role = await roleOf(question, fields);
  return [
    identity('API key', role === undefined ? 'is accepted' : `has the role ${role.name}`),
    ...zones,
    ...permissionsOf(permissions, seen, role?.policy),
    ...(await quotasOf(question)),
  ];
};

/** Operation to whether it worked. Throws `CheckRefused` if no operation is allowed. */
async function seenLists(
  question: Question,
  permissions: readonly string[],
): Promise<ReadonlyMap<string, boolean | undefined>> {
  const asked = permissions.filter((permission) => lists[permission] !== undefined);
  const wanted = asked.length === 0 ? Object.keys(lists) : asked;
  const answers = await Promise.all(
    wanted.map(async (permission) => [permission, await question(lists[permission] ?? '')] as const),
  );
  const hint =
    'check that key and secret are right, and that the role of the key allows something of the list in docs/providers';
  const bad = answers.find(([, { status }]) => status === 401);
  if (bad !== undefined) mustBeGood('API key', bad[1], hint);
  const [first] = answers;
  if (first !== undefined && answers.every(([, { status }]) => status >= 300)) mustBeGood('API key', first[1], hint);
  return new Map(
    answers.map(([permission, { status }]) => [permission, status < 300 ? true : status === 403 ? false : undefined]),
  );
}

async function zonesOf(question: Question, regions: readonly string[]): Promise<readonly CheckFinding[]> {
  const zones = Zones.safeParse((await question('zone')).json).data?.zones.map(({ name }) => name);
  return zones === undefined ? [] : unknownRegions(regions, zones);
}

/** A key that may read itself shows its role, and the role shows everything that the key may do. */
async function roleOf(
  question: Question,
  { apikey = '' }: CheckInput['fields'],
): Promise<z.infer<typeof Role> | undefined> {
  const key = Key.safeParse((await question(`api-key/${encodeURIComponent(apikey)}`)).json).data;
  if (key === undefined) return undefined;
  return Role.safeParse((await question(`iam-role/${encodeURIComponent(key['role-id'])}`)).json).data;
}

/** The outcome of a request counts more than the role: the organisation has a policy as well. */
function permissionsOf(
  permissions: readonly string[],
  seen: ReadonlyMap<string, boolean | undefined>,
  policy: RolePolicy | undefined,
): readonly CheckFinding[] {
  const judged = permissions.map((name) => {
    const [service = '', operation = ''] = name.split(': ');
    return { name, ok: seen.get(name) ?? (policy === undefined ? undefined : isAllowed(policy, service, operation)) };
  });
  const rest = judged.filter(({ ok }) => ok === undefined).map(({ name }) => name);
  const why =
    policy === undefined
      ? 'cannot be checked: grant get-api-key and get-iam-role (class iam) so that each can be checked, or use a plan'
      : 'depend on a rule of the role that Kubeloom does not understand: only a plan can show it';
  return [
    ...judged.flatMap(({ name, ok }): CheckFinding[] =>
      ok === undefined ? [] : [permissionFinding(name, ok, 'is missing: allow it in the role')],
    ),
    ...(rest.length === 0 ? [] : [unreported('permission', `${rest.length} further operations`, why)]),
  ];
}

async function quotasOf(question: Question): Promise<readonly CheckFinding[]> {
  const answer = await question('quota');
  const found = Quotas.safeParse(answer.json).data?.quotas;
  if (found === undefined) {
    return [quotaUnread('quotas', answer, 'grant list-quotas (class compute) so that these can be checked')];
  }
  // A GPU quota of 0 is usual, and a fault only for manifests with GPUs; below zero: without limit.
  return found
    .filter(({ resource, limit }) => resources.includes(resource) && limit >= 0 && !(resource === 'gpu' && limit === 0))
    .map(({ resource, usage, limit }) => quotaFinding(resource, usage, limit));
}
