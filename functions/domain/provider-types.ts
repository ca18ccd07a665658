/** The ONE table of provider types: what each can do and which fields its Secret holds. */
import { isMap, parseJson } from './json.ts';

/** One field of a provider's Secret. `accepts` checks the trimmed value; `format` describes valid values. */
export interface SecretField {
  readonly name: string;
  readonly required: boolean;
  readonly format: string;
  readonly accepts: (value: string) => boolean;
}

export interface ProviderTypeFacts {
  /** Name for people. */
  readonly title: string;
  /** Creates machines. */
  readonly nodes: boolean;
  /** Serves DNS zones for load balancers. */
  readonly dns: boolean;
  readonly gpu: boolean;
  /** A GPU pool must name its accelerator type. */
  readonly gpuTypeNeeded: boolean;
  readonly spot: boolean;
  /** A network lies in one region; false: region is only a word. */
  readonly regional: boolean;
  /** Pools must name the external network they hang on. */
  readonly externalNetworkNeeded: boolean;
  /** Nodes are installed through the proxy unless the manifest says otherwise: registries refuse many of its addresses. @default false */
  readonly proxied?: boolean;
  /** Its modules change the server type of a machine in place: it restarts, and keeps disks and addresses. @default false */
  readonly resizes?: boolean;
  /** Its spot machines cannot be stopped, so their server type cannot be changed. @default false */
  readonly spotRunsOnce?: boolean;
  /** Its modules make data disks larger while machines use them. @default false */
  readonly growsDisks?: boolean;
  /**
   * What a runner does itself with what has the tags or the names of a cluster: `list` needs a file in `listing/clouds` of the runner, `delete`
   * (machines are stopped and deleted, too) one in `listing/machines`, and tags: a name is not enough to act on.
   * @default nothing, unless the folder of its modules has hooks
   */
  readonly strays?: 'list' | 'delete';
  /** Its machines are on the machine that Kubeloom runs on: they cost nothing. @default false */
  readonly free?: boolean;
  /** Prices of its machines are with the public address of each. @default false */
  readonly pricedWithAddress?: boolean;
  /** Empty: the type knows no `secretRef`. */
  readonly secret: readonly SecretField[];
  /** Works without a `secretRef`, too. @default false */
  readonly secretOptional?: boolean;
  /** Fields of the ways to log in without a key of the cloud; a Secret holds the fields of exactly one way. */
  readonly keyless?: readonly (readonly SecretField[])[];
}

const filled = (name: string): SecretField => ({
  name,
  required: true,
  format: 'any text that is not empty',
  accepts: (value) => value.length > 0,
});
const matching = (name: string, format: string, pattern: RegExp): SecretField => ({
  name,
  required: true,
  format,
  accepts: (value) => pattern.test(value),
});
const url = (name: string): SecretField => ({
  name,
  required: true,
  format: 'an http or https URL',
  accepts: (value) => URL.canParse(value) && /^https?:/.test(value),
});
const optional = (field: SecretField): SecretField => ({ ...field, required: false });

const cloud = {
  nodes: true,
  dns: true,
  gpu: true,
  gpuTypeNeeded: false,
  spot: false,
  regional: true,
  externalNetworkNeeded: false,
} as const;

