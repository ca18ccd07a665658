/** What a check for drift says of the labels, annotations, taints and provider ids of nodes, and of nodes that are not of the cluster. Pure. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { counted } from '#domain/words.ts';
import { type LiveNode, nodeDifferences, providerIdOf } from '#rendering/node-patch.ts';
import { findingPlace, sentence } from './findings.ts';

/** One item for a node whose metadata differs from what Kubeloom sets; what others set on it is theirs. */
export function metadataItems(target: ClusterState, live: LiveNode): readonly DriftItem[] {
  const { name, providerId } = live;
  const desired = allNodes(target).find(({ node }) => node.name === name);
  if (desired === undefined) return [];
  const about = { kind: 'metadata' as const, where: findingPlace(target, name) };
  // Others, such as a controller of a cloud, may have set one of theirs; none can be changed once it is set.
  if (providerId.startsWith(providerIdOf('')) && providerId !== providerIdOf(name)) {
    const message = sentence(
      `${name} has the provider id of another node, so no autoscaler finds its machine; Kubernetes never changes it: \`kubeloom replace\` gives the node a new one`,
    );
    return [{ ...about, message, repairable: false }];
  }
  const differences = nodeDifferences(live, desired);
  if (differences.length === 0) return [];
  const message = sentence(`${name} lacks what Kubeloom set on it, or has other values: ${differences.join(', ')}`);
  return [{ ...about, message, repairable: true }];
}

/** So many nodes of others are named; a cluster may have any number. */
const mostNamed = 20;

/** Nodes that Kubernetes has and the cluster does not: only reported, as someone may have joined a machine of their own. */
export function foreignNodes(target: ClusterState, live: ReadonlyMap<string, LiveNode>): readonly DriftItem[] {
  const known = new Set(target.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const others = [...live.keys()].filter((name) => !known.has(name)).toSorted();
  const item = (name: string, message: string): DriftItem => ({
    kind: 'unknown',
    where: { name },
    message: sentence(message),
    repairable: false,
  });
  const rest = others.length - mostNamed;
  return [
    ...others
      .slice(0, mostNamed)
      .map((name) =>
        item(
          name,
          `Kubernetes has the node ${name}, which is not of Kubeloom; it is left alone: if it is a leftover, \`kubectl delete node\` removes it`,
        ),
      ),
    ...(rest > 0
      ? [
          item(
            'others',
            `Kubernetes has ${counted(rest, 'other node')} that ${rest === 1 ? 'is' : 'are'} not of Kubeloom`,
          ),
        ]
      : []),
  ];
}
