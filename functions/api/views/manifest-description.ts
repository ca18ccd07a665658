/** The description of a manifest: its row in the list, and the whole; of one that cannot be read with the reason. */
import type { ManifestDescription, ManifestSummary, Progress, Run } from '#contracts/api-bodies.ts';
import type { ClusterRecord, DemandRecord, ManifestHead, ManifestRecord, RunRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { FailedManifest } from '#domain/failure-lines.ts';
import { movedTemplateText } from '#domain/take-templates.ts';
import type { ManifestRemains } from '../../manifest-store.ts';
import { renewsCertificates } from '../../pipeline/drift/drift-policy.ts';
import { isBeingCancelled } from '../../pipeline/records/cancellation.ts';
import { clusterName } from '../../pipeline/records/cluster-records.ts';
import { failedManifestOf, linesOfCluster } from '../../pipeline/records/failed-cluster.ts';
import { wayOut } from '../../pipeline/records/stored-manifest.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { linksOf } from './api-paths.ts';
import { endsSoon } from './certificate-ends.ts';
import { describeCluster, nodeRows, progressOf } from './cluster-description.ts';
import { fleetStateOf } from './fleet-state.ts';
import { type ClusterRows, knownRows, rememberRows } from './known-rows.ts';
import { type PlansByManifest, proposedFor } from './waiting-plans.ts';

/** With the state that the API always says. */
type Row = ManifestSummary & Pick<Required<ManifestSummary>, 'state'>;

function summarizeManifest(record: ManifestHead, clusters: readonly ClusterRecord[], now: Date, plans = noPlans): Row {
  const rows = {
    clusters: clusters.map((cluster) => clusterRow(cluster, failedManifestOf(record), now)),
    progress: overallProgress(record, clusters),
  };
  return withRows(record, rows, plans);
}

const noPlans: PlansByManifest = new Map();

function withRows(record: ManifestHead, { clusters, progress }: ClusterRows, plans: PlansByManifest): Row {
  const paused = record.paused === true;
  const proposed = proposedFor(record, plans);
  const failed = record.failed !== undefined && record.status !== 'Failed';
  return {
    namespace: record.namespace,
    name: record.name,
    generation: record.generation,
    attempt: record.attempt,
    status: record.status,
    deleting: record.deleting,
    paused,
    ...(isBeingCancelled(record) && { cancelling: true as const }),
    ...(failed && { failed }),
    state: fleetStateOf({ status: failed ? 'Failed' : record.status, paused, clusters, ...proposed }),
    runId: record.runId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    progress,
    ...proposed,
    ...behindRows(record),
    clusters,
  };
}

function behindRows({ behind = {}, templates = {} }: ManifestHead): Pick<ManifestSummary, 'behind'> {
  const rows = Object.entries(behind).map(([key, { to, since, because, plan }]) => ({
    change: movedTemplateText({ key, from: templates[key], to }),
    since,
    ...(because !== undefined && { because }),
    ...(plan !== undefined && { plan }),
  }));
  return rows.length === 0 ? {} : { behind: rows };
}

function clusterRow(cluster: ClusterRecord, manifest: FailedManifest, now: Date): ManifestSummary['clusters'][number] {
  const nodes = nodeRows(cluster);
  const { cluster: id, status, progress, failure, drift } = cluster;
  const providers = [...new Set(nodes.map(({ provider }) => provider))];
  const parts = (wanted: string): number => progress?.nodes.filter(({ part }) => part === wanted).length ?? 0;
  const works = status === 'Running' || status === 'RollingBack' || status === 'BackingOff';
  return {
    cluster: id,
    name: clusterName(cluster),
    status,
    nodes: nodes.length,
    ...(providers.length > 0 && { providers }),
    ...(progress &&
      works && {
        now: {
          direction: progress.direction,
          stage: progress.stage ?? null,
          waypoint: progress.waypoint,
          waypoints: progress.waypoints,
          joins: parts('joins'),
          leaves: parts('leaves'),
        },
      }),
    ...(failure && {
      failure: {
        class: failure.class,
        code: failure.code,
        message: failure.message.slice(0, 300),
        hint: failure.hint,
        at: failure.at,
        lines: linesOfCluster({ ...cluster, name: clusterName(cluster) }, manifest),
      },
    }),
    ...(drift && drift.items.length > 0 && { drift: drift.items.length }),
    ...endsSoon(cluster, now),
  };
}

/** What is stored of a manifest in addition to its record and clusters. */
interface Surroundings {
  readonly lastRun?: RunRecord | undefined;
  readonly demands?: readonly DemandRecord[];
  readonly plans?: PlansByManifest;
  readonly now: Date;
}

export function manifestDescription(
  record: ManifestRecord,
  clusters: readonly ClusterRecord[],
  { lastRun, demands = [], plans, now }: Surroundings,
): ManifestDescription {
  const failed = failedManifestOf(record);
  return {
    ...summarizeManifest(record, clusters, now, plans),
    document: record.document,
    clusters: clusters.map((cluster) => {
      const demand = demands.find((one) => one.cluster === cluster.cluster);
      return describeCluster(cluster, { demand, manifest: failed, renews: renewsCertificates(record), now });
    }),
    simulated: [...new Set(clusters.flatMap((cluster) => cluster.facts.simulated))],
    lastRun: lastRun ? shownRun(lastRun) : null,
    ...(!record.paused && nextOf(record)),
    links: linksOf(record, record.runId),
  };
}

/** One that failed before its checks were scheduled, too, was due for its retry alone. */
function nextOf({ status, dueAt, failed }: ManifestRecord): Pick<ManifestDescription, 'retryAt' | 'checkAt'> {
  if (dueAt === undefined || (status !== 'Failed' && status !== 'Done')) return {};
  if (status === 'Failed' && failed === undefined) return { retryAt: dueAt };
  const { retryAt } = failed ?? {};
  return { ...(retryAt !== undefined && { retryAt }), ...(dueAt !== retryAt && { checkAt: dueAt }) };
}

/** A run as it is shown: images of runners name accounts and registries, and are of use to the pipeline alone. */
export const shownRun = ({ runners: _, ...run }: RunRecord): Run => run;

/** Steps of all clusters of the present run together; null while none is known. */
function overallProgress(record: ManifestHead, clusters: readonly ClusterRecord[]): Progress | null {
  const ofRun = clusters.flatMap(({ progress, status }) =>
    progress?.runId === record.runId ? [progressOf(progress, status === 'Converged')] : [],
  );
  if (ofRun.length === 0) return record.status === 'Done' ? { step: 0, steps: 0, percent: 100 } : null;
  const step = ofRun.reduce((sum, each) => sum + each.step, 0);
  const steps = ofRun.reduce((sum, each) => sum + each.steps, 0);
  const done = record.status === 'Done' || ofRun.every((each) => each.percent === 100);
  return progressOf({ step, steps }, done);
}

type Ports = Pick<ApiPorts, 'clusters' | 'clock'>;

/** The row of a manifest; it is unreadable when one of its clusters is. */
export async function summaryOf(deps: Ports, record: ManifestHead, plans: PlansByManifest): Promise<Row> {
  try {
    return withRows(record, await rowsOf(deps, record), plans);
  } catch (error) {
    return summaryOfRemains(remainsWithout(record, error));
  }
}

async function rowsOf({ clusters: store, clock }: Ports, record: ManifestHead): Promise<ClusterRows> {
  const known = knownRows(store, record);
  if (known) return known;
  const { clusters, progress } = summarizeManifest(record, await store.list(record), clock.now());
  rememberRows(store, record, { clusters, progress });
  return { clusters, progress };
}

/** Where no cluster is shown. */
const noTime = new Date(0);

export function summaryOfRemains(remains: ManifestRemains): Row {
  return { ...summarizeManifest(remains.record, [], noTime), ...marked(remains) };
}

export function describeRemains(remains: ManifestRemains): ManifestDescription {
  return { ...manifestDescription(remains.record, [], { now: noTime }), ...marked(remains) };
}

/** What is left of a manifest whose clusters cannot be read. Throws any other error. */
export function remainsWithout(record: ManifestHead | ManifestRecord, error: unknown): ManifestRemains {
  if (!isPipelineError(error, 'Unreadable')) throw error;
  const { namespace, name } = record;
  return { namespace, name, reason: error.message, record: { document: null, ...record }, replaceable: false };
}

function marked(remains: ManifestRemains): Pick<Row, 'status' | 'state' | 'unreadable'> {
  return { status: 'Unreadable', state: 'attention', unreadable: wayOut(remains) };
}
