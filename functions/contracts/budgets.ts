/** Budgets in the store. What counts in them is in the manifests and roll-outs themselves: this says whether more was accepted since it was counted. */
import { z } from 'zod';
import { RollOutKey } from './roll-outs.ts';

export const BudgetRecord = z.strictObject({
  /** A namespace, or `*`: the whole installation. */
  of: z.string(),
  /** By currency, in hundredths: a meter that only grows, by what was accepted. Its difference between two readings is the most that was added meanwhile. */
  accepted: z.record(z.string(), z.number().int()),
  /** Roll-outs of which clusters may not be stored yet; those that ended no longer count. */
  rollOuts: z.array(RollOutKey),
  /** Optimistic lock of `rollOuts`. */
  version: z.number().int(),
});
export type BudgetRecord = z.infer<typeof BudgetRecord>;
