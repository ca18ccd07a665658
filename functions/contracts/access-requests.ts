/** What people ask of a runner to get into a cluster. Only public halves of keys cross the store; the private ones never leave who asks. */
import { z } from 'zod';
import { accessSeconds, clusterRoles } from '#domain/cluster-roles.ts';

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
  /** `ann from 203.0.113.7` */
  caller: z.string(),
});
export type CertificateRequest = z.infer<typeof CertificateRequest>;

/** What a kubeconfig consists of, apart from the private key. */
export const IssuedCertificate = z
  .strictObject({
    server: z.string().describe('address of the API'),
    authority: z.string().describe('certificates that the API is trusted by, PEM in base64'),
    certificate: z.string().describe('the client certificate, PEM in base64'),
    until: z.string().describe('when it ends; the cluster may give less time than was asked for'),
  })
  .meta({ id: 'IssuedCertificate' });
export type IssuedCertificate = z.infer<typeof IssuedCertificate>;
