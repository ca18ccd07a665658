/** A client certificate for a person: the cluster signs it for the key that the person has made and keeps. */
import { createHash, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { CertificateRequest, IssuedCertificate } from '#contracts/access-requests.ts';
import { canonicalCertificates } from '#documents/pem.ts';
import { clusterGroupOf, clusterRoleTable } from '#domain/cluster-roles.ts';
import { closedText, observedWords } from '#domain/observed/closed-texts.ts';
import { ObservedConditionType } from '#domain/observed/kubernetes-texts.ts';
import type { AnswerContext } from '../answer-question.ts';
import { placeKubeconfig } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import { reportAccess } from './report-access.ts';

/** Signing takes the controller manager well below a second. */
const tries = 120;
const betweenMs = 500;

export const SignedRequest = z.object({
  status: z
    .object({
      certificate: closedText(100_000, /^[A-Za-z0-9+/]+={0,2}$/).optional(),
      conditions: z
        .array(z.object({ type: ObservedConditionType, message: observedWords(500).default('') }))
        .default([]),
    })
    .prefault({}),
});

/** Throws `StageFailure`, also when it cannot be reported that it was issued. */
export async function issueCertificate(
  question: CertificateRequest,
  context: AnswerContext,
): Promise<IssuedCertificate> {
  const { ports } = context;
  const text = await ports.artifacts.getText(question.kubeconfigKey);
  if (text === undefined) throw withoutKubeconfig(question);
  const { file, parts } = await placeKubeconfig(context, text, question);
  const certificate = canonicalCertificates(await signed(new Kubectl(context, file), question)) ?? '';
  const until = endOf(certificate, question.request);
  const what = `kubeconfig of ${question.clusterName} with the role ${question.role}, valid until ${until}, issued`;
  await reportAccess(context, question, `${what} for ${question.caller}`);
  return { server: parts.server, authority: parts.authority, certificate, until };
}

/** ISO 8601. Throws for what is not a certificate for the key of the request: its user could not use it, or it is someone else's. */
function endOf(certificate: string, request: string): string {
  try {
    const read = new X509Certificate(Buffer.from(certificate, 'base64'));
    const spki = read.publicKey.export({ type: 'spki', format: 'der' });
    const asked = Buffer.from(request.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
    if (asked.includes(spki)) return new Date(read.validTo).toISOString();
  } catch {
    throw unsigned('it answers something else than a certificate');
  }
  throw unsigned('it answers a certificate for another key');
}

/** The certificate, PEM in base64. The request does not stay in the cluster. */
async function signed(kubectl: Kubectl, { role, request, seconds }: CertificateRequest): Promise<string> {
  const group = clusterGroupOf(role);
  const name = `kubeloom-${createHash('sha256').update(request).digest('hex').slice(0, 32)}`;
  const rbac = 'rbac.authorization.k8s.io';
  const documents = [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: group },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterRoleTable[role].boundTo },
      subjects: [{ apiGroup: rbac, kind: 'Group', name: group }],
    },
    {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        expirationSeconds: seconds,
        usages: ['client auth'],
      },
    },
  ];
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents });
  await kubectl.run(['apply', '--server-side', '--force-conflicts', '--field-manager=kubeloom', '-f', '-'], { input });
  try {
    await kubectl.run(['certificate', 'approve', name]);
    return await whenSigned(kubectl, name);
  } finally {
    await kubectl.try(['delete', 'certificatesigningrequest', name, '--ignore-not-found']);
  }
}

async function whenSigned(kubectl: Kubectl, name: string): Promise<string> {
  for (let look = 0; look < tries; look += 1) {
    const { stdout } = await kubectl.run(['get', 'certificatesigningrequest', name, '-o', 'json'], {
      onLine: complaintsOnly,
    });
    const { certificate, conditions } = readToolJson(SignedRequest, stdout, {
      tool: 'kubectl',
      what: 'the request for a certificate',
    }).status;
    if (certificate) return certificate;
    const failed = conditions.find(({ type }) => type === 'Failed' || type === 'Denied');
    if (failed) throw unsigned(`it was refused: ${failed.message}`);
    await sleep(betweenMs);
  }
  throw unsigned('the controller manager did not answer within a minute');
}

function withoutKubeconfig({ clusterName }: CertificateRequest): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'ClusterGone',
    message: `Cluster ${clusterName} no longer has a kubeconfig.`,
    hint: 'Wait until Kubernetes runs, then retry.',
  });
}

function unsigned(why: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'CertificateNotSigned',
    message: `The cluster signed no client certificate: ${why}.`,
    hint: 'Its controller manager must sign for kubernetes.io/kube-apiserver-client, as kubeadm sets it up.',
  });
}
