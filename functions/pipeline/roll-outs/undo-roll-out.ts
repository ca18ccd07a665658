/** The undo of a roll-out: what it touched gets the document from before, where that can be done; the inventory, too. */
import { type RollOutGoals, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { RollOutCluster } from '#domain/roll-out/roll-out.ts';
import { aheadOf } from '../../ahead.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { assessManifest } from '../submission/assess-manifest.ts';
import { beyondBudgets, budgetsOfPlans } from '../submission/plan-budgets.ts';
import { needsApproval, unapproved } from '../submission/stored-plans.ts';
import { changeRollOut } from './change-roll-out.ts';
import { claimClusters } from './claim-clusters.ts';
import { changedText } from './cluster-outcome.ts';
import { restoreDocuments } from './roll-out-documents.ts';
import { goalsOf } from './submit-goal.ts';

/**
 * Writes the record that the next execution carries out. Throws `ApprovalRequired` when a change needs an approver and the
 * caller lacks that role, `InUse` when another roll-out has its clusters by now, `VersionConflict` when another request was faster.
 */
export async function undoRollOut(
  deps: ApiPorts,
  record: RollOutRecord,
  caller: AdmittedCaller,
): Promise<RollOutRecord> {
  const steps = await Array.fromAsync(aheadOf(record.clusters, (cluster) => backwards(deps, record, cluster, caller)));
  const guarded = steps.filter(({ isGuarded }) => isGuarded).map(({ cluster }) => cluster.name);
  if (!caller.may('approver', record.namespace)) {
    const plans = steps.flatMap(({ cluster: { name }, plans }) => (plans ? [{ name, plans }] : []));
    const beyond = beyondBudgets(await budgetsOfPlans(deps, record.namespace, plans));
    const touched = beyond === undefined ? guarded : plans.map(({ name }) => name);
    if (touched.length > 0) throw unapproved(touched, 'someone with the role approver can undo it', beyond);
  }
  await claimClusters(deps, record);
  await Array.fromAsync(aheadOf(steps, (step) => putGoals(deps, record, step)));
  const clusters = steps.map(({ cluster }) => cluster);
  const undone = await changeRollOut(deps, record, (stored) => {
    if (stored.version !== record.version)
      throw new PipelineError(
        'VersionConflict',
        `roll-out ${record.id} has continued meanwhile; check what it did, then undo it again`,
      );
    const { paused: _, halted: _halted, soak: _soak, endedAt: _ended, plan: _plan, ...rest } = stored;
    const execution = stored.execution + 1;
    const absent = { paused: undefined, halted: undefined, soak: undefined, endedAt: undefined, plan: undefined };
    return { ...rest, ...absent, direction: 'back', status: 'Running', execution, clusters };
  });
  await restoreDocuments(deps, undone, caller);
  return undone;
}

interface StepBack {
  readonly cluster: RollOutCluster;
  /** What its manifest gets; absent when it is kept. */
  readonly goals?: RollOutGoals;
  /** Only an approver may do it. */
  readonly isGuarded?: boolean;
  readonly plans?: readonly ClusterPlan[];
}

async function putGoals(
  deps: Pick<ApiPorts, 'artifacts'>,
  record: RollOutRecord,
  { cluster, goals }: StepBack,
): Promise<void> {
  if (goals === undefined) return;
  const place = rollOutKeys.goals({ ...record, direction: 'back' }, cluster.name);
  await deps.artifacts.putText(place, JSON.stringify(goals), 'application/json');
}

async function backwards(
  deps: ApiPorts,
  record: RollOutRecord,
  cluster: RollOutCluster,
  caller: AdmittedCaller,
): Promise<StepBack> {
  const { name, goal } = cluster;
  const kept = (message: string): StepBack => ({
    cluster: { ...cluster, wave: 0, state: 'kept', message: message.slice(0, 300) },
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
  const { document, templates = {}, templateSecrets = {} } = before;
  const pinned = { templates, templateSecrets };
  const {
    faults,
    refusals,
    record: next,
    plans,
  } = await assessManifest(deps, key, { document, stored, caller, pinned });
  const [why] = [...faults, ...refusals];
  if (why !== undefined || next === undefined)
    return kept(`it cannot go back: ${why?.reason ?? 'its document is not valid'}`);
  const reason = `roll-out ${record.id} is undone`;
  const goals: RollOutGoals = { schema: 1, goal: { ...before, origin: { by: caller.name, reason } }, before: null };
  const { message: _, ...rest } = cluster;
  return {
    cluster: { ...rest, wave: 0, state: 'waiting', before: stored.generation, goal: next.checksum },
    goals,
    plans,
    isGuarded: needsApproval(deps, key, stored, next),
  };
}

/** A cluster that has its goal was touched, also one that is retried. */
async function hasGoal(deps: ApiPorts, { namespace }: RollOutRecord, { name, goal }: RollOutCluster): Promise<boolean> {
  return (await deps.manifests.get({ namespace, name }))?.checksum === goal;
}
