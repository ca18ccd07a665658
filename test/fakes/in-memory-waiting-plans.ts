/** `WaitingPlanStore` in memory. */
import { WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { PlansOf, WaitingPlanKey, WaitingPlanStore } from '#functions/ports.ts';

const idOf = ({ namespace, name, id }: WaitingPlanKey): string => `${namespace}#${name}#${id}`;

export class InMemoryWaitingPlans implements WaitingPlanStore {
  readonly #records = new Map<string, WaitingPlanRecord>();

  async list(of?: PlansOf): Promise<readonly WaitingPlanRecord[]> {
    const fits = ({ namespace, name, ended }: WaitingPlanRecord): boolean =>
      !ended && (of === undefined || (of.namespace === namespace && (of.name ?? name) === name));
    const found = [...this.#records.values()].filter(fits);
    return structuredClone(found.sort((one, other) => (one.at < other.at ? 1 : -1)));
  }

  async put(plan: WaitingPlanRecord): Promise<void> {
    this.#records.set(idOf(plan), structuredClone(WaitingPlanRecord.parse(plan)));
  }

  async remove(key: WaitingPlanKey): Promise<void> {
    this.#records.delete(idOf(key));
  }
}
