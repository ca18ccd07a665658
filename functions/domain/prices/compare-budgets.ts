/**
 * Whether what machines cost after a plan is within the budgets that count for it. Machines without a known price are in no sum:
 * sums say "at least" then, and a plan that adds such machines has to be approved, since no one can say that it stays within.
 */
import { counted } from '#domain/words.ts';
import type { BudgetOfPlan } from './budget-of-plan.ts';
import type { Budget } from './budget-setting.ts';
import type { SumOfCosts } from './cost-of-month.ts';
import { cents } from './machine-prices.ts';
import type { Money } from './money.ts';
import { moneyText } from './money-text.ts';

export type ScopeCost = Pick<SumOfCosts, 'before' | 'after' | 'notKnown'>;

/** Compares the budgets of one scope; `budgets` has one for each currency. A plan that costs no more than before needs no approval. */
export function compareBudget(of: string, budgets: readonly Budget[], cost: ScopeCost): BudgetOfPlan {
  const { before, after, notKnown } = cost;
  const currencies = new Set([budgets, before, after].flat().map(({ currency }) => currency));
  const amounts = [...currencies].map((currency) => ({
    currency,
    amount: amountIn(currency, budgets),
    before: amountIn(currency, before),
    after: amountIn(currency, after),
  }));
  const shown = amounts.filter((one) => one.amount > 0 || one.after > 0);
  const adds = notKnown.after > notKnown.before;
  const text = [`budget of ${scopeText(of)}: ${shown.map((one) => amountText(one, notKnown.after > 0)).join('; ')}`];
  if (notKnown.after > 0) text.push(`${counted(notKnown.after, 'machine')} without a known price`);
  if (adds) text.push(`${notKnown.after - notKnown.before} more than now`);
  return { of, amounts: shown, notKnown, needsApproval: adds || shown.some(isBeyond), text: text.join(', ') };
}

/** Whether plans add to what one of them counts. */
export const isRaised = (budgets: readonly BudgetOfPlan[]): boolean =>
  budgets.some(({ amounts }) => amounts.some(({ before, after }) => after > before));

interface ComparedAmount extends Money {
  readonly before: number;
  readonly after: number;
}

const isBeyond = ({ amount, before, after }: ComparedAmount): boolean => after > amount && after > before;

function amountText({ currency, amount, after }: ComparedAmount, more: boolean): string {
  const sum = `${more ? 'at least ' : ''}${moneyText({ currency, amount: after })}`;
  const allowed = moneyText({ currency, amount });
  if (after <= amount) return `${sum} of ${allowed} a month`;
  return `${sum} a month, ${moneyText({ currency, amount: cents(after - amount) })} beyond ${allowed}`;
}

const scopeText = (of: string): string => (of === '*' ? 'the installation' : `namespace ${of}`);

const amountIn = (wanted: string, amounts: readonly Money[]): number =>
  amounts.find(({ currency }) => currency === wanted)?.amount ?? 0;
