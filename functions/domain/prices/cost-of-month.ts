/** The shape of what machines cost a month before a plan and after it; `sum-costs.ts` computes it. */
import { z } from 'zod';
import { Money } from './money.ts';
import { notInPrices } from './not-in-prices.ts';

const MachineCost = z
  .strictObject({
    cluster: z.string().describe('its name'),
    pool: z.string().describe('name of the node pool; of machine groups the path, as `batch-small`'),
    provider: z.string().describe('provider instance'),
    region: z.string(),
    serverType: z.string(),
    spot: z.boolean(),
    before: z.int().describe('how many machines there are'),
    after: z.int().describe('how many there are after the plan'),
    each: Money.nullable().describe('one machine a month; null when its price is not known'),
  })
  .meta({ id: 'MachineCost' });
export type MachineCost = z.infer<typeof MachineCost>;

const amounts = z.array(Money).describe('one for each currency; those that are not known are left out');

const sums = { before: amounts, after: amounts, difference: amounts.describe('what is added; negative: saved') };
const lists = z
  .array(z.strictObject({ provider: z.string(), date: z.string(), source: z.string() }))
  .describe('where the prices are from, and of which date; source `simulated`: they are invented');

export const MachinesNotKnown = z
  .strictObject({ before: z.int(), after: z.int() })
  .describe('machines whose price is not known, which no sum has, and manifests that cannot be read');

/** The cost of several plans together. */
export const SumOfCosts = z.strictObject({ ...sums, notKnown: MachinesNotKnown, lists }).meta({
  id: 'SumOfCosts',
  description: `what the machines of several plans cost a month, list prices ${notInPrices}; each plan has its machines`,
});
export type SumOfCosts = z.infer<typeof SumOfCosts>;

export const CostOfMonth = z
  .strictObject({
    ...sums,
    machines: z.array(MachineCost).describe('by pool and kind; without static nodes and hosts of the local provider'),
    lists,
  })
  .meta({
    id: 'CostOfMonth',
    description: `list prices of machines a month, ${notInPrices}; prices not known are never guessed`,
  });
export type CostOfMonth = z.infer<typeof CostOfMonth>;
