/** `WaitingPlanStore` on DynamoDB: all of them in one partition, until what is kept of the plans expires. What is decided about one is an attribute of its item. */
import { decisionSeconds, type PlanDecision, readPlanDecision, WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { PlansOf, WaitingPlanKey, WaitingPlanStore } from '../waiting-plan-store.ts';
import { type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { waitingPlanItem, waitingPlans, waitingPlansOf } from './table-keys.ts';

/** As objects below `plans/`. */
const keepSeconds = 30 * 86_400;

export class DynamoWaitingPlans extends TableStore implements WaitingPlanStore {
  async list(of?: PlansOf): Promise<readonly WaitingPlanRecord[]> {
    const items = await this.table.queryAll(itemsIn(waitingPlans, of && waitingPlansOf(of)));
    const undecided = items.filter(({ decision }) => decision === undefined);
    const waiting = readableOnes(undecided, read).filter(({ ended }) => !ended);
    return waiting.sort((one, other) => (one.at < other.at ? 1 : -1));
  }

  async put(plan: WaitingPlanRecord): Promise<void> {
    await this.table.put(itemOf(plan));
  }

  async keep(plan: WaitingPlanRecord): Promise<void> {
    await this.table.put(itemOf(plan), { expression: 'attribute_not_exists(#pk)' });
  }

  async decide(plan: WaitingPlanRecord, decision: PlanDecision): Promise<PlanDecision | null | undefined> {
    const left = new Date(Date.parse(decision.at) - decisionSeconds * 1000).toISOString();
    const free = '(attribute_not_exists(#decidedAt) OR #decidedAt < :left)';
    // Items of an older release have no time.
    const same = '(attribute_not_exists(#proposedAt) OR #proposedAt = :proposedAt)';
    const { record, expireAt, proposedAt } = itemOf(plan);
    const values = { record, expireAt, proposedAt, decision: JSON.stringify(decision), decidedAt: decision.at };
    // One that was lost from the index is decided as well.
    const kept = '#record = if_not_exists(#record, :record), #expireAt = if_not_exists(#expireAt, :expireAt)';
    const change = {
      expression: `SET ${kept}, #proposedAt = :proposedAt, #decision = :decision, #decidedAt = :decidedAt`,
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    };
    const key = waitingPlanItem(plan);
    const condition = { expression: `${free} AND ${same}`, values: { ':left': left } };
    if ((await this.table.update(key, change, condition)) !== undefined) return undefined;
    const { decision: made } = (await this.table.get(key)) ?? {};
    return made === undefined ? null : readPlanDecision(JSON.parse(String(made)));
  }

  async reopen(key: WaitingPlanKey, decision: PlanDecision): Promise<void> {
    await this.table.update(
      waitingPlanItem(key),
      { expression: 'REMOVE #decision, #decidedAt' },
      { expression: '#decision = :decision', values: { ':decision': JSON.stringify(decision) } },
    );
  }
}

function itemOf(plan: WaitingPlanRecord) {
  const expireAt = Math.floor(Date.parse(plan.at) / 1000) + keepSeconds;
  return { ...waitingPlanItem(plan), expireAt, proposedAt: plan.at, record: JSON.stringify(plan) };
}

function read({ sk, record, format }: Item): WaitingPlanRecord {
  return readJsonRecord(WaitingPlanRecord, record, { what: `plan ${sk}`, format });
}
