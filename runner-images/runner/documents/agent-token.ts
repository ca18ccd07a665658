/** The token of the agent in a cluster: made here, kept in a Secret of the cluster only; what is stored of it is its SHA-256. */
import { randomBytes } from 'node:crypto';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { documentsLabel } from '#rendering/documents.ts';
import type { StageContext } from '../stage-context.ts';

/** `objectText` of its Secret. */
export const agentSecretObject = 'v1 Secret kube-system/kubeloom-agent';

/** A Secret with a new token, for the documents of that name. From now on its hash is in the facts, and the log hides it. */
export function newAgentSecret({ document, facts, mask }: StageContext, documents: string): KubernetesObject {
  const { namespace, manifest, cluster } = document;
  const secret = randomBytes(32).toString('base64url');
  const token = agentToken({ namespace, name: manifest }, cluster, secret);
  mask.add([secret, token]);
  facts.agent(agentTokenHash(token));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: 'kubeloom-agent', namespace: 'kube-system', labels: { [documentsLabel]: documents } },
    stringData: { token },
  };
}
