/** `RepairBudget` on DynamoDB: one small item for each hour in which something was replaced. */
import type { RepairBudget } from '../ports.ts';
import { followsStored, TableStore } from './dynamo-table.ts';
import { repairHourItem } from './table-keys.ts';

/** Seconds that an hour is kept after its beginning. */
const keepSeconds = 48 * 3600;
/** So many clusters may take of it at the same moment. */
const mostTries = 10;

export class DynamoRepairBudget extends TableStore implements RepairBudget {
  async spent(hour: string): Promise<number> {
    const item = await this.table.get(repairHourItem(hour));
    return Number(item?.spent ?? 0);
  }

  async take(hour: string, most: number): Promise<boolean> {
    const expireAt = Math.floor(Date.parse(hour) / 1000) + keepSeconds;
    for (let tries = 0; tries < mostTries; tries++) {
      const before = await this.spent(hour);
      if (before >= most) return false;
      const item = { ...repairHourItem(hour), spent: before + 1, expireAt };
      if (await this.table.put(item, followsStored('spent', before + 1))) return true;
    }
    return false;
  }
}
