/** Hetzner: a token is tried by reads, and by a write that is refused for its form before anything is created. */
import { z } from 'zod';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, json, mustAsk, permissionShown } from '../ask.ts';
import { type CheckOfType, identity, unreported } from '../finding.ts';

const Coded = z.object({ error: z.object({ code: CloudWord }) });
const Servers = z.object({ meta: z.object({ pagination: z.object({ total_entries: z.number() }) }) });

/** Hetzner refuses a read-only token with an error code of its own; with another token, an empty SSH key is refused for its form. */
export const check: CheckOfType = async ({ fields, bases }) => {
  const base = `${bases.api ?? 'https://api.hetzner.cloud'}/v1`;
  const headers = bearer(fields.credentials ?? '');
  const servers = await mustAsk('token', `${base}/servers?per_page=1`, { headers });
  const total = Servers.safeParse(servers.json).data?.meta.pagination.total_entries ?? 0;
  const written = await askCloud(`${base}/ssh_keys`, json({}, headers));
  const code = Coded.safeParse(written.json).data?.error.code;
  return [
    identity('project', `${total} servers`),
    permissionShown('API token: Read & Write', written, code === 'invalid_input', 'create a token that may write'),
    unreported('quota', 'limits', 'Hetzner has no request that shows them'),
  ];
};
