/** What is accepted with a plan, and what budgets count next to it. */
import type { ScopeCost } from './compare-budgets.ts';
import type { CostOfMonth } from './cost-of-month.ts';
import { type AcceptedCost, noCost } from './money.ts';
import { machinesNotKnown, sumOfMoney } from './sum-costs.ts';

/** `cost`: undefined where nothing has a price. */
export function costWhen(when: 'before' | 'after', cost: CostOfMonth | undefined): AcceptedCost {
  return cost ? { amounts: cost[when], notKnown: machinesNotKnown([cost], when) } : noCost;
}

/** What is planned for a manifest: as it costs now and as it will. */
export interface PlannedCost {
  readonly before: AcceptedCost;
  readonly after: AcceptedCost;
}

/** All plans together with `others`, which they do not touch. `unreadable`: manifests that exist and cannot be read. */
export function costTogether(
  plans: readonly PlannedCost[],
  others: readonly AcceptedCost[],
  unreadable: number,
): ScopeCost {
  const total = (when: 'before' | 'after'): AcceptedCost =>
    sumOfAccepted([...plans.map((plan) => plan[when]), ...others]);
  const { before, after } = { before: total('before'), after: total('after') };
  return {
    before: before.amounts,
    after: after.amounts,
    notKnown: { before: before.notKnown + unreadable, after: after.notKnown + unreadable },
  };
}

export function sumOfAccepted(costs: readonly AcceptedCost[]): AcceptedCost {
  return {
    amounts: sumOfMoney(costs.flatMap(({ amounts }) => amounts)),
    notKnown: costs.reduce((sum, { notKnown }) => sum + notKnown, 0),
  };
}
