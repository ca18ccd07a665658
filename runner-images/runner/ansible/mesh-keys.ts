/** Whether every public key of a WireGuard mesh is known: before that, no list of peers changes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import { allNodes, type ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';

/** Names of the nodes of the mesh without a known key. `without`: nodes that are not in the mesh yet. */
export function keylessNodes(
  target: ClusterState | null,
  facts: ClusterFacts,
  without: ReadonlySet<string>,
): readonly string[] {
  if (target === null || target.meshless) return [];
  return allNodes(target).flatMap(({ node: { name } }) =>
    without.has(name) || facts.nodes[name]?.wireguardPublicKey !== undefined ? [] : [name],
  );
}

const mostNames = 20;

export function meshLeft(keyless: readonly string[]): Omit<StageError, 'retryable'> {
  const names = keyless.length > mostNames ? [...keyless.slice(0, mostNames), '…'] : keyless;
  return {
    class: 'transient',
    code: 'NodeConfigurationFailed',
    message: `the WireGuard mesh is left as it was: no public key is known of ${names.join(', ')}`,
    ...(keyless[0] !== undefined && { resource: keyless[0] }),
    hint: 'The log of the stage shows why these nodes reported none.',
  };
}
