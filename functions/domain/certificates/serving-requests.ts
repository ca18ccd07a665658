/** Requests of kubelets for serving certificates as the API server lists them, and the nodes that may have one. */
import { z } from 'zod';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { closedText, observedLine } from '#domain/observed/closed-texts.ts';
import { KubernetesName } from '#domain/observed/kubernetes-texts.ts';
import { type KnownNode, type SigningRequest, servingSigner } from './may-approve.ts';

/** Users and groups of an issuer of a company's own may have any name: it equals that of a node, or is only shown. */
const words = observedLine(300);

export const ServingRequests = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: KubernetesName }),
      spec: z
        .object({
          signerName: words.default(''),
          username: words.default(''),
          groups: z.array(words).default([]),
          usages: z.array(words).default([]),
          request: closedText(20_000, /^[A-Za-z0-9+/=]*$/)
            .default('')
            .catch(''),
        })
        .prefault({}),
      status: z.object({ conditions: z.array(z.object({ type: words })).default([]) }).prefault({}),
    }),
  ),
});

/** Those CertificateSigningRequests of a list that are neither approved nor denied. */
export function openServingRequests({ items }: z.infer<typeof ServingRequests>): readonly SigningRequest[] {
  return items
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      signer: spec.signerName,
      username: spec.username,
      groups: spec.groups,
      usages: spec.usages,
      conditions: status.conditions.map(({ type }) => type),
      request: textOf(spec.request),
    }))
    .filter(({ signer, conditions }) => signer === servingSigner && conditions.length === 0);
}

function textOf(base64: string): string {
  try {
    const pem = atob(base64);
    return /^[\x20-\x7e\r\n]*$/.test(pem) ? pem : '';
  } catch {
    return '';
  }
}

/** The nodes of Kubernetes, and every address that Kubeloom knows each by. */
export function nodesWithAddresses(
  { pools }: Pick<ClusterState, 'pools'>,
  facts: Pick<ClusterFacts, 'nodes'>,
): readonly KnownNode[] {
  return pools.flatMap(({ nodes }) =>
    nodes.map(({ name, privateAddress, static: own }) => {
      const { publicAddress, local } = facts.nodes[name] ?? {};
      const addresses = [privateAddress, publicAddress, local?.address, own?.endpoint];
      return { name, addresses: addresses.filter((address) => address !== undefined) };
    }),
  );
}
