/** Requests of kubelets for serving certificates as the API server lists them, and the nodes that may have one. */
import { z } from 'zod';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { type KnownNode, type SigningRequest, servingSigner } from './may-approve.ts';

const texts = z.array(z.string()).default([]);
export const ServingRequests = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z
        .object({
          signerName: z.string().default(''),
          username: z.string().default(''),
          groups: texts,
          usages: texts,
          request: z.string().default(''),
        })
        .prefault({}),
      status: z.object({ conditions: z.array(z.object({ type: z.string() })).default([]) }).prefault({}),
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
    return atob(base64);
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
