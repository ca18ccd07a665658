/** What people ask of a runner to get into a cluster. Only public halves of keys cross the store; the private ones never leave who asks. */
import { z } from 'zod';
import { accessSeconds, clusterRoles } from '#domain/cluster-roles.ts';
import { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { KubeconfigParts } from '#domain/observed/kubeconfig.ts';

const seconds = z
  .int()
  .min(accessSeconds.least)
  .max(accessSeconds.most)
  .default(accessSeconds.usual)
  .describe('how long it is valid');

/** Body of a request for a kubeconfig of one's own. */
export const KubeconfigRequest = z
  .strictObject({
    role: z.enum(clusterRoles).default('view').describe('what the user may do in the cluster'),
    seconds,
    request: z
      .string()
      .max(10_000)
      .describe('PKCS #10, PEM; its subject is `O=kubeloom:<role>, CN=kubeloom:<name as in whoami>`'),
  })
  .meta({ id: 'KubeconfigRequest' });
export type KubeconfigRequest = z.infer<typeof KubeconfigRequest>;

/** A client certificate that the cluster is to sign: the question to the runner. */
export const CertificateRequest = KubeconfigRequest.extend({
  namespace: z.string(),
  manifest: z.string(),
  /** Id of the cluster. */
  cluster: z.string(),
  /** As people call it. */
  clusterName: z.string(),
  kubeconfigKey: z.string(),
  /** What exists of the cluster, then what a waypoint in progress leads to. */
  states: z.array(ClusterState).min(1),
  facts: ClusterFacts,
  /** `ann from 203.0.113.7` */
  caller: z.string(),
});
export type CertificateRequest = z.infer<typeof CertificateRequest>;

/** What a kubeconfig consists of, apart from the private key. */
export const IssuedCertificate = z
  .strictObject({
    server: KubeconfigParts.shape.server.describe('address of the API'),
    authority: KubeconfigParts.shape.authority.describe('CA certificates of the API, PEM in base64'),
    certificate: KubeconfigParts.shape.certificate.describe('the client certificate, PEM in base64'),
    until: z.string().describe('when it ends; the cluster may give less time than requested'),
  })
  .meta({ id: 'IssuedCertificate' });
export type IssuedCertificate = z.infer<typeof IssuedCertificate>;

/** Body of a request for SSH access to nodes. */
export const SshRequest = z
  .strictObject({
    publicKey: z
      .string()
      .max(2000)
      .regex(
        /^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh[.]com) [A-Za-z0-9+/]+={0,3}( [^\n"]*)?\n?$/,
        'must be one line as in a .pub file of OpenSSH',
      )
      .describe('as in a `.pub` file; the private half stays with you'),
    seconds,
    target: z
      .string()
      .max(100)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a node or node pool')
      .optional()
      .describe('a node or a node pool; absent: all nodes that Kubeloom created'),
  })
  .meta({ id: 'SshRequest' });

/** The question to the runner. */
export const SshQuestion = SshRequest.pick({ publicKey: true, seconds: true }).extend({
  namespace: z.string(),
  manifest: z.string(),
  /** Id of the cluster. */
  cluster: z.string(),
  /** Names of the nodes. */
  nodes: z.array(z.string()),
  current: ClusterState,
  facts: ClusterFacts,
  caller: z.string(),
});
export type SshQuestion = z.infer<typeof SshQuestion>;

export const OpenedNodes = z
  .strictObject({
    until: z.string().describe('when the nodes refuse the key again'),
    nodes: z.array(
      z.strictObject({
        name: z.string(),
        address: z.string(),
        port: z.int(),
        user: z.string(),
        problem: z.string().nullable().describe('why this node could not be opened'),
      }),
    ),
  })
  .meta({ id: 'OpenedNodes' });
export type OpenedNodes = z.infer<typeof OpenedNodes>;
