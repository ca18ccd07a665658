/** SSH keys of pools, which are deleted when their machines are gone. */
import { poolKeyPath } from '#contracts/stage.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { Using } from '../../ports.ts';

/**
 * Deletes the keys of pools that `states` have and `reached` does not. The runner that made them must not: its role works with templates
 * of users, and could exchange the keys of others.
 */
export async function removePoolKeys(
  { secrets }: Using<'secrets.remove'>,
  { namespace, name: manifest }: ClusterRun,
  reached: ClusterState | null,
  states: readonly (ClusterState | null)[],
): Promise<void> {
  const kept = new Set((reached === null ? [] : allPools(reached)).map(({ id }) => id));
  const gone = states.flatMap((state) =>
    (state === null ? [] : allPools(state)).flatMap(({ id, source }) =>
      state !== null && source.kind === 'dynamic' && !kept.has(id)
        ? [poolKeyPath({ namespace, manifest }, state.id, id)]
        : [],
    ),
  );
  for (const path of new Set(gone)) await secrets.remove(path);
}
