/** The desired state of a cluster, for tests of its documents. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { countingIds } from './arbitraries.ts';
import { type ManifestSpec, manifestOf } from './manifests.ts';

export function desiredWith(
  spec: ManifestSpec,
  options: {
    current?: ClusterState;
    defaultStorage?: 'longhorn';
    agentUrl?: string;
    agentCa?: string;
    agentProviders?: readonly string[];
    templates?: Readonly<Record<string, string>>;
  } = {},
) {
  const { current = null, ...rest } = options;
  const goal = { manifest: manifestOf(spec), cluster: 'c', current, attempted: null, templates: {} };
  const state = buildDesiredState({ ...goal, ...rest, ids: countingIds('x') });
  if (state === null) throw new Error('the manifest has no cluster c');
  return state;
}
