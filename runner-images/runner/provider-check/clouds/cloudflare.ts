/** Cloudflare: the token, and the zones that it may edit. */
import { z } from 'zod';
import { CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, mustAsk, permissionShown } from '../ask.ts';
import { type CheckOfType, identity, permissionFinding } from '../finding.ts';

const Verified = z.object({ result: z.object({ status: CloudWord }) });
const Zones = z.object({
  result: z.array(z.object({ name: CloudName, permissions: z.array(CloudName).default([]) })),
});

export const check: CheckOfType = async ({ fields, bases }) => {
  const base = `${bases.api ?? 'https://api.cloudflare.com'}/client/v4`;
  const headers = bearer(fields.apitoken ?? '');
  const verified = await mustAsk('token', `${base}/user/tokens/verify`, { headers });
  const { status } = Verified.parse(verified.json).result;
  const account = encodeURIComponent(fields.accountid ?? '');
  const listed = await askCloud(`${base}/zones?account.id=${account}&per_page=50`, { headers });
  const zones = Zones.safeParse(listed.json).data?.result ?? [];
  const hint = 'no zone of the account is visible; grant it for the zones of the manifest, and check accountid';
  const found = permissionShown('Zone: Zone: Read', listed, zones.length > 0, hint);
  return [
    { ...identity('token', `is ${status}`), ok: status === 'active' },
    found.ok === true ? { ...found, message: `zones ${zones.map(({ name }) => name).join(', ')}` } : found,
    ...zones.map(({ name, permissions }) =>
      permissionFinding(`Zone: DNS: Edit of ${name}`, permissions.includes('#dns_records:edit')),
    ),
  ];
};
