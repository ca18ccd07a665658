/** The undo of a roll-out: what it touched gets the document from before, where that can be done; the inventory, too. */
import { type RollOutGoals, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import type { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { approvedShare } from '#domain/prices/budget-share.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import type { RollOutCluster } from '#domain/roll-out/roll-out.ts';
import { aheadOf } from '../../ahead.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { assess } from '../assessment/assess.ts';
import { needsApproval, toApprove } from '../proposals/bind-plan.ts';
import { gather } from '../submission/gather.ts';
import { beyondBudgets, budgetsOfPlans } from '../submission/plan-budgets.ts';
import { withinBudgets } from '../submission/within-budgets.ts';
import { acceptRollOut, changeRollOut } from './change-roll-out.ts';
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
  const plans = steps.flatMap(({ cluster: { name }, goals, cost }) => (goals ? [{ name, cost }] : []));
  const approves = caller.may('approver', record.namespace);
  const refuseUnapproved = (budgets: BudgetOfPlan[]): void => {
    if (approves) return;
    const guarded = steps.filter(({ isGuarded }) => isGuarded).map(({ cluster }) => cluster.name);
    const beyond = beyondBudgets(budgets);
    const touched = beyond === undefined ? guarded : plans.map(({ name }) => name);
    if (touched.length === 0) return;
    const way = 'someone with the role approver can undo it; nothing was changed';
    throw new PipelineError('ApprovalRequired', `${toApprove(touched, beyond)}: ${way}`);
  };
  refuseUnapproved(await budgetsOfPlans(deps, record.namespace, plans));
  await claimClusters(deps, record);
  await Array.fromAsync(aheadOf(steps, (step) => putGoals(deps, record, step)));
  const clusters = steps.map(({ cluster }) => cluster);
  const undone = await withinBudgets(deps, record.namespace, plans, (counted) => {
    refuseUnapproved(counted.budgets);
    const shares = approves ? counted.shares.map(approvedShare) : counted.shares;
    const put = (undoing: RollOutRecord) => acceptRollOut(deps, undoing, { ...counted, shares });
    return changeRollOut(deps, record, backTo(record, clusters), put);
  });
  await restoreDocuments(deps, undone, caller);
  return undone;
}

function backTo(
  record: RollOutRecord,
  clusters: RollOutRecord['clusters'],
): (stored: RollOutRecord) => Partial<RollOutRecord> {
  return (stored) => {
    if (stored.version !== record.version)
      throw new PipelineError(
        'VersionConflict',
        `roll-out ${record.id} has continued meanwhile; check what it did, then undo it again`,
      );
    const { paused: _, halted: _halted, soak: _soak, endedAt: _ended, plan: _plan, ...rest } = stored;
    const execution = stored.execution + 1;
    const absent = { paused: undefined, halted: undefined, soak: undefined, endedAt: undefined, plan: undefined };
    return { ...rest, ...absent, direction: 'back', status: 'Running', execution, clusters };
  };
}

interface StepBack {
  readonly cluster: RollOutCluster;
  /** What its manifest gets; absent when it is kept. */
  readonly goals?: RollOutGoals;
  /** Only an approver may do it. */
  readonly isGuarded?: boolean;
  readonly cost?: CostOfMonth | undefined;
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
  const known = await gather(deps, key, { document, stored, caller, pinned });
  const { faults, refusals, next, costOfMonth: cost } = assess(known);
  const [why] = [...faults, ...refusals];
  if (why !== undefined || next === undefined)
    return kept(`it cannot go back: ${why?.reason ?? 'its document is not valid'}`);
  const reason = `roll-out ${record.id} is undone`;
  const goals: RollOutGoals = { schema: 1, goal: { ...before, origin: { by: caller.name, reason } }, before: null };
  const { message: _, ...rest } = cluster;
  const there = { goal: next.record.checksum, acceptedCost: costWhen('after', cost) };
  return {
    cluster: { ...rest, ...there, wave: 0, state: 'waiting', before: stored.generation },
    goals,
    cost,
    isGuarded: needsApproval(deps, key, stored, next.record),
  };
}

/** A cluster that has its goal was touched, also one that is retried. */
async function hasGoal(deps: ApiPorts, { namespace }: RollOutRecord, { name, goal }: RollOutCluster): Promise<boolean> {
  return (await deps.manifests.get({ namespace, name }))?.checksum === goal;
}
