/** Fields of a cluster about how Kubernetes is set up: what sites without the internet, or with a network of their own, need. */
import { z } from 'zod';
import { cniNames } from '../../kubernetes-options.ts';
import { shown } from './names.ts';

/** `mirror.example:5000/team`: as in the name of an image, so without a scheme and without a user. */
const registryName = /^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?(\/[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?)*$/;
/** A directory, not a path: manifests must not reach other files of the runner. */
const directoryName = /^[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;

const Registry = z
  .string()
  .max(255)
  .regex(registryName, {
    error: (issue) =>
      `${shownAddress(issue.input)} is not the name of a registry; use its host with port and path, without "https://", such as "mirror.example:5000/team"`,
  });

const MirroredRegistry = z
  .string()
  .refine((registry) => registry === '*' || (registryName.test(registry) && !registry.includes('/')), {
    error: (issue) =>
      `${shownAddress(issue.input)} is not a registry; use its host, such as "docker.io", or "*" for all that are not named`,
  });

const Endpoint = z.string().refine(isEndpoint, {
  error: (issue) =>
    `${shownAddress(issue.input)} is not the address of a mirror; use an address such as "https://mirror.example:5000", without user and password, because a manifest is stored in plain text`,
});

const Mirror = z.strictObject({
  registry: MirroredRegistry.describe('Host of the registry, such as `docker.io`; `*` for all that are not named.'),
  endpoints: z
    .array(Endpoint)
    .min(1, { error: 'is empty; name at least one mirror' })
    .describe('Addresses of mirrors, tried in this order before the registry itself.'),
  skipTlsVerify: z.boolean().default(false).describe('Accept any certificate of this registry and its mirrors.'),
});

const Registries = z.strictObject({
  overwrite: Registry.optional().describe(
    'Registry that has all images of Kubernetes and of KubeOne; only the host of their names is replaced.',
  ),
  insecure: z.boolean().default(false).describe('Connect without TLS, or accept any certificate.'),
  mirrors: z.array(Mirror).default([]).describe('Mirrors that containerd tries before a registry.'),
});

const Addons = z.strictObject({
  path: z
    .string()
    .max(100)
    .regex(directoryName, {
      error: (issue) =>
        `${shown(issue.input)} is not the name of a directory; use one below templates/addons of the installation, without "/"`,
    })
    .describe(
      'Directory with add-ons of KubeOne, below `templates/addons` of the installation or in `KUBELOOM_ADDONS` of the runner ([air-gapped sites](nodes.md#sites-without-the-internet)).',
    ),
});

/** Fields of `KubernetesCluster`. */
export const kubernetesOptionFields = {
  cni: z
    .enum(cniNames)
    .optional()
    .describe(
      'Kubeloom: network of the pods, `cilium` by default; `external`: installed by your own add-on; `canal`: only of clusters that have it already. Cannot be changed later.',
    ),
  nodeLocalDNS: z
    .boolean()
    .optional()
    .describe('Kubeloom: a DNS cache on each node; yes by default. An installation stays when this is turned off.'),
  metricsServer: z
    .boolean()
    .optional()
    .describe('Kubeloom: metrics-server; yes by default. An installation stays when this is turned off.'),
  configureRepositories: z
    .boolean()
    .optional()
    .describe(
      'Kubeloom: KubeOne configures the package repositories of Kubernetes and containerd on nodes; yes by default. Without it, nodes must have repositories with these packages.',
    ),
  registries: Registries.optional().describe(
    'Kubeloom: where images come from. Existing nodes get changes with their next upgrade of Kubernetes.',
  ),
  addons: Addons.optional().describe('Kubeloom: documents that KubeOne applies to the cluster.'),
} as const;

/** Without user and password: faults must not repeat a secret. */
function shownAddress(input: unknown): string {
  return shown(typeof input === 'string' ? input.replace(/^(\w+:\/\/)?.*@/s, '$1***@') : input);
}

function isEndpoint(text: string): boolean {
  if (!/^https?:\/\/[^\s/]\S*$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