export const providerTypes = {
  aws: {
    ...cloud,
    title: 'AWS',
    strays: 'delete',
    resizes: true,
    growsDisks: true,
    spot: true,
    spotRunsOnce: true,
    secret: [
      matching('accesskey', '20 letters and digits', /^[A-Za-z0-9]{20}$/),
      matching('secretkey', '40 characters', /^\S{40}$/),
    ],
    keyless: [
      [
        matching('rolearn', 'the ARN of an IAM role', /^arn:aws[a-z-]*:iam::\d{12}:role\/\S+$/),
        optional(
          matching('externalid', '`<installation>/<namespace>`, which is sent anyway', /^[\w+=,.@:/-]{2,1224}$/),
        ),
      ],
    ],
  },
  azure: {
    ...cloud,
    title: 'Azure',
    strays: 'delete',
    resizes: true,
    spot: true,
    secret: [filled('subscriptionid'), filled('tenantid'), filled('clientid'), filled('clientsecret')],
    keyless: [[filled('subscriptionid'), filled('tenantid'), filled('clientid')]],
  },
  gcp: {
    ...cloud,
    title: 'Google Cloud',
    strays: 'delete',
    gpuTypeNeeded: true,
    spot: true,
    secret: [
      { name: 'credentials', required: true, format: 'the JSON of a service account key', accepts: isJsonObject },
      filled('gcpproject'),
    ],
    keyless: [
      [
        matching(
          'workloadidentityprovider',
          'projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>',
          /^(\/\/iam\.googleapis\.com\/)?projects\/\d+\/locations\/global\/workloadIdentityPools\/[^/\s]+\/providers\/[^/\s]+$/,
        ),
        matching('serviceaccount', 'the e-mail address of a service account', /^[^@\s]+@[^@\s]+$/),
        filled('gcpproject'),
      ],
    ],
  },
  oci: {
    ...cloud,
    title: 'Oracle Cloud',
    strays: 'delete',
    spot: true,
    secret: [
      filled('privatekey'),
      filled('keyfingerprint'),
      filled('tenancyocid'),
      filled('userocid'),
      filled('compartmentocid'),
    ],
  },
  hetzner: {
    ...cloud,
    title: 'Hetzner Cloud',
    strays: 'delete',
    resizes: true,
    growsDisks: true,
    proxied: true,
    pricedWithAddress: true,
    secret: [matching('credentials', '64 letters and digits', /^[A-Za-z0-9]{64}$/)],
  },
  ovh: {
    ...cloud,
    title: 'OVHcloud',
    strays: 'list',
    secret: [
      filled('clientid'),
      filled('clientsecret'),
      filled('servicename'),
      optional(
        matching(
          'endpoint',
          'ovh-eu, ovh-us, ovh-ca, kimsufi-eu, kimsufi-ca, soyoustart-eu or soyoustart-ca',
          /^(ovh-(eu|us|ca)|(kimsufi|soyoustart)-(eu|ca))$/,
        ),
      ),
    ],
  },
  openstack: {
    ...cloud,
    title: 'OpenStack',
    strays: 'delete',
    dns: false,
    externalNetworkNeeded: true,
    secret: [
      url('authurl'),
      filled('domainid'),
      filled('projectid'),
      filled('applicationcredentialid'),
      filled('applicationcredentialsecret'),
    ],
  },
  exoscale: {
    ...cloud,
    title: 'Exoscale',
    strays: 'delete',
    secret: [filled('apikey'), filled('apisecret')],
  },
  cloudrift: { ...cloud, title: 'CloudRift', dns: false, secret: [filled('token'), optional(filled('teamid'))] },
  verda: {
    ...cloud,
    title: 'Verda',
    strays: 'list',
    dns: false,
    spot: true,
    secret: [filled('clientid'), filled('clientsecret'), optional(url('baseurl'))],
  },
  cloudflare: {
    ...cloud,
    title: 'Cloudflare',
    nodes: false,
    gpu: false,
    regional: false,
    secret: [
      filled('apitoken'),
      filled('accountid'),
      optional(matching('loadbalancing', 'true when the account has Load Balancing, else false', /^(true|false)$/)),
    ],
  },
  digitalocean: {
    ...cloud,
    title: 'DigitalOcean',
    strays: 'delete',
    resizes: true,
    growsDisks: true,
    secret: [matching('token', '64 hexadecimal digits, with dop_v1_ before them', /^(do[oprt]_v1_)?[0-9a-f]{64}$/)],
  },
  /** Real Linux hosts on the machine Kubeloom itself runs on; a load balancer's endpoint is an address. */
  local: {
    ...cloud,
    title: 'The local provider',
    free: true,
    resizes: true,
    gpu: false,
    regional: false,
    secretOptional: true,
    secret: [
      matching(
        'account',
        'the name of an account: letters, digits, ".", "_", "-"',
        /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/,
      ),
      matching('password', '8 to 128 letters, digits and signs, no spaces', /^[!-~]{8,128}$/),
    ],
  },
  /** Nothing real: for trying things out and for tests. */
  sim: { ...cloud, title: 'The simulation', resizes: true, growsDisks: true, spot: true, regional: false, secret: [] },
} as const satisfies Record<string, ProviderTypeFacts>;

export type ProviderTypeName = keyof typeof providerTypes;

export const providerTypeNames = Object.keys(providerTypes) as ProviderTypeName[];

/** True when `type` is a key of the table. */
export function isProviderType(type: string): type is ProviderTypeName {
  return Object.hasOwn(providerTypes, type);
}

/** The facts of a type; undefined for one that does not exist. */
export function providerTypeFacts(type: string): ProviderTypeFacts | undefined {
  return isProviderType(type) ? providerTypes[type] : undefined;
}

/** The types for which `accepts` holds, as words for people: "aws, azure, gcp". */
export function providerTypesThat(accepts: (facts: ProviderTypeFacts) => boolean): string {
  return providerTypeNames.filter((name) => accepts(providerTypes[name])).join(', ');
}

function isJsonObject(text: string): boolean {
  return isMap(parseJson(text));
}
