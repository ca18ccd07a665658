/** Clouds whose tokens are tried by cheap requests: reads, and writes that are refused for their form before anything is created. */
import { z } from 'zod';
import { askCloud, bearer, form, json, mustAsk, permissionShown, quotaUnread } from './ask.ts';
import {
  type CheckFinding,
  type CheckOfType,
  identity,
  permissionFinding,
  quotaFinding,
  unknownRegions,
  unreported,
} from './finding.ts';

const Coded = z.object({ error: z.object({ code: z.string() }) });
const Servers = z.object({ meta: z.object({ pagination: z.object({ total_entries: z.number() }) }) });

/** Hetzner refuses a read-only token with an error code of its own; with another token, an empty SSH key is refused for its form. */
export const checkHetzner: CheckOfType = async ({ fields, bases }) => {
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

const Account = z.object({ account: z.object({ status: z.string(), droplet_limit: z.number() }) });
const missing = 'create a token with this scope';
const Droplets = z.object({ meta: z.object({ total: z.number() }) });

export const checkDigitalOcean: CheckOfType = async ({ fields, bases }) => {
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

const Verified = z.object({ result: z.object({ status: z.string() }) });
const Zones = z.object({
  result: z.array(z.object({ name: z.string(), permissions: z.array(z.string()).default([]) })),
});

export const checkCloudflare: CheckOfType = async ({ fields, bases }) => {
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

const Limits = z.object({ limits: z.object({ absolute: z.record(z.string(), z.number()) }) });
const Catalog = z.object({
  token: z.object({
    project: z.object({ name: z.string() }),
    roles: z.array(z.object({ name: z.string() })).default([]),
    catalog: z.array(
      z.object({
        type: z.string(),
        endpoints: z.array(z.object({ interface: z.string(), region: z.string().nullish(), url: z.string() })),
      }),
    ),
  }),
});

export const checkOpenStack: CheckOfType = async ({ fields, regions }) => {
  const { authurl = '', applicationcredentialid: id, applicationcredentialsecret: secret } = fields;
  const login = { identity: { methods: ['application_credential'], application_credential: { id, secret } } };
  const url = `${authurl.replace(/\/+$/, '')}/auth/tokens`;
  const answer = await mustAsk('application credential', url, json({ auth: login }));
  const { token } = Catalog.parse(answer.json);
  const headers = { 'x-auth-token': answer.headers.get('x-subject-token') ?? '' };
  const compute =
    token.catalog.find(({ type }) => type === 'compute')?.endpoints.filter((end) => end.interface === 'public') ?? [];
  const quotas = await Promise.all(
    compute
      .filter(({ region }) => regions.length === 0 || regions.includes(region ?? ''))
      .map(async ({ region, url: nova }) => {
        const answered = await askCloud(`${nova}/limits`, { headers });
        const found = Limits.safeParse(answered.json).data?.limits.absolute;
        if (found === undefined) return [quotaUnread(`compute in ${region}`, answered)];
        return (['Cores', 'Instances'] as const).flatMap((word) => {
          const [used, limit] = [found[`total${word}Used`], found[`maxTotal${word}`]];
          // Below zero: without limit.
          return used === undefined || limit === undefined || limit < 0
            ? []
            : [quotaFinding(`${word} in ${region}`, used, limit)];
        });
      }),
  );
  return [identity(token.project.name, `roles ${token.roles.map(({ name }) => name).join(', ')}`), ...quotas.flat()];
};

const OAuth = z.object({ access_token: z.string() });

const Locations = z.array(z.object({ code: z.string() }));
const Balance = z.object({ amount: z.number(), currency: z.string() });

export const checkVerda: CheckOfType = async ({ fields, bases, regions }) => {
  const base = (fields.baseurl ?? bases.api ?? 'https://api.verda.com/v1').replace(/\/+$/, '');
  const { clientid: client_id = '', clientsecret: client_secret = '' } = fields;
  const login = json({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token } = OAuth.parse((await mustAsk('login', `${base}/oauth2/token`, login)).json);
  const headers = bearer(access_token);
  await mustAsk('instances', `${base}/instances`, { headers });
  const locations = Locations.safeParse((await askCloud(`${base}/locations`, { headers })).body).data;
  const reported = await askCloud(`${base}/balance`, { headers });
  const balance = Balance.safeParse(reported.json).data;
  const left =
    balance === undefined ? quotaUnread('balance', reported) : balanceFinding(balance.amount, balance.currency);
  return [
    identity('client', 'may log in and list instances'),
    ...(locations === undefined
      ? []
      : unknownRegions(
          regions,
          locations.map(({ code }) => code),
        )),
    unreported('permission', 'cloud-api-v1', 'Verda has no request that shows it: only a plan can show it'),
    left,
  ];
};

/** Accounts that pay afterwards may have none. */
function balanceFinding(amount: number, currency: string): CheckFinding {
  const message = `is ${amount} ${currency}; nothing is created when it does not suffice`;
  return { about: 'quota', name: 'balance', ok: amount > 0 ? true : null, message };
}

/** Each family of OVH has an API and a login of its own. */
const ovhHosts: Readonly<Record<string, readonly [login: string, api: string]>> = {
  'ovh-eu': ['https://www.ovh.com/auth/oauth2/token', 'https://eu.api.ovh.com/v1'],
  'ovh-ca': ['https://ca.ovh.com/auth/oauth2/token', 'https://ca.api.ovh.com/v1'],
  'ovh-us': ['https://us.ovhcloud.com/auth/oauth2/token', 'https://api.us.ovhcloud.com/v1'],
};
const OvhQuotas = z.array(
  z.object({ region: z.string(), instance: z.object({ usedCores: z.number(), maxCores: z.number() }).optional() }),
);

export const checkOvh: CheckOfType = async ({ fields, bases, regions }) => {
  const [login, api] = ovhHosts[fields.endpoint ?? 'ovh-eu'] ?? [];
  if (login === undefined || api === undefined)
    return [unreported('identity', `endpoint ${fields.endpoint}`, 'has no check')];
  const { clientid: client_id = '', clientsecret: client_secret = '', servicename = '' } = fields;
  const asked = form({ grant_type: 'client_credentials', client_id, client_secret, scope: 'all' });
  const { access_token } = OAuth.parse((await mustAsk('login', bases.login ?? login, asked)).json);
  const project = `${bases.api ?? api}/cloud/project/${encodeURIComponent(servicename)}`;
  const headers = bearer(access_token);
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
