/** `WaitingPlanStore` on DynamoDB: all of them in one partition, until what is kept of the plans expires. */
import { WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import type { PlansOf, WaitingPlanKey, WaitingPlanStore } from '../ports.ts';
import { type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { waitingPlanItem, waitingPlans, waitingPlansOf } from './table-keys.ts';

/** As objects below `plans/`. */
const keepSeconds = 30 * 86_400;

export class DynamoWaitingPlans extends TableStore implements WaitingPlanStore {
  async list(of?: PlansOf): Promise<readonly WaitingPlanRecord[]> {
    const items = await this.table.queryAll(itemsIn(waitingPlans, of && waitingPlansOf(of)));
    const waiting = readableOnes(items, read).filter(({ ended }) => !ended);
    return waiting.sort((one, other) => (one.at < other.at ? 1 : -1));
  }

  async put(plan: WaitingPlanRecord): Promise<void> {
    const expireAt = Math.floor(Date.parse(plan.at) / 1000) + keepSeconds;
    await this.table.put({ ...waitingPlanItem(plan), expireAt, record: JSON.stringify(plan) });
  }

  async remove(key: WaitingPlanKey): Promise<void> {
    await this.table.remove(waitingPlanItem(key));
  }
}

function read({ sk, record, format }: Item): WaitingPlanRecord {
  return readJsonRecord(WaitingPlanRecord, record, { what: `plan ${sk}`, format });
}
