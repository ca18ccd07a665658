/** DigitalOcean: the scopes of a token are tried by reads, and by a write that is refused for its form. */
import { z } from 'zod';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, json, mustAsk, permissionShown } from '../ask.ts';
import { type CheckOfType, identity, quotaFinding } from '../finding.ts';

const Account = z.object({ account: z.object({ status: CloudWord, droplet_limit: z.number() }) });
const missing = 'create a token with this scope';
const Droplets = z.object({ meta: z.object({ total: z.number() }) });

export const check: CheckOfType = async ({ fields, bases }) => {
  const base = `${bases.api ?? 'https://api.digitalocean.com'}/v2`;
  const headers = bearer(fields.token ?? '');
  const { account } = Account.parse((await mustAsk('token', `${base}/account`, { headers })).json);
  const droplets = await askCloud(`${base}/droplets?per_page=1`, { headers });
  const used = Droplets.safeParse(droplets.json).data?.meta.total;
  // A droplet without name and other fields is refused for its form (422), after the check of the token's scopes.
  const written = await askCloud(`${base}/droplets`, json({}, headers));
  return [
    { ...identity('account', `is ${account.status}`), ok: account.status === 'active' },
    permissionShown('droplet:read', droplets, used !== undefined, missing),
    permissionShown('droplet:create', written, written.status === 422, missing),
    ...(used === undefined ? [] : [quotaFinding('droplets', used, account.droplet_limit)]),
  ];
};
