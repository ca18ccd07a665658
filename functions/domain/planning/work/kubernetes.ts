/** Work of KubeOne and kubectl, and why. */
import { clusterDocumentChanges } from '#domain/cluster-documents.ts';
import { type ClusterState, hasKubernetes, type NodePoolState } from '#domain/cluster-state.ts';
import { differingOptions } from '#domain/kubernetes-options.ts';
import { counted, listed } from '../../words.ts';
import { diffPool } from '../states/diff-pools.ts';
import { poolKey } from '../states/diff-states.ts';
import { isKubernetes, type NodeDiff, namesOf } from './node-diff.ts';

/** Why KubeOne has to run towards the second state; empty when it has not. */
export function kubernetesReasons(nodeDiff: NodeDiff): readonly string[] {
  const { from, to } = nodeDiff;
  if (to === null || !hasKubernetes(to)) return [];
  if (from === null) return [`Kubernetes ${to.kubernetesVersion} is installed`];
  const joining = nodeDiff.added.filter(isKubernetes).length;
  const upgrade = `Kubernetes goes from ${from.kubernetesVersion} to ${to.kubernetesVersion}`;
  const options = differingOptions(from.kubernetesOptions, to.kubernetesOptions);
  return [
    ...(joining > 0 ? [`${counted(joining, 'node')} taken into Kubernetes`] : []),
    ...(from.kubernetesVersion !== to.kubernetesVersion ? [upgrade] : []),
    ...(nodeDiff.endpointMoves ? ['the API endpoint moves'] : []),
    ...(options.length > 0 ? [`other settings of Kubernetes: ${listed(options)}`] : []),
  ];
}

/** Static nodes of Kubernetes that are given back when the cluster goes. */
export function nodesToReset({ from, to, removed }: NodeDiff): readonly string[] {
  if (from === null || to !== null) return [];
  return namesOf(removed.filter((placed) => isKubernetes(placed) && placed.node.static !== undefined));
}

export interface NodesDraft {
  readonly patch: readonly string[];
  readonly remove: readonly string[];
  /** Names of documents to apply, and of those to remove. */
  readonly documents: readonly string[];
  readonly documentsRemoved: readonly string[];
  readonly reasons: readonly string[];
}

/** What kubectl does to nodes. Workers are removed first, control nodes last. */
export function kubernetesNodes(nodeDiff: NodeDiff): NodesDraft {
  if (nodeDiff.to === null || !hasKubernetes(nodeDiff.to))
    return { patch: [], remove: [], documents: [], documentsRemoved: [], reasons: [] };
  const added = namesOf(nodeDiff.added.filter(isKubernetes));
  const relabelled = nodeDiff.from === null ? [] : relabelledNodes(nodeDiff.from, nodeDiff.to, new Set(added));
  const leaving = nodeDiff.removed.filter(isKubernetes);
  const isControl = ({ pool }: { pool: NodePoolState }) => pool.role === 'control';
  const remove = namesOf([...leaving.filter((placed) => !isControl(placed)), ...leaving.filter(isControl)]);
  const changes = clusterDocumentChanges(nodeDiff.from?.documents, nodeDiff.to.documents);
  const documents = [...changes.added, ...changes.changed].map(({ name }) => name);
  const documentsRemoved = changes.removed.map(({ name }) => name);
  return {
    patch: [...added, ...relabelled],
    remove,
    documents,
    documentsRemoved,
    reasons: [
      ...(added.length > 0 ? [`labels, annotations and taints for ${counted(added.length, 'new node')}`] : []),
      ...(relabelled.length > 0
        ? [`other labels, annotations or taints for ${counted(relabelled.length, 'node')}`]
        : []),
      ...(remove.length > 0 ? [`${counted(remove.length, 'node')} drained and removed from Kubernetes`] : []),
      ...(nodeDiff.endpointMoves ? ['the cluster learns its new API endpoint'] : []),
      ...(documents.length > 0 ? [`documents applied to the cluster: ${listed(documents)}`] : []),
      ...(documentsRemoved.length > 0 ? [`documents removed from the cluster: ${listed(documentsRemoved)}`] : []),
    ],
  };
}

function relabelledNodes(from: ClusterState, to: ClusterState, added: ReadonlySet<string>): readonly string[] {
  const before = new Map(from.pools.map((pool) => [poolKey(pool), pool]));
  return to.pools.flatMap((pool) => {
    const known = before.get(poolKey(pool));
    const changes = known === undefined ? [] : diffPool(known, pool);
    if (!changes.some((change) => change.kind === 'NodeMetadataChanged')) return [];
    return pool.nodes.map((node) => node.name).filter((name) => !added.has(name));
  });
}
