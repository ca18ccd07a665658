/** A kubeconfig of one's own, for some hours: the private key is made here, and only a request for a certificate is sent. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { questionLimitMs } from '#contracts/job.ts';
import { kubeconfigText } from '#documents/kubeconfig.ts';
import { signedRequest, unsignedRequest } from '#domain/certificates/client-request.ts';
import { type ClusterRole, clusterGroupOf, clusterUserOf } from '#domain/cluster-roles.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { accessOutcome, type Patience } from './access-request.ts';

export type IssuingApi = Pick<CliClient, 'whoAmI' | 'requestKubeconfig' | 'getIssuedKubeconfig'>;

export interface WantedKubeconfig extends ManifestName {
  /** Id of the cluster. */
  readonly cluster: string;
  /** As people call it. */
  readonly title: string;
  readonly role: ClusterRole;
  readonly seconds: number;
}

/** Its text, and when its certificate ends. Throws `CliError` when none is issued. */
export async function issueKubeconfig(
  api: IssuingApi,
  { title, role, seconds, ...place }: WantedKubeconfig,
  patience: Patience = { limitMs: 2 * questionLimitMs.certificate },
): Promise<{ readonly text: string; readonly until: Date }> {
  const { name: caller } = await api.whoAmI();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { user: clusterUserOf(caller), group: clusterGroupOf(role) };
  const unsigned = unsignedRequest(subject, publicKey.export({ format: 'der', type: 'spki' }));
  const request = signedRequest(unsigned, sign('sha256', unsigned, privateKey));
  const { id } = await api.requestKubeconfig(place, { role, seconds, request });
  const issued = await accessOutcome(
    () => api.getIssuedKubeconfig({ ...place, id }),
    (answer) => answer.issued,
    patience,
  );
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const { server, authority, certificate, until } = issued;
  const parts = { server, authority, certificate, key: Buffer.from(key).toString('base64') };
  return { text: kubeconfigText(`${title}-${role}`, parts), until: new Date(until) };
}
