/** `AgentReportStore` in memory. */
import { AgentReport } from '#contracts/agent.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { AgentReportStore } from '#functions/cluster-stores.ts';

const idOf = (key: ManifestKey, cluster: string): string => `${key.namespace}#${key.name}#${cluster}`;

export class InMemoryAgentReports implements AgentReportStore {
  readonly #reports = new Map<string, AgentReport>();

  async get(key: ManifestKey, cluster: string): Promise<AgentReport | undefined> {
    return structuredClone(this.#reports.get(idOf(key, cluster)));
  }

  async put(key: ManifestKey, cluster: string, report: AgentReport): Promise<void> {
    this.#reports.set(idOf(key, cluster), AgentReport.parse(structuredClone(report)));
  }
}
