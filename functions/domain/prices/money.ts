/** Amounts of money, and what is accepted to cost so much. */
import { z } from 'zod';

export const Money = z.strictObject({ currency: z.string().describe('ISO 4217'), amount: z.number() });
export type Money = z.infer<typeof Money>;

/** What the machines of a manifest cost a month once all is done that was accepted. */
export const AcceptedCost = z.strictObject({
  /** One for each currency. */
  amounts: z.array(Money),
  /** Machines whose price is not known, which no amount has. */
  notKnown: z.number().int(),
});
export type AcceptedCost = z.infer<typeof AcceptedCost>;

/** One schema for all records: each is made at each cold start of a function. */
export const MaybeCost = AcceptedCost.optional();

export const noCost: AcceptedCost = { amounts: [], notKnown: 0 };

/** The largest amount of each currency: so much may exist when the states of one manifest follow each other. */
export function mostOf(costs: readonly (AcceptedCost | undefined)[]): AcceptedCost {
  const known = costs.filter((cost) => cost !== undefined);
  const most = new Map<string, number>();
  for (const { currency, amount } of known.flatMap(({ amounts }) => amounts))
    most.set(currency, Math.max(amount, most.get(currency) ?? 0));
  const amounts = [...most].map(([currency, amount]) => ({ currency, amount }));
  return { amounts, notKnown: Math.max(0, ...known.map(({ notKnown }) => notKnown)) };
}
