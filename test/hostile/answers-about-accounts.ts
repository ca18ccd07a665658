/** What clouds answer honestly about an account, its permissions and quotas, by request. */
import { cloudRows } from './answers-of-clouds.ts';

interface AccountRow {
  readonly type: string;
  /** By `GET /path`. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly input: (url: string) => {
    readonly fields: Readonly<Record<string, string>>;
    readonly bases: Readonly<Record<string, string>>;
    readonly regions: readonly string[];
    readonly permissions?: readonly string[];
  };
}

/** Login and fields as for its lists; those answers that a login needs. */
function of(type: string, answers: AccountRow['answers'], change: object = {}): AccountRow {
  const row = cloudRows.find((one) => one.type === type);
  if (row === undefined) throw new Error(`no lists of ${type}`);
  const logins = Object.fromEntries(Object.entries(row.answers).filter(([route]) => route.startsWith('POST')));
  return {
    type,
    answers: { ...logins, ...answers },
    ...(row.headers && { headers: row.headers }),
    input: (url) => ({ ...row.input(url), ...change }),
  };
}

const uuid = '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61';

export const accountRows: readonly AccountRow[] = [
  of('hetzner', {
    'GET /v1/servers': { meta: { pagination: { total_entries: 3 } } },
    'POST /v1/ssh_keys': { error: { code: 'invalid_input' } },
  }),
  of('digitalocean', {
    'GET /v2/account': { account: { status: 'active', droplet_limit: 25 } },
    'GET /v2/droplets': { meta: { total: 3 } },
  }),
  of('exoscale', {
    'GET /v2/instance': {},
    'GET /v2/zone': { zones: [{ name: 'ch-gva-2' }] },
    'GET /v2/api-key/EXO1': { name: 'ci', 'role-id': uuid },
    [`GET /v2/iam-role/${uuid}`]: {
      name: 'nodes',
      policy: {
        'default-service-strategy': 'deny',
        services: { compute: { type: 'rules', rules: [{ action: 'allow', expression: 'true' }] } },
      },
    },
    'GET /v2/quota': { quotas: [{ resource: 'instance', usage: 1, limit: 20 }] },
  }),
  of('ovh', {
    'GET /v1/cloud/project/p1': {},
    'GET /v1/cloud/project/p1/quota': [{ region: 'GRA', instance: { usedCores: 1, maxCores: 20 } }],
  }),
  of(
    'verda',
    {
      'GET /v1/instances': [],
      'GET /v1/locations': [{ code: 'FIN-01' }],
      'GET /v1/balance': { amount: 10, currency: 'usd' },
    },
    { regions: ['FIN-02'] },
  ),
  of(
    'azure',
    {
      'GET /subscriptions/s': { displayName: 'pay as you go', state: 'Enabled' },
      'GET /subscriptions/s/providers/Microsoft.Authorization/permissions': {
        value: [{ actions: ['Microsoft.Compute/*/read'], notActions: ['*/delete'] }],
      },
      'GET /subscriptions/s/providers/Microsoft.Compute/locations/westeurope/usages': {
        value: [{ currentValue: 1, limit: 10, name: { value: 'cores', localizedValue: 'Total vCPUs' } }],
      },
    },
    { regions: ['westeurope'], permissions: ['Microsoft.Compute/disks/read'] },
  ),
  of(
    'gcp',
    {
      'POST /v3/projects/p:testIamPermissions': { permissions: ['compute.instances.list'] },
      'GET /compute/v1/projects/p/regions/europe-west1': { quotas: [{ metric: 'CPUS', limit: 24, usage: 3 }] },
    },
    { regions: ['europe-west1'], permissions: ['compute.instances.list'] },
  ),
  of('openstack', { 'GET /nova/limits': { limits: { absolute: { totalCoresUsed: 1, maxTotalCores: 20 } } } }),
  of('oci', {
    'GET /20160918/compartments/ocid1.compartment.oc1..c': { name: 'shop', lifecycleState: 'ACTIVE' },
    'GET /20160918/availabilityDomains': [{ name: 'Uocm:FRA-AD-1' }],
    'GET /20190729/services/block-storage/limits/total-storage-gb/resourceAvailability': { used: 1, available: 9 },
    'GET /20190729/services/vcn/limits/vcn-count/resourceAvailability': { used: 1, available: 9 },
    'GET /20190729/limitValues': [{ name: 'standard-e4-core-count', value: 10 }],
  }),
  {
    type: 'cloudflare',
    answers: {
      'GET /client/v4/user/tokens/verify': { result: { status: 'active' } },
      'GET /client/v4/zones': { result: [{ name: 'example.org', permissions: ['#dns_records:edit'] }] },
    },
    input: (api) => ({ fields: { apitoken: 'planted-token', accountid: 'a' }, bases: { api }, regions: [] }),
  },
  {
    type: 'cloudrift',
    answers: {
      'POST /api/v1/auth/me': { data: { email: 'ops@example.org' } },
      'POST /api/v1/ssh-keys/list': {},
      'POST /api/v1/instances/list': {},
      'POST /api/v1/instance-types/list': {
        data: {
          instance_types: [
            { variants: [{ name: 'rtx49', nodes_per_dc: { 'us-east': 3 }, available_nodes_per_dc: { 'us-east': 1 } }] },
          ],
        },
      },
    },
    input: (api) => ({ fields: { token: 'planted-token' }, bases: { api }, regions: ['us-west'] }),
  },
];
