/**
 * Budgets that count for a plan: what all machines of the namespace, or of the installation, cost before it and after it. Of manifests that it
 * does not touch counts what was accepted, whether or not it has started, and what exists, whichever is more.
 */
import type { BudgetRecord } from '#contracts/budgets.ts';
import type { ManifestHead, ManifestKey } from '#contracts/records.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { isPipelineError } from '#domain/errors.ts';
import { costTogether, costWhen, type PlannedCost, sumOfAccepted } from '#domain/prices/accepted-cost.ts';
import type { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { type BudgetShare, budgetShareOf } from '#domain/prices/budget-share.ts';
import { compareBudget } from '#domain/prices/compare-budgets.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { type AcceptedCost, mostOf } from '#domain/prices/money.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import { isEnded } from '#domain/roll-out/roll-out.ts';
import { aheadOf } from '../../ahead.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { everyHead } from '../records/stored-manifest.ts';

type Ports = Pick<SubmissionPorts, 'budgets' | 'config' | 'manifests' | 'clusters' | 'rollOuts'>;

/** The plan of a manifest that is among those of the namespace. */
export interface PlanInBudget extends Pick<ManifestKey, 'name'> {
  /** Undefined where nothing has a price. */
  readonly cost: CostOfMonth | undefined;
}

/** Plans, counted. */
export interface CountedPlans {
  /** Those of the namespace and of the installation that are set, with the cost after all these plans together. */
  readonly budgets: BudgetOfPlan[];
  /** What is taken of them when the plans are accepted, so that what was counted still holds. */
  readonly shares: readonly BudgetShare[];
  /** As stored, with the roll-outs that still count. */
  readonly stored: readonly BudgetRecord[];
}

/** What manifests were found to cost, by the version of each, for a count that is repeated. */
export type KnownCosts = Map<string, Promise<OtherCost>>;

/** The budgets of the namespace and of the installation, if set, with the cost after all these plans together. */
export async function budgetsOfPlans(
  deps: Ports,
  namespace: string,
  plans: readonly PlanInBudget[],
): Promise<BudgetOfPlan[]> {
  return (await countPlans(deps, namespace, plans)).budgets;
}

export async function countPlans(
  deps: Ports,
  namespace: string,
  plans: readonly PlanInBudget[],
  known: KnownCosts = new Map(),
): Promise<CountedPlans> {
  const found = [namespace, '*'].map((of) => ({
    of,
    budgets: deps.config.KUBELOOM_BUDGETS.filter((budget) => budget.of === of),
  }));
  const wanted = found.filter(({ budgets }) => budgets.length > 0);
  if (wanted.length === 0) return { budgets: [], shares: [], stored: [] };
  const within = (of: string, one: Pick<ManifestKey, 'namespace'>): boolean => of === '*' || one.namespace === of;
  // First of all: whatever is accepted after this moves the meters.
  const read = await Promise.all(wanted.map(({ of }) => deps.budgets.get(of)));
  const rollOuts = await liveRollOuts(deps, read);
  const planned = await Array.fromAsync(aheadOf(plans, (plan) => costOfPlanned(deps, { namespace, ...plan })));
  const touched = new Set(plans.map(({ name }) => titleOf({ namespace, name })));
  const whole = wanted.some(({ of }) => of === '*');
  const others = await otherCosts(deps, { namespace: whole ? undefined : namespace, touched, rollOuts, known });
  const budgets = wanted.map(({ of, budgets: set }) => {
    const counted = others.filter((other) => within(of, other));
    const unreadable = counted.filter(({ isUnreadable }) => isUnreadable).length;
    const costs = counted.flatMap(({ cost }) => cost ?? []);
    return compareBudget(of, set, costTogether(planned, costs, unreadable));
  });
  const stored = read.map((budget) => {
    const live = rollOuts.filter((rollOut) => within(budget.of, rollOut));
    return { ...budget, rollOuts: live.map(({ namespace: space, id }) => ({ namespace: space, id })) };
  });
  const meters = new Map(read.map(({ of, accepted }) => [of, accepted]));
  const own = sumOfAccepted(planned.map(({ after }) => after)).amounts;
  return { budgets, stored, shares: budgets.map((budget) => budgetShareOf(budget, own, meters.get(budget.of) ?? {})) };
}

/** Whether one of them asks for an approval, and why, for people. */
export function beyondBudgets(budgets: readonly BudgetOfPlan[]): string | undefined {
  const beyond = budgets.filter(({ needsApproval }) => needsApproval);
  return beyond.length === 0 ? undefined : beyond.map(({ text }) => text).join('; ');
}

async function liveRollOuts(deps: Ports, budgets: readonly BudgetRecord[]): Promise<readonly RollOutRecord[]> {
  const keys = new Map(budgets.flatMap(({ rollOuts }) => rollOuts).map((key) => [`${key.namespace}/${key.id}`, key]));
  const records = await Promise.all([...keys.values()].map((key) => deps.rollOuts.get(key)));
  return records.flatMap((record) => (record && !isEnded(record) ? [record] : []));
}

/** Since it was planned, a run may have removed machines: what it adds is what it adds to those that exist now. */
async function costOfPlanned({ clusters }: Ports, { cost, ...key }: PlanInBudget & ManifestKey): Promise<PlannedCost> {
  const now = (await clusters.list(key)).map(({ cluster, current }) => ({ cluster, before: current, after: current }));
  return { before: costWhen('before', costOfMonth(now)), after: costWhen('after', cost) };
}

interface OtherCost extends ManifestKey {
  readonly cost?: AcceptedCost | undefined;
  readonly isUnreadable?: true;
}

interface OthersOf {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Titles of what is planned. */
  readonly touched: ReadonlySet<string>;
  readonly rollOuts: readonly RollOutRecord[];
  readonly known: KnownCosts;
}

async function otherCosts(deps: Ports, { namespace, touched, rollOuts, known }: OthersOf): Promise<OtherCost[]> {
  const others = new Map<string, OtherCost>();
  const note = (other: OtherCost): void => {
    if (!touched.has(titleOf(other))) others.set(titleOf(other), other);
  };
  const unreadable = ({ namespace: space, name }: ManifestKey) => note({ namespace: space, name, isUnreadable: true });
  const costOf = (head: ManifestHead): Promise<OtherCost> => {
    const version = `${titleOf(head)} ${head.uid} ${head.generation} ${head.attempt} ${head.status} ${head.lease?.fence}`;
    const cost = known.get(version) ?? costNow(deps, head);
    known.set(version, cost);
    return cost;
  };
  for await (const other of aheadOf(everyHead(deps, unreadable, namespace), costOf)) note(other);
  for (const rollOut of rollOuts)
    for (const { name, state, acceptedCost } of rollOut.clusters) {
      const key = { namespace: rollOut.namespace, name };
      const ended = state === 'done' || state === 'undone' || state === 'kept';
      const other = others.get(titleOf(key));
      if (!ended) note({ ...key, ...other, cost: mostOf([other?.cost, acceptedCost]) });
    }
  return [...others.values()];
}

/** A machine counts from the moment at which it is accepted, until it is gone. Of a manifest that is done its head says what it costs. */
async function costNow(
  { clusters }: Ports,
  { namespace, name, status, acceptedCost, lease }: ManifestHead,
): Promise<OtherCost> {
  const key = { namespace, name };
  if (status === 'Done' && acceptedCost) return { ...key, cost: acceptedCost };
  try {
    const states = (await clusters.list(key)).map(({ cluster, current, attempted }) => {
      return { cluster, before: current, after: attempted ?? current };
    });
    const exists = costOfMonth(states);
    return { ...key, cost: mostOf([acceptedCost, lease?.cost, costWhen('before', exists), costWhen('after', exists)]) };
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    return { ...key, isUnreadable: true };
  }
}

const titleOf = ({ namespace, name }: ManifestKey): string => `${namespace}/${name}`;
