/** What every `RepairBudget` promises. */
import { describe, expect, it } from 'vitest';
import type { RepairBudget } from '#functions/ports.ts';

export function repairBudgetContract(name: string, make: () => RepairBudget): void {
  describe(`RepairBudget, ${name}`, () => {
    const hour = '2026-11-20T12:00:00.000Z';

    it('the replacement budget is per hour and starts again each hour', async () => {
      const budget = make();
      expect(await budget.spent(hour)).toBe(0);
      const answers = [await budget.take(hour, 2), await budget.take(hour, 2), await budget.take(hour, 2)];
      expect(answers).toEqual([true, true, false]);
      expect(await budget.spent(hour)).toBe(2);
      expect(await budget.spent('2026-11-20T13:00:00.000Z')).toBe(0);
    });

    it('concurrent takers never take more than the budget has', async () => {
      const budget = make();
      const answers = await Promise.all(Array.from({ length: 6 }, () => budget.take(hour, 3)));
      expect(answers.filter((taken) => taken)).toHaveLength(3);
      expect(await budget.spent(hour)).toBe(3);
    });
  });
}
