/** The undo of a roll-out: what it touched gets the document from before, where that can be done; the inventory, too. */
import { InventoryRecord } from '#contracts/inventory.ts';
import { type RollOutGoals, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { RollOutCluster } from '#domain/roll-out/roll-out.ts';
import { aheadOf } from '../ahead.ts';
import type { AdmittedCaller } from '../caller.ts';
import { changeRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { claimClusters } from '../pipeline/roll-outs/claim-clusters.ts';
import { changedText } from '../pipeline/roll-outs/cluster-outcome.ts';
import { goalsOf } from '../pipeline/roll-outs/submit-goal.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { recordChange } from './audit-event.ts';
import { assessManifest } from './judge-manifest.ts';

/** Writes the record that the next execution carries out. Throws `InUse` when another roll-out has its clusters by now. */
export async function undoRollOut(
  deps: ApiPorts,
  record: RollOutRecord,
  caller: AdmittedCaller,
): Promise<RollOutRecord> {
  await claimClusters(deps, record);
  const clusters = await Array.fromAsync(
    aheadOf(record.clusters, (cluster) => backwards(deps, record, cluster, caller)),
  );
  await restoreDocuments(deps, record, caller);
  return changeRollOut(deps, record, (stored) => {
    if (stored.version !== record.version)
      throw new PipelineError(
        'VersionConflict',
        `roll-out ${record.id} went on meanwhile; look at it, and undo it again`,
      );
    const { paused: _, halted: _halted, soak: _soak, endedAt: _ended, plan: _plan, ...rest } = stored;
    const execution = stored.execution + 1;
    const absent = { paused: undefined, halted: undefined, soak: undefined, endedAt: undefined, plan: undefined };
    return { ...rest, ...absent, direction: 'back', status: 'Running', execution, clusters };
  });
}

async function backwards(
  deps: ApiPorts,
  record: RollOutRecord,
  cluster: RollOutCluster,
  caller: AdmittedCaller,
): Promise<RollOutCluster> {
  const { name, goal } = cluster;
  const kept = (message: string): RollOutCluster => ({
    ...cluster,
    wave: 0,
    state: 'kept',
    message: message.slice(0, 300),
  });
  if (cluster.state === 'waiting' && !(await hasGoal(deps, record, cluster))) return kept('it was not touched');
  const key = { namespace: record.namespace, name };
  const stored = await deps.manifests.get(key);
  if (stored === undefined || stored.deleting) return kept('its manifest was deleted');
  if (stored.checksum !== goal) {
    return kept(stored.generation === (cluster.before ?? 0) ? 'it was not touched' : changedText(stored));
  }
  const { before } = await goalsOf(deps, record, name);
  if (before === null) return kept('it had no manifest before; `kubeloom delete` deletes it');
  const { document } = before;
  const { faults, refusals, record: next } = await assessManifest(deps, key, { document, stored, caller });
  const [why] = [...faults, ...refusals];
  if (why !== undefined || next === undefined)
    return kept(`it cannot go back: ${why?.reason ?? 'its document is not valid'}`);
  const reason = `roll-out ${record.id} is undone`;
  const goals: RollOutGoals = { schema: 1, goal: { ...before, origin: { by: caller.name, reason } }, before: null };
  const place = rollOutKeys.goals({ ...record, direction: 'back' }, name);
  await deps.artifacts.putText(place, JSON.stringify(goals), 'application/json');
  const { message: _, ...rest } = cluster;
  return { ...rest, wave: 0, state: 'waiting', before: stored.generation, goal: next.checksum };
}

/** One that is tried again was touched. */
async function hasGoal(deps: ApiPorts, { namespace }: RollOutRecord, { name, goal }: RollOutCluster): Promise<boolean> {
  return (await deps.manifests.get({ namespace, name }))?.checksum === goal;
}

/** Those that no one changed since; versions of templates are never changed, so they stay. */
async function restoreDocuments(deps: ApiPorts, record: RollOutRecord, caller: AdmittedCaller): Promise<void> {
  const text = await deps.artifacts.getText(rollOutKeys.documents(record));
  const before = InventoryRecord.array().parse(JSON.parse(text ?? '[]'));
  for (const old of before) {
    const stored = await deps.inventory.get(old);
    if (stored?.generation !== old.generation + 1) continue;
    const next = { ...old, generation: stored.generation + 1, at: deps.clock.now().toISOString(), by: caller.name };
    try {
      await deps.inventory.put(next);
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict')) throw error;
      continue;
    }
    const what = `${old.kind} ${old.name} stored as generation ${next.generation}, as before roll-out ${record.id}`;
    await recordChange(deps, record.namespace, what, caller);
  }
}
