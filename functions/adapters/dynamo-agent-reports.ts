/** `AgentReportStore` on DynamoDB: one small item a cluster, which is gone when no agent has reported for a quarter of a year. */
import { AgentReport } from '#contracts/agent.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { AgentReportStore } from '../cluster-stores.ts';
import { TableStore } from './dynamo-table.ts';
import { readJsonRecord } from './stored-record.ts';
import { agentItem } from './table-keys.ts';

const keepSeconds = 90 * 86_400;

export class DynamoAgentReports extends TableStore implements AgentReportStore {
  async get(key: ManifestKey, cluster: string): Promise<AgentReport | undefined> {
    const item = await this.table.get(agentItem(key, cluster));
    const what = `the report of the agent of cluster ${cluster} of manifest ${key.namespace}/${key.name}`;
    return item && readJsonRecord(AgentReport, item.record, { what, format: item.format });
  }

  async put(key: ManifestKey, cluster: string, report: AgentReport): Promise<void> {
    const expireAt = Math.floor(Date.parse(report.at) / 1000) + keepSeconds;
    await this.table.put({ ...agentItem(key, cluster), expireAt, record: JSON.stringify(report) });
  }
}
