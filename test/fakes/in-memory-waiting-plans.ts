/** `WaitingPlanStore` in memory. */
import { decisionSeconds, type PlanDecision, readPlanDecision, WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { PlansOf, WaitingPlanKey, WaitingPlanStore } from '#functions/waiting-plan-store.ts';

const idOf = ({ namespace, name, id }: WaitingPlanKey): string => `${namespace}#${name}#${id}`;

interface Kept {
  readonly record: WaitingPlanRecord;
  readonly decision?: PlanDecision;
}

export class InMemoryWaitingPlans implements WaitingPlanStore {
  readonly #kept = new Map<string, Kept>();

  async list(of?: PlansOf): Promise<readonly WaitingPlanRecord[]> {
    const fits = ({ record: { namespace, name, ended }, decision }: Kept): boolean =>
      !ended && !decision && (of === undefined || (of.namespace === namespace && (of.name ?? name) === name));
    const found = [...this.#kept.values()].filter(fits).map(({ record }) => record);
    return structuredClone(found.sort((one, other) => (one.at < other.at ? 1 : -1)));
  }

  async put(plan: WaitingPlanRecord): Promise<void> {
    this.#kept.set(idOf(plan), { record: structuredClone(WaitingPlanRecord.parse(plan)) });
  }

  async keep(plan: WaitingPlanRecord): Promise<void> {
    if (!this.#kept.has(idOf(plan))) await this.put(plan);
  }

  async decide(plan: WaitingPlanRecord, decision: PlanDecision): Promise<PlanDecision | null | undefined> {
    const { record = WaitingPlanRecord.parse(plan), decision: made } = this.#kept.get(idOf(plan)) ?? {};
    const isLeft = made && Date.parse(made.at) < Date.parse(decision.at) - decisionSeconds * 1000;
    if (made && !isLeft) return made;
    if (record.at !== plan.at) return made ?? null;
    this.#kept.set(idOf(plan), { record, decision: readPlanDecision(decision) });
    return undefined;
  }

  async reopen(key: WaitingPlanKey, decision: PlanDecision): Promise<void> {
    const { record, decision: made } = this.#kept.get(idOf(key)) ?? {};
    if (record && JSON.stringify(made) === JSON.stringify(decision)) this.#kept.set(idOf(key), { record });
  }
}
