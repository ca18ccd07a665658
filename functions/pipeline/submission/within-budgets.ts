/** Plans are counted and accepted as if one request came after the other: no two count on the same rest of a budget. */
import { isPipelineError } from '#domain/errors.ts';
import { retryPausing } from '../../pauses.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { type CountedPlans, countPlans, type KnownCosts, type PlanInBudget } from './plan-budgets.ts';

/**
 * `accept` judges what was counted, and stores it with `counted.shares`. It is called again, with another count, as long as others were
 * accepted meanwhile. Throws `BudgetMoved` when that does not end.
 */
export async function withinBudgets<Answer>(
  deps: Parameters<typeof countPlans>[0] & Pick<SubmissionPorts, 'budgets'>,
  namespace: string,
  plans: readonly PlanInBudget[],
  accept: (counted: CountedPlans) => Promise<Answer>,
): Promise<Answer> {
  const known: KnownCosts = new Map();
  return retryPausing(
    async () => accept(await countPlans(deps, namespace, plans, known)),
    (error) => isPipelineError(error, 'BudgetMoved'),
  );
}
