/** What is taken of a budget, and how much others may have taken since it was counted. */
import type { BudgetOfPlan } from './budget-of-plan.ts';
import type { Money } from './money.ts';

export interface BudgetShare {
  /** A namespace, or `*`: the whole installation. */
  readonly of: string;
  readonly takes: readonly {
    readonly currency: string;
    readonly hundredths: number;
    /** The meter may not be beyond that, in hundredths. @default however much others have taken */
    readonly meterAtMost?: number;
  }[];
}

/** By currency, in hundredths; a currency that is not there is at 0. */
export type Meter = Readonly<Record<string, number>>;

/**
 * `meter`: as it was before `budget` was counted. `own`: the whole cost of what is accepted, since what others count of it may become less
 * at any moment. What others take meanwhile must fit in what is left after all of it.
 */
export function budgetShareOf(budget: BudgetOfPlan, own: readonly Money[], meter: Meter): BudgetShare {
  const takes = own.map(({ currency, amount }) => {
    const { amount: allowed = 0, after = 0 } = budget.amounts.find((one) => one.currency === currency) ?? {};
    const left = Math.max(0, hundredthsOf(allowed) - hundredthsOf(after));
    return { currency, hundredths: hundredthsOf(amount), meterAtMost: (meter[currency] ?? 0) + left };
  });
  return { of: budget.of, takes: takes.filter(({ hundredths }) => hundredths > 0) };
}

/** The same after an approval, which may lead beyond it. */
export function approvedShare({ of, takes }: BudgetShare): BudgetShare {
  return { of, takes: takes.map(({ currency, hundredths }) => ({ currency, hundredths })) };
}

/** Whether a share may be taken of it now. */
export const bears = (meter: Meter, { takes }: BudgetShare): boolean =>
  takes.every(({ currency, meterAtMost }) => meterAtMost === undefined || (meter[currency] ?? 0) <= meterAtMost);

const hundredthsOf = (amount: number): number => Math.round(amount * 100);
