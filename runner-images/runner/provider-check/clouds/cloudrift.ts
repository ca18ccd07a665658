/** CloudRift: whose token it is, whether it may keep SSH keys and see machines, and what the data centres have free. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudName } from '#domain/observed/cloud-texts.ts';
import { askCloud, type CloudAnswer, json, mustBeGood, permissionShown, quotaUnread } from '../ask.ts';
import { type CheckFinding, type CheckOfType, identity, unreported } from '../finding.ts';

const Me = z.object({ data: z.object({ email: closedText(320, /^[!-~]+$/) }) });
/** A data centre. */
const Place = closedText(100, /^[\w][\w .:/-]*$/);
const Types = z.object({
  data: z.object({
    instance_types: z.array(
      z.object({
        variants: z.array(
          z.object({
            name: CloudName,
            nodes_per_dc: z.record(Place, z.number()).nullish(),
            available_nodes_per_dc: z.record(Place, z.number()).nullish(),
          }),
        ),
      }),
    ),
  }),
});
type Variant = z.infer<typeof Types>['data']['instance_types'][number]['variants'][number];

export const check: CheckOfType = async ({ fields, regions, bases }) => {
  const { token = '', teamid } = fields;
  // The API reads a request from its beginning: the version must come first.
  const question = (path: string, data: unknown = {}): Promise<CloudAnswer> =>
    askCloud(
      `${bases.api ?? 'https://api.cloudrift.ai'}/api/v1/${path}`,
      json({ version: '~upcoming', data }, { 'x-api-key': token }),
    );
  const me = await question('auth/me');
  mustBeGood('token', me, 'check that it is right and not revoked');
  const email = Me.safeParse(me.json).data?.data.email;
  const who: CheckFinding =
    email === undefined
      ? { about: 'identity', name: 'token', ok: false, message: 'is not a valid API key: create a new one' }
      : identity(email, teamid === undefined ? 'is the user of the token' : `rents for the team ${teamid}`);
  const statuses = { statuses: ['Active', 'Initializing', 'Deactivating'] };
  const scope = teamid === undefined ? {} : { scope: { Teams: [teamid] } };
  const [keys, machines, types] = await Promise.all([
    question('ssh-keys/list'),
    question('instances/list', { selector: { ByStatus: { ...statuses, ...scope } } }),
    question('instance-types/list', { selector: 'All' }),
  ]);
  return [
    who,
    permissionShown(
      'SSH keys',
      keys,
      keys.status < 300,
      'use the personal API key of a user; keys of teams may not store any',
    ),
    permissionShown(
      teamid === undefined ? 'machines' : `machines of the team ${teamid}`,
      machines,
      machines.status < 300,
      teamid === undefined
        ? 'create an API key that may'
        : 'check that teamid is right and that the user of the token is in that team',
    ),
    unreported('permission', 'renting', 'CloudRift has no request that shows it: only a plan can show it'),
    ...freeIn(regions, types),
    unreported('quota', 'balance', 'check the console: rentals end when it is used up'),
  ];
};

function freeIn(regions: readonly string[], answer: CloudAnswer): readonly CheckFinding[] {
  const types = Types.safeParse(answer.json).data?.data.instance_types;
  if (types === undefined) return [quotaUnread('data centres', answer)];
  const variants = types.flatMap((type) => type.variants);
  return regions.map((region): CheckFinding => {
    const name = `data centre ${region}`;
    const here = variants.filter(({ nodes_per_dc }) => (nodes_per_dc?.[region] ?? 0) > 0);
    if (here.length === 0) {
      const message = `has no instance type: correct the region in the manifest; there are ${known(variants)}`;
      return { about: 'quota', name, ok: false, message };
    }
    const free = here.filter(({ available_nodes_per_dc }) => (available_nodes_per_dc?.[region] ?? 0) > 0);
    // A type that is in use now may be free later.
    return free.length === 0
      ? unreported('quota', name, 'nothing is free at the moment')
      : { about: 'quota', name, ok: true, message: `free now: ${free.map((one) => one.name).join(', ')}` };
  });
}

function known(variants: readonly Variant[]): string {
  return [...new Set(variants.flatMap(({ nodes_per_dc }) => Object.keys(nodes_per_dc ?? {})))].sort().join(', ');
}
