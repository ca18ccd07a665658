/** The check for drift of one cluster, as Plan Cluster starts it and Record Drift ends it. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { waypointKeys } from '#contracts/stage.ts';
import type { ClusterRun, PlanClusterOutput, StageRequest } from '#contracts/state-inputs.ts';
import { assessDrift, type DriftNews } from '#domain/assess-drift.ts';
import { type ClusterDrift, DriftReport, type NodeObservation } from '#domain/drift.ts';
import { withSeenHealthy } from '#domain/repair/after-repair.ts';
import { isUnhealthy } from '#domain/repair/node-health.ts';
import { minuteText } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { isRecent, silentSince } from '../records/agent-reports.ts';
import { isCancelled } from '../records/cancellation.ts';
import { type ClusterEvent, changed, keyOf } from '../records/cluster-records.ts';
import { knownFacts, readDocument } from '../records/known-facts.ts';
import { nothingToDo, type Runners, stageBuild } from '../stages/stage-requests.ts';
import { nextPrefix, type Start, storeStart } from '../stages/stored-start.ts';
import { checkPolicyOf, driftChecksOf } from './drift-policy.ts';
import { type Healing, healNodes } from './heal-nodes.ts';
import { type ExistingRecord, isCheckable, unreachedOf } from './maintained-cluster.ts';
import { isMidway } from './midway-check.ts';

/** True when this run was started as a drift check, and is still the current run of the manifest. */
export function isCheck(manifest: ManifestRecord, run: Pick<ClusterRun, 'runId'>): boolean {
  return manifest.check !== undefined && manifest.runId === run.runId;
}

/** A check runs once, and once more after a repair; a continued repair is verified, too. */
export function wantsCheck(manifest: ManifestRecord, run: ClusterRun, record: ClusterRecord): record is ExistingRecord {
  if (manifest.paused || isCancelled(manifest, run) || !isCheckable(record)) return false;
  const { drift } = record;
  if (record.attempted === null && drift?.repair?.state === 'made') return true;
  // A repair that an earlier run requested is decided about again, by what is found now.
  return isCheck(manifest, run) && drift?.runId !== run.runId;
}

interface CheckStart {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly record: ExistingRecord;
  readonly runners: Runners;
}

/** Stores the input of the runner for a check, and returns the output for the state machine. */
export async function beginCheck(
  deps: Using<'artifacts.getText' | 'artifacts.putText' | 'clusters.put'>,
  { run, manifest, record, runners }: CheckStart,
): Promise<PlanClusterOutput> {
  const { namespace, name, generation, runId, cluster } = run;
  const { current, drift } = record;
  const facts = await knownFacts(deps, record);
  const { waypointPrefix } = nextPrefix(run, record);
  const repaired = drift?.repair?.state === 'made';
  const reason = repaired ? 'whether the repair has helped' : 'whether anything differs from what was created';
  const unreached = isCheck(manifest, run) && manifest.failed && drift?.runId !== run.runId ? unreachedOf(record) : {};
  const nothing = nothingToDo('none');
  const build = stageBuild({ waypointPrefix, stage: 'drift', mode: 'do' }, runners);
  const slot: StageRequest = { ...nothing.do.drift, hasWork: true, ...build, waypointPrefix };
  const start: Start = {
    document: { schema: 1, namespace, manifest: name, generation, runId, cluster, facts, current, reason },
    record: changed(record, run, { status: 'Checking', facts, waypointPrefix, ...unreached }),
    output: { ...nothing, direction: 'check', waypointPrefix, do: { ...nothing.do, drift: slot } },
  };
  await storeStart(deps, start);
  return start.output;
}

