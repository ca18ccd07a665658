/** `RepairBudget` in memory. */
import type { RepairBudget } from '#functions/ports.ts';

export class InMemoryRepairBudget implements RepairBudget {
  readonly #spent = new Map<string, number>();

  async spent(hour: string): Promise<number> {
    return this.#spent.get(hour) ?? 0;
  }

  async take(hour: string, most: number): Promise<boolean> {
    const before = this.#spent.get(hour) ?? 0;
    if (before >= most) return false;
    this.#spent.set(hour, before + 1);
    return true;
  }
}
