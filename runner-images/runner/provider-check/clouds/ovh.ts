/** OVHcloud: the login, the project and its quotas. */
import { z } from 'zod';
import { AccessToken, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, form, mustAsk } from '../ask.ts';
import { type CheckOfType, identity, type LoginInput, quotaFinding, unreported } from '../finding.ts';

const OAuth = z.object({ access_token: AccessToken });

/** Each family of OVH has an API and a login of its own. */
const ovhHosts: Readonly<Record<string, readonly [login: string, api: string]>> = {
  'ovh-eu': ['https://www.ovh.com/auth/oauth2/token', 'https://eu.api.ovh.com/v1'],
  'ovh-ca': ['https://ca.ovh.com/auth/oauth2/token', 'https://ca.api.ovh.com/v1'],
  'ovh-us': ['https://us.ovhcloud.com/auth/oauth2/token', 'https://api.us.ovhcloud.com/v1'],
};
const OvhQuotas = z.array(
  z.object({ region: CloudWord, instance: z.object({ usedCores: z.number(), maxCores: z.number() }).optional() }),
);

/** The address of the project, and the headers of requests; undefined for an unknown endpoint. Throws `CheckRefused`. */
export async function logInToOvh({
  fields,
  bases,
}: LoginInput): Promise<
  { readonly servicename: string; readonly project: string; readonly headers: ReturnType<typeof bearer> } | undefined
> {
  const [login, api] = ovhHosts[fields.endpoint ?? 'ovh-eu'] ?? [];
  if (login === undefined || api === undefined) return undefined;
  const { clientid: client_id = '', clientsecret: client_secret = '', servicename = '' } = fields;
  const asked = form({ grant_type: 'client_credentials', client_id, client_secret, scope: 'all' });
  const { access_token } = OAuth.parse((await mustAsk('login', bases.login ?? login, asked)).json);
  const project = `${bases.api ?? api}/cloud/project/${encodeURIComponent(servicename)}`;
  return { servicename, project, headers: bearer(access_token) };
}

export const check: CheckOfType = async ({ fields, bases, regions }) => {
  const login = await logInToOvh({ fields, bases });
  if (login === undefined) return [unreported('identity', `endpoint ${fields.endpoint}`, 'has no check')];
  const { servicename, project, headers } = login;
  await mustAsk(`project ${servicename}`, project, { headers });
  const answer = await askCloud(`${project}/quota`, { headers });
  const quotas = OvhQuotas.safeParse(answer.body).data ?? [];
  return [
    identity(`project ${servicename}`, 'may be read'),
    ...quotas
      .filter(({ region }) => regions.length === 0 || regions.includes(region))
      .flatMap(({ region, instance }) =>
        instance === undefined ? [] : [quotaFinding(`cores in ${region}`, instance.usedCores, instance.maxCores)],
      ),
    unreported('permission', 'policies', 'OVHcloud has no request for each action: only a plan can show it'),
  ];
};
