/** The shape of a budget with the monthly cost before and after a plan; `compare-budgets.ts` compares them. */
import { z } from 'zod';
import { MachinesNotKnown } from './cost-of-month.ts';
import { Money } from './money.ts';

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
  .meta({ id: 'BudgetOfPlan', description: 'a budget with the monthly cost before and after the plan' });
export type BudgetOfPlan = z.infer<typeof BudgetOfPlan>;
