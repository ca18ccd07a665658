/** The documents that a cluster is to have: those of its storage and its autoscaler, as its manifest changes them, and its own. */
import { autoscalerImage } from '#domain/autoscaler-image.ts';
import { builtinDocument, type DocumentState } from '#domain/cluster-documents.ts';
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import type { KubernetesCluster } from '#domain/manifest/input-manifest.ts';
import { nodeTaints, storageTag } from './node-metadata.ts';

export type Storage = 'longhorn' | 'none';

export interface DocumentSources {
  /** The current state, and the attempted one. */
  readonly existing: readonly ClusterState[];
  readonly pools: readonly NodePoolState[];
  /** Of a new cluster whose manifest names none. */
  readonly defaultStorage: Storage;
  /** Base URL under which an agent in the cluster reaches the API; empty: it does not. */
  readonly agentUrl: string;
}

/** A manifest that names no storage keeps what the cluster has; a cluster without compute nodes that have no taints gets none unasked. */
export function desiredDocuments(
  cluster: KubernetesCluster,
  { existing, pools, defaultStorage, agentUrl }: DocumentSources,
): Pick<ClusterState, 'storage' | 'documents'> {
  const [known] = existing;
  const kept = known === undefined ? defaultFor(pools, defaultStorage) : (known.storage ?? 'none');
  const storage = cluster.storage ?? kept;
  const builtin = [
    ...(storage === 'longhorn' ? longhornDocuments(pools) : []),
    ...(agentUrl !== '' && isAutoscaled(pools) ? [autoscalerDocument(cluster, agentUrl)] : []),
  ];
  const documents = withOwn(builtin, cluster.documents ?? []);
  return {
    ...(storage === 'none' ? {} : { storage }),
    ...(documents.length === 0 ? {} : { documents: [...documents] }),
  };
}

/** Longhorn tolerates no taint: without a node that it can run on, it would wait for one for ever. */
function defaultFor(pools: readonly NodePoolState[], storage: Storage): Storage {
  const open = computePools(pools).some((pool) =>
    pool.nodes.some((node) => nodeTaints(pool, node).every(({ effect }) => effect === 'PreferNoSchedule')),
  );
  return open ? storage : 'none';
}

/** Longhorn with its settings, and a class for each provider instance that has compute nodes. */
function longhornDocuments(pools: readonly NodePoolState[]): readonly DocumentState[] {
  const compute = computePools(pools);
  const tags = [...new Set(compute.map(storageTag))].sort();
  return [
    builtinDocument('longhorn', { autoscaled: String(isAutoscaled(pools)) }),
    builtinDocument('longhorn-classes', { zone: tags }),
  ];
}

/** It comes with the first autoscaled pool and goes with the last; bounds of pools are the API's to know. */
function autoscalerDocument({ version }: KubernetesCluster, agentUrl: string): DocumentState {
  return builtinDocument('autoscaler', { image: autoscalerImage(version), api: agentUrl });
}

function isAutoscaled(pools: readonly NodePoolState[]): boolean {
  return computePools(pools).some(({ autoscaler }) => autoscaler !== undefined);
}

function computePools(pools: readonly NodePoolState[]): readonly NodePoolState[] {
  return pools.filter(({ role }) => role === 'compute');
}

/** Entries of the manifest: one that is switched off is left out, one with a text replaces that of its name or comes last. */
function withOwn(
  builtin: readonly DocumentState[],
  entries: NonNullable<KubernetesCluster['documents']>,
): readonly DocumentState[] {
  const off = new Set(entries.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const own = new Map(
    entries.flatMap(({ name, enabled, inline }) =>
      !enabled || inline === undefined ? [] : [[name, { name, version: 'inline', values: {}, text: inline }] as const],
    ),
  );
  const known = new Set(builtin.map(({ name }) => name));
  return [
    ...builtin.filter(({ name }) => !off.has(name)).map((document) => own.get(document.name) ?? document),
    ...[...own.values()].filter(({ name }) => !known.has(name)),
  ];
}
