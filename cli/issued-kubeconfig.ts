/** A kubeconfig of one's own, for some hours: the private key is made here, and only a request for a certificate is sent. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { IssuedCertificate } from '#contracts/access-requests.ts';
import type { IssuedKubeconfig } from '#contracts/http-documents.ts';
import { questionLimitMs } from '#contracts/job.ts';
import { signedRequest, unsignedRequest } from '#domain/certificate-request.ts';
import { accessSeconds, type ClusterRole, clusterGroupOf, clusterUserOf } from '#domain/cluster-roles.ts';
import type { ApiClient, ManifestName } from './api-client.ts';
import { CliError, exitCodes } from './exit-codes.ts';

export type IssuingApi = Pick<ApiClient, 'whoAmI' | 'requestKubeconfig' | 'getIssuedKubeconfig'>;

export interface WantedKubeconfig extends ManifestName {
  /** Id of the cluster. */
  readonly cluster: string;
  /** As people call it. */
  readonly title: string;
  readonly role: ClusterRole;
  readonly seconds: number;
}

export interface Patience {
  /** @default 1000 */
  readonly pollMs?: number;
  /** @default twice what a request may take: builds wait for their turn */
  readonly limitMs?: number;
}

/** Its text, and when its certificate ends. Throws `CliError` when none is issued. */
export async function issueKubeconfig(
  api: IssuingApi,
  { title, role, seconds, ...place }: WantedKubeconfig,
  patience: Patience = {},
): Promise<{ readonly text: string; readonly until: Date }> {
  const { name: caller } = await api.whoAmI();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { user: clusterUserOf(caller), group: clusterGroupOf(role) };
  const unsigned = unsignedRequest(subject, publicKey.export({ format: 'der', type: 'spki' }));
  const request = signedRequest(unsigned, sign('sha256', unsigned, privateKey));
  const { id } = await api.requestKubeconfig(place, { role, seconds, request });
  const issued = await outcome(api, { ...place, id }, patience);
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { text: kubeconfigOf(issued, { name: `${title}-${role}`, key }), until: new Date(issued.until) };
}

/** `90m`, `8h`, `1h30m`. Throws `CliError` for what is none, or too short or too long. */
export function secondsOf(ttl: string): number {
  const [whole, hours = 0, minutes = 0] = /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?$/.exec(ttl) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  if (whole && seconds >= accessSeconds.least && seconds <= accessSeconds.most) return seconds;
  throw new CliError(`--ttl is a time from 10m to 24h, such as 90m or 8h, not "${ttl}"`, exitCodes.usage);
}

async function outcome(
  api: IssuingApi,
  place: ManifestName & { readonly cluster: string; readonly id: string },
  { pollMs = 1000, limitMs = 2 * questionLimitMs.certificate }: Patience,
): Promise<IssuedCertificate> {
  const started = Date.now();
  for (;;) {
    const found = await api.getIssuedKubeconfig(place);
    const waited = Date.now() - started;
    if (found.issued) return found.issued;
    if (found.status !== 'running' || waited > limitMs) throw new CliError(whyNot(found), exitCodes.fault);
    // A short interval at first: quick answers are not delayed by polling.
    await sleep(waited < 3000 ? Math.min(pollMs, 100) : pollMs);
  }
}

function whyNot({ id, status, problem, build }: IssuedKubeconfig): string {
  if (problem !== null) return problem;
  return status === 'running'
    ? `request ${id} has not ended yet: build ${build} still runs or waits for its turn`
    : `request ${id} ended without a result; the log of build ${build} says why`;
}

function kubeconfigOf(
  { server, authority, certificate }: IssuedCertificate,
  { name, key }: { readonly name: string; readonly key: string },
): string {
  const user = { 'client-certificate-data': certificate, 'client-key-data': Buffer.from(key).toString('base64') };
  return stringify({
    ...{ apiVersion: 'v1', kind: 'Config' },
    clusters: [{ name, cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
