/** The shape of a budget next to what its machines cost before a plan and after it; `compare-budgets.ts` compares them. */
import { z } from 'zod';
import { MachinesNotKnown, Money } from './cost-of-month.ts';

export const BudgetOfPlan = z
  .strictObject({
    of: z.string().describe('namespace, or `*`: the whole installation'),
    amounts: z
      .array(Money.extend({ before: z.number(), after: z.number() }))
      .describe(
        'a month, one for each currency; `amount`: what is allowed, 0 in a currency that the budget does not name; `before`, `after`: what all machines of it cost, list prices',
      ),
    notKnown: MachinesNotKnown,
    needsApproval: z.boolean().describe('the plan leads beyond it, or adds machines whose price is not known'),
    text: z.string().describe('the same for people'),
  })
  .meta({ id: 'BudgetOfPlan', description: 'a budget, and what its machines cost before the plan and after it' });
export type BudgetOfPlan = z.infer<typeof BudgetOfPlan>;
