/** What the agent of a cluster reported: kept until its next report. */
import { type AgentHealth, type AgentReport, OldAgentReport, oldAgentReportKey } from '#contracts/agent.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { hasToken } from '#domain/cluster-documents.ts';
import { observationOf } from '#domain/node-observation.ts';
import { sameValue } from '#domain/same-value.ts';
import type { Using } from '../../ports.ts';
import { clusterEvent } from './cluster-records.ts';
import { readDocument } from './known-facts.ts';
import { noticeEvents } from './notice-events.ts';

const keyOfRecord = ({ namespace, manifest }: ClusterRecord) => ({ namespace, name: manifest });

const minute = 60_000;
/** The agent reports every five minutes, and what changes at once: one that did not for so long does not work. */
const silentMs = 10 * minute;
/** A report that says the same is written no more often. */
const renewMs = 5 * minute;

/** The last one; undefined when no agent has reported. */
export async function lastReport(
  deps: Using<'agentReports.get' | 'artifacts.getText'>,
  record: ClusterRecord,
): Promise<AgentReport | undefined> {
  const key = keyOfRecord(record);
  const report = await deps.agentReports.get(key, record.cluster);
  if (report) return report;
  const old = await readDocument(deps, oldAgentReportKey(key, record.cluster), OldAgentReport);
  return old && { schema: 2, unwell: [], ...old };
}

/** True for a report that is not too old to say that the agent works. */
export function isRecent({ at }: AgentReport, now: Date): boolean {
  return now.getTime() - Date.parse(at) <= silentMs;
}

/** ISO 8601: since when the agent that the cluster has is silent, the time included in which its pod starts. Undefined: it reports, or the cluster has no agent. */
export function silentSince(
  { current, facts }: Pick<ClusterRecord, 'current' | 'facts'>,
  report: AgentReport | undefined,
  now: Date,
): string | undefined {
  if (!current?.documents?.some(hasToken)) return undefined;
  const since = [facts.agent?.appliedAt, report?.at]
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
  return since !== undefined && now.getTime() - Date.parse(since) > silentMs ? since : undefined;
}

/** Replaces the one before, and is returned; capacities of pools that have no nodes any more stay. */
export async function keepReport(
  deps: Using<'agentReports.get' | 'agentReports.put' | 'artifacts.getText' | 'events.append'>,
  {
    record,
    health,
    runId,
    now,
  }: {
    readonly record: ClusterRecord;
    readonly health: AgentHealth;
    /** That of the last run of the manifest. */
    readonly runId: string;
    readonly now: Date;
  },
): Promise<AgentReport> {
  const before = await lastReport(deps, record);
  const report = reportOf(record, health, { now, capacity: before?.capacity ?? {} });
  const isNew = before === undefined || now.getTime() - Date.parse(before.at) >= renewMs;
  if (!isNew && sameValue({ ...before, at: '' }, { ...report, at: '' })) return report;
  await deps.agentReports.put(keyOfRecord(record), record.cluster, report);
  const events = noticeEvents(before, report);
  if (events.length > 0) {
    const at = now.toISOString();
    await deps.events.append(
      keyOfRecord(record),
      events.map((event) => clusterEvent({ runId, cluster: record.cluster }, at, event)),
    );
  }
  return report;
}

function reportOf(
  { current, facts }: ClusterRecord,
  { nodes }: AgentHealth,
  { now, capacity }: { readonly now: Date; readonly capacity: AgentReport['capacity'] },
): AgentReport {
  const live = new Map(nodes.map((node) => [node.name, node]));
  const pools = current?.pools ?? [];
  const seen = pools.flatMap(({ name, nodes: own }) => {
    const allocatable = own.map((node) => live.get(node.name)?.allocatable).findLast((one) => one !== undefined);
    return allocatable?.cpu && allocatable.memory ? [[name, allocatable] as const] : [];
  });
  return {
    schema: 2,
    at: now.toISOString(),
    unwell: pools
      .flatMap(({ nodes: own }) => own.map(({ name }) => observationOf(name, live.get(name), facts.nodes[name])))
      .filter(({ health, locked, notice }) => health !== 'healthy' || locked || notice),
    capacity: { ...capacity, ...Object.fromEntries(seen) },
  };
}