/** The outcome of the check; `failure` says why it left no report. With what healing found and decided. */
export async function readCheck(
  deps: Parameters<typeof healNodes>[0] & Using<'agentReports.get' | 'artifacts.getText' | 'demands.get'>,
  question: {
    readonly run: ClusterRun;
    readonly record: ClusterRecord;
    readonly manifest: ManifestRecord | undefined;
    readonly waypointPrefix: string;
    readonly failure: string | undefined;
    readonly now: Date;
  },
): Promise<{ readonly news: DriftNews; readonly healing: Healing | undefined }> {
  const { run, record, manifest, waypointPrefix, failure, now } = question;
  const report =
    failure === undefined ? await readDocument(deps, waypointKeys.drift(waypointPrefix), DriftReport) : undefined;
  // A newer generation comes first; the next check follows after that.
  const mine = manifest !== undefined && isCheck(manifest, run) && manifest.generation === run.generation;
  const goneOnly = manifest !== undefined && isMidway(manifest, run, record);
  const asked = goneOnly ? checkPolicyOf(manifest) : mine ? manifest.check : undefined;
  const policy = asked ?? 'reportAll';
  const seen = mine || goneOnly ? report?.health : undefined;
  const demand = seen && (await deps.demands.get(keyOf(run), run.cluster));
  const last = await deps.agentReports.get(keyOf(run), run.cluster);
  const agentSilent = silentSince(record, last, now);
  const reported = last && isRecent(last, now) ? last.unwell : [];
  const about = { record, demand, policy, goneOnly, reported, now };
  const healing = manifest && seen ? await healNodes(deps, { ...about, manifest, seen }) : undefined;
  const news = assessDrift({
    before: record.drift,
    found: report ?? failure ?? 'the check succeeded but left no report',
    policy: mine || goneOnly ? asked : 'report',
    goneOnly,
    strays: mine ? driftChecksOf(manifest).strays : 'report',
    onExpiry: mine ? (driftChecksOf(manifest).onExpiry ?? 'renew') : 'report',
    controls: new Set(
      record.current?.pools.flatMap(({ role, nodes }) => (role === 'control' ? nodes.map(({ name }) => name) : [])),
    ),
    runId: run.runId,
    now: now.toISOString(),
    held: healing?.held ?? new Set(),
  });
  // Without a decision of its own, this check keeps what was found before and may still be so.
  const { replaced } = record.drift ?? {};
  const { health, outage } = stillFound(record, report);
  const lookAgainAt = lookAgain(question, report?.health ?? []);
  const kept = {
    ...(health && { health }),
    ...(outage && { outage }),
    ...(lookAgainAt && { lookAgainAt }),
    ...(replaced && { replaced }),
  };
  const { health: _health, outage: _outage, lookAgainAt: _again, replaced: _replaced, ...found } = news.drift;
  const { agentSilent: _silent, ...drift } = { ...found, ...(healing ? healing.found : kept) };
  return { news: { ...news, drift: { ...drift, ...(agentSilent && { agentSilent }) } }, healing };
}

/** What is left of what was found before; a check that could not look at nodes says nothing about them. */
function stillFound({ current, drift }: ClusterRecord, report: DriftReport | undefined) {
  if (drift === undefined || current === null || report?.health === undefined) return drift ?? {};
  return withSeenHealthy(drift, { state: current, seen: report.health });
}

/**
 * After a check that decided nothing about nodes: a time that is over would lead to the next check at once, and again. If a newer run
 * was asked for meanwhile, what this one saw is compared again after that.
 */
function lookAgain(
  { run, record, manifest, now }: Pick<Parameters<typeof readCheck>[1], 'run' | 'record' | 'manifest' | 'now'>,
  seen: readonly NodeObservation[],
): string | undefined {
  const at = now.toISOString();
  const overtaken = manifest !== undefined && manifest.runId !== run.runId;
  if (overtaken && seen.some(({ health }) => isUnhealthy(health))) return at;
  const before = record.drift?.lookAgainAt;
  return before !== undefined && before > at ? before : undefined;
}

/** Only what is new: a check that finds it silent again reports nothing. */
export function agentEvents(before: ClusterDrift | undefined, { agentSilent }: ClusterDrift): readonly ClusterEvent[] {
  if (agentSilent === undefined || before?.agentSilent !== undefined) return [];
  const message = `the agent has reported nothing since ${minuteText(agentSilent)}: until it does, only checks compare nodes, at their interval; see \`kubectl --namespace kube-system logs deployment/kubeloom-agent\``;
  return [{ kind: 'AgentSilent', message }];
}

/** Most findings in events; the record has all. */
const mostListed = 20;

export function driftEvents({ drift, ...news }: DriftNews): readonly ClusterEvent[] {
  const unchecked = drift.unchecked.length > 0 ? ` (not checked: ${drift.unchecked.join('; ')})` : '';
  const items = news.kind === 'DriftFound' || news.kind === 'RepairDidNotHelp' ? drift.items.slice(0, mostListed) : [];
  return [
    { ...news, message: `${drift.outcome}${unchecked}`.slice(0, 2000) },
    ...items.map(({ message, where }) => ({
      kind: 'DriftListed' as const,
      message,
      ...(where.node !== undefined && { node: where.node }),
    })),
  ];
}
