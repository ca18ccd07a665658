/** The clouds whose machines are listed: honest answers by request, and what a login to each needs. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import type { ListInput } from '#runner/listing/listing.ts';

export const cluster = 'shop-1234567';
const tags = { 'kubeloom-cluster': cluster };
const uuid = '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61';
const name = `${cluster}-web-01`;

export interface CloudRow {
  readonly type: string;
  readonly readers: readonly string[];
  /** By `GET /path`: JSON, or XML as text. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly input: (url: string) => Pick<ListInput, 'fields' | 'bases' | 'regions'>;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'der' },
});
const keyfingerprint = createHash('md5')
  .update(publicKey)
  .digest('hex')
  .replaceAll(/(..)(?=.)/g, '$1:');
const readersOf = (type: string, login = true): readonly string[] => [
  `runner-images/runner/listing/clouds/${type}.ts`,
  ...(login ? [`runner-images/runner/provider-check/clouds/${type}.ts`] : []),
];

export const cloudRows: readonly CloudRow[] = [
  {
    type: 'hetzner',
    readers: readersOf('hetzner', false),
    answers: {
      'GET /v1/servers': { servers: [{ id: 1, name }], meta: { pagination: { next_page: null } } },
      'GET /v1/volumes': { volumes: [{ id: 2, name }] },
      'GET /v1/firewalls': { firewalls: [] },
      'GET /v1/ssh_keys': { ssh_keys: [{ id: 3, name }] },
    },
    input: (api) => ({ fields: { credentials: 'a1'.repeat(32) }, regions: [], bases: { api } }),
  },
  {
    type: 'digitalocean',
    readers: readersOf('digitalocean', false),
    answers: {
      'GET /v2/droplets': { droplets: [{ id: 1, name, tags: [`kubeloom-cluster:${cluster}`] }], links: { pages: {} } },
      'GET /v2/volumes': { volumes: [{ id: uuid, name, tags: [`kubeloom-cluster:${cluster}`] }] },
    },
    input: (api) => ({ fields: { token: `dop_v1_${'a1'.repeat(32)}` }, regions: [], bases: { api } }),
  },
  {
    type: 'exoscale',
    readers: readersOf('exoscale', false),
    answers: {
      'GET /v2/instance': { instances: [{ id: uuid, name, labels: tags }] },
      'GET /v2/block-storage': { 'block-storage-volumes': [{ id: uuid, name, labels: tags }] },
    },
    input: (api) => ({
      fields: { apikey: 'EXO1', apisecret: 'planted-token' },
      regions: ['ch-gva-2'],
      bases: { api },
    }),
  },
  {
    type: 'ovh',
    readers: readersOf('ovh'),
    answers: {
      'POST /token': { access_token: 'planted-token' },
      'GET /v1/cloud/project/p1/instance': [{ id: uuid, name, status: 'ACTIVE' }],
      'GET /v1/cloud/project/p1/volume': [{ id: uuid, name, status: 'in-use' }],
    },
    input: (url) => ({
      fields: { endpoint: 'ovh-eu', clientid: 'c', clientsecret: 'planted-token', servicename: 'p1' },
      regions: [],
      bases: { login: `${url}/token`, api: `${url}/v1` },
    }),
  },
  {
    type: 'verda',
    readers: readersOf('verda'),
    answers: {
      'POST /v1/oauth2/token': { access_token: 'planted-token' },
      'GET /v1/instances': [{ id: uuid, hostname: name, description: `kubeloom ${cluster} web`, status: 'running' }],
      'GET /v1/volumes': [{ id: uuid, name, status: 'attached' }],
    },
    input: (url) => ({
      fields: { clientid: 'c', clientsecret: 'planted-token' },
      regions: [],
      bases: { api: `${url}/v1` },
    }),
  },
  {
    type: 'azure',
    readers: readersOf('azure'),
    answers: {
      'POST /t/oauth2/v2.0/token': { access_token: 'planted-token' },
      'GET /subscriptions/s/providers/Microsoft.Compute/virtualMachines': {
        value: [{ id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/m', name, tags }],
      },
      'GET /subscriptions/s/providers/Microsoft.Compute/disks': { value: [] },
      'GET /subscriptions/s/providers/Microsoft.Network/publicIPAddresses': { value: [], nextLink: null },
    },
    input: (url) => ({
      fields: { tenantid: 't', clientid: 'c', clientsecret: 'planted-token', subscriptionid: 's' },
      regions: [],
      bases: { login: url, management: url },
    }),
  },
  {
    type: 'gcp',
    readers: readersOf('gcp'),
    answers: {
      'POST /token': { access_token: 'planted-token' },
      'GET /compute/v1/projects/p/aggregated/instances': {
        items: { 'zones/europe-west1-b': { instances: [{ id: '123', name, labels: tags }] } },
      },
      'GET /compute/v1/projects/p/aggregated/disks': { items: { global: { warning: { code: 'NO_RESULTS_ON_PAGE' } } } },
      'GET /compute/v1/projects/p/aggregated/addresses': {},
    },
    input: (url) => ({
      fields: {
        gcpproject: 'p',
        credentials: JSON.stringify({ client_email: 'x@p.iam.gserviceaccount.com', private_key: privateKey }),
      },
      regions: [],
      bases: { oauth2: `${url}/token`, compute: url, cloudresourcemanager: url },
    }),
  },
  {
    type: 'openstack',
    readers: readersOf('openstack'),
    answers: {
      'POST /v3/auth/tokens': {
        token: {
          project: { name: 'p' },
          catalog: [{ type: 'compute', endpoints: [{ interface: 'public', region: 'one', url: 'URL/nova' }] }],
        },
      },
      'GET /nova/servers/detail': { servers: [{ id: uuid, name, metadata: tags }] },
    },
    headers: { 'x-subject-token': 'planted-token' },
    input: (url) => ({
      fields: {
        authurl: `${url}/v3`,
        applicationcredentialid: 'id',
        applicationcredentialsecret: 'planted-token',
        domainid: 'd',
        projectid: 'p',
      },
      regions: ['one'],
      bases: {},
    }),
  },
  {
    type: 'oci',
    readers: readersOf('oci'),
    answers: {
      'GET /20160918/instances': [
        { id: 'ocid1.instance.oc1.eu.a', displayName: name, lifecycleState: 'RUNNING', freeformTags: tags },
      ],
      'GET /20160918/volumes': [],
    },
    input: (url) => ({
      fields: {
        tenancyocid: 'ocid1.tenancy.oc1..t',
        userocid: 'ocid1.user.oc1..u',
        compartmentocid: 'ocid1.compartment.oc1..c',
        keyfingerprint,
        privatekey: privateKey,
      },
      regions: ['eu-frankfurt-1'],
      bases: { iaas: url, identity: url, limits: url },
    }),
  },
];

/** EC2 answers XML to each action at one address. */
export const awsAnswer = (action: string, { id = 'i-0123456789abcdef0', named = name, next = '' } = {}): string =>
  action === 'DescribeInstances'
    ? `<${action}Response><reservationSet><item><instancesSet><item><instanceId>${id}</instanceId><tagSet><item><key>Name</key><value>${named}</value></item></tagSet></item></instancesSet></item></reservationSet><nextToken>${next}</nextToken></${action}Response>`
    : `<${action}Response></${action}Response>`;
