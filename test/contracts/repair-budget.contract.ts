/** What every `RepairBudget` promises. */
import { describe, expect, it } from 'vitest';
import type { RepairBudget } from '#functions/ports.ts';

export function repairBudgetContract(name: string, make: () => RepairBudget): void {
  describe(`RepairBudget, ${name}`, () => {
    const hour = '2026-11-20T12:00:00.000Z';

    it('an hour has as many replacements as it may, and each hour has its own', async () => {
      const budget = make();
      expect(await budget.spent(hour)).toBe(0);
      const answers = [await budget.take(hour, 2), await budget.take(hour, 2), await budget.take(hour, 2)];
      expect(answers).toEqual([true, true, false]);
      expect(await budget.spent(hour)).toBe(2);
      expect(await budget.spent('2026-11-20T13:00:00.000Z')).toBe(0);
    });

    it('those who take at the same moment never take more than there is', async () => {
      const budget = make();
      const answers = await Promise.all(Array.from({ length: 6 }, () => budget.take(hour, 3)));
      expect(answers.filter((taken) => taken)).toHaveLength(3);
      expect(await budget.spent(hour)).toBe(3);
    });
  });
}
