/** Budgets that count for a plan: what all machines of the namespace, or of the installation, cost before it and after it. */
import type { ClusterRecord, ManifestKey, ManifestRecord, Orphans } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { compareBudget } from '#domain/prices/compare-budgets.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { costOfMonth, sumOfCosts } from '#domain/prices/sum-costs.ts';
import { aheadOf } from '../../ahead.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { everyManifest } from '../records/stored-manifest.ts';
import { costOfPlan } from './plan-cost.ts';

type Ports = Pick<SubmissionPorts, 'config' | 'manifests' | 'clusters'>;

/** The plan of a manifest that is among those of the namespace. */
export interface PlanInBudget extends Pick<ManifestKey, 'name'> {
  readonly plans: readonly ClusterPlan[];
  /** What a deletion leaves running. @default nothing */
  readonly orphans?: Orphans;
}

/** The budgets of the namespace and of the installation, if set, with the cost after all these plans together. */
export async function budgetsOfPlans(
  deps: Ports,
  namespace: string,
  plans: readonly PlanInBudget[],
): Promise<BudgetOfPlan[]> {
  const found = [namespace, '*'].map((of) => ({
    of,
    budgets: deps.config.KUBELOOM_BUDGETS.filter((budget) => budget.of === of),
  }));
  const wanted = found.filter(({ budgets }) => budgets.length > 0);
  if (wanted.length === 0) return [];
  const whole = wanted.some(({ of }) => of === '*');
  const planned = await Array.fromAsync(aheadOf(plans, (plan) => costAfter(deps, { namespace, ...plan })));
  const names = new Set(plans.map(({ name }) => name));
  const others: (OtherCost & Pick<ManifestKey, 'namespace'>)[] = [];
  const unreadable: ManifestKey[] = [];
  const manifests = everyManifest(deps, (one) => unreadable.push(one), whole ? undefined : namespace);
  for await (const other of aheadOf(manifests, (manifest) => costNow(deps, manifest)))
    if (other.namespace !== namespace || !names.has(other.name)) others.push(other);
  return wanted.map(({ of, budgets }) => {
    const within = (one: Pick<ManifestKey, 'namespace'>): boolean => of === '*' || one.namespace === of;
    const costs = [...planned, ...others.filter(within).map(({ cost }) => cost)].filter((cost) => cost !== undefined);
    const missing = [...unreadable, ...others.filter(({ isUnreadable }) => isUnreadable)].filter(within).length;
    return compareBudget(of, budgets, sumOfCosts(costs, missing));
  });
}

/** Whether one of them asks for an approval, and why, for people. */
export function beyondBudgets(budgets: readonly BudgetOfPlan[]): string | undefined {
  const beyond = budgets.filter(({ needsApproval }) => needsApproval);
  return beyond.length === 0 ? undefined : beyond.map(({ text }) => text).join('; ');
}

async function costAfter(
  { clusters }: Ports,
  { plans, orphans, ...key }: PlanInBudget & ManifestKey,
): Promise<CostOfMonth | undefined> {
  return costOfPlan(await clusters.list(key), plans, orphans).costOfMonth;
}

interface OtherCost extends ManifestKey {
  readonly cost?: CostOfMonth | undefined;
  readonly isUnreadable?: true;
}

/** A waypoint in progress counts as reached. */
async function costNow({ clusters }: Ports, { namespace, name }: ManifestRecord): Promise<OtherCost> {
  const key = { namespace, name };
  try {
    const records: readonly ClusterRecord[] = await clusters.list(key);
    const states = records.map(({ cluster, current, attempted }) => {
      const state = attempted ?? current;
      return { cluster, before: state, after: state };
    });
    return { ...key, cost: costOfMonth(states) };
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    return { ...key, isUnreadable: true };
  }
}
