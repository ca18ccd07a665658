/** Documents of machine groups, and the states that follow from them. */
import { readObjects } from '#documents/read-objects.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { countingIds } from '../planning/arbitraries.ts';

export const leaf = { size: 2, providerSpec: { name: 'sim-1', region: 'r' }, serverType: 't', image: 'i' };

export const groupsWith = (groups: unknown, spec: object = {}, name = 'shop') => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'MachineGroups',
  metadata: { name },
  spec: { providers: [{ name: 'sim-1', providerType: 'sim' }], groups, ...spec },
});

/** Throws when the document is refused. */
export function stateOf(groups: object, current: ClusterState | null = null, spec: object = {}): ClusterState {
  const { manifest, faults } = validateMachineGroups(groupsWith(groups, spec, 'c'), { readObjects });
  if (manifest === undefined) throw new Error(JSON.stringify(faults));
  const question = { manifest, cluster: 'c', current, attempted: null, templates: {} };
  const state = buildDesiredState({ ...question, ids: countingIds('x') });
  if (state === null) throw new Error('there is no cluster');
  return state;
}
