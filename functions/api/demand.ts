/** Sizes and replacements: what is asked of clusters besides the manifest. Each starts the next attempt of the generation. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import {
  type Demand,
  openDemand,
  sameDemand,
  withoutReplacements,
  withReplacements,
  withSizes,
} from '#domain/demand.ts';
import { clustersWith, demandSizeFaults, placeOfNode, replacementFaults, undoFaults } from '#domain/demand-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/input-manifest.ts';
import { shown } from '#domain/manifest/names.ts';
import { counted, listed } from '#domain/planning/text/words.ts';
import type { AdmittedCaller } from '../caller.ts';
import { startAnotherAttempt } from '../pipeline/manifests/next-attempt.ts';
import { boundsOf, planCluster } from '../pipeline/plans/cluster-plans.ts';
import { planningOf } from '../pipeline/plans/planning.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { changeDemand, demandOf } from '../pipeline/records/demand-records.ts';
import { manifestOf } from '../pipeline/records/stored-document.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { recordManifestChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { acceptedResponse, checkPreconditions, unchangedResponse } from './manifest-version.ts';
import { groupSizeFaults, hasMachineGroups, scaleGroups } from './scale-groups.ts';

/** Sizes of autoscaled pools of one cluster, or of machine groups. */
export const scaleManifest = handle(operations.scaleManifest, async ({ path, body, headers, caller }, deps) => {
  const { stored, document, clusters } = await manifestAsked(deps, path, headers, 'scaled');
  if (hasMachineGroups(stored)) {
    const wrong = groupSizeFaults(stored, body.sizes);
    if (wrong.length > 0) throw refused(stored, 'scaled', wrong);
    return scaleGroups(deps, { stored, caller, sizes: body.sizes });
  }
  const { record, faults } = clusterAsked(document, clusters, body);
  if (record === undefined || faults.length > 0) throw refused(stored, 'scaled', faults);
  const asking = { by: caller.name, at: deps.clock.now().toISOString() };
  const sizes = Object.entries(body.sizes).map(([pool, count]) => `${pool} to ${counted(count, 'node')}`);
  return requestDemand(deps, {
    ...{ stored, document, caller, done: 'scaled' as const, kind: 'ScaleRequested' as const },
    what: `scaling of ${listed(sizes, 20)} in cluster ${clusterName(record)} requested`,
    changes: [{ record, change: (demand) => withSizes(demand, body.sizes, asking) }],
  });
});

/** Nodes that others replace. */
export const replaceNodes = handle(operations.replaceNodes, async ({ path, body, headers, caller }, deps) => {
  const { stored, document, clusters } = await manifestAsked(deps, path, headers, 'changed');
  const leaving = (await deps.demands.list(stored)).flatMap(({ replace }) => replace);
  const names = [...new Set(body.nodes)];
  if (body.undo) return keepNodes(deps, { stored, document, clusters, caller, names, leaving });
  const states = clusters.flatMap(({ current }) => current ?? []);
  const faults = replacementFaults(states, names, leaving);
  if (faults.length > 0) throw refused(stored, 'changed', faults);
  const asking = { by: caller.name, at: deps.clock.now().toISOString() };
  const { because = 'requested' } = body;
  const changes = clusters.flatMap((record) => {
    const own = names.filter((node) => record.current && placeOfNode([record.current], node));
    const nodes = own.map((node) => ({ node, because }));
    return own.length === 0 ? [] : [{ record, change: (demand: Demand) => withReplacements(demand, nodes, asking) }];
  });
  return requestDemand(deps, {
    ...{ stored, document, caller, changes, done: 'changed' as const, kind: 'ReplacementRequested' as const },
    what: `replacement of ${listed(names, 20)} requested (${because})`,
  });
});

interface Kept {
  readonly stored: ManifestRecord;
  readonly document: InputManifest;
  readonly clusters: readonly ClusterRecord[];
  readonly caller: AdmittedCaller;
  readonly names: readonly string[];
  /** What is replaced. */
  readonly leaving: Demand['replace'];
}

/** They stay after all; what was created in their place leaves again. */
function keepNodes(deps: ApiPorts, { stored, document, clusters, caller, names, leaving }: Kept) {
  const faults = undoFaults(names, leaving, clusters);
  if (faults.length > 0) throw refused(stored, 'changed', faults);
  const change = (demand: Demand) => withoutReplacements(demand, new Set(names));
  return requestDemand(deps, {
    ...{ stored, document, caller, done: 'changed' as const, kind: 'ReplacementRequested' as const },
    what: `end of the replacement of ${listed(names, 20)} requested`,
    changes: clusters.map((record) => ({ record, change })),
    // Plan Cluster stores the start of a removal and then reads the demand: one of the two sees the other.
    faultsBehind: async () => undoFaults(names, leaving, await deps.clusters.list(stored)),
  });
}

interface Request {
  readonly stored: ManifestRecord;
  readonly document: InputManifest;
  readonly caller: AdmittedCaller;
  readonly changes: readonly { readonly record: ClusterRecord; readonly change: (demand: Demand) => Demand }[];
  /** For people. */
  readonly what: string;
  readonly done: string;
  /** The same request starts a failed run again, and automatic retries are counted from 0. @default true */
  readonly byPerson?: boolean;
  readonly kind: 'ScaleRequested' | 'ReplacementRequested';
  /** What speaks against it once it is stored: a run at work was faster. */
  readonly faultsBehind?: () => Promise<readonly WireFault[]>;
}

/** Stores it and starts the next attempt, unless it is all there or asked for already. */
export async function requestDemand(deps: ApiPorts, request: Request) {
  const { stored, document, caller, changes, what, done, kind, byPerson = true } = request;
  const bounds = boundsOf(document);
  const asking = changes.map(async ({ record, change }) => {
    const { current, attempted } = record;
    const about = { current, attempted, bounds };
    const before = openDemand(demandOf(await deps.demands.get(stored, record.cluster)), about);
    return { record, change, before, after: openDemand(change(before), about) };
  });
  const asked = await Promise.all(asking);
  if (asked.every(({ before, after }) => sameDemand(before, after) && !(byPerson && stored.status === 'Failed'))) {
    // That a size failed is forgotten all the same.
    for (const { record, before, after } of asked)
      await changeDemand(deps, idOf(record), (demand) => withoutFailures(demand, before, after));
    return unchangedResponse(stored);
  }
  const faults = asked.flatMap(({ record, before, after }) => planFaults(deps, stored, record, { before, after }));
  if (faults.length > 0) throw refused(stored, done, faults);
  for (const { record, change } of asked) await changeDemand(deps, idOf(record), change);
  const late = (await request.faultsBehind?.()) ?? [];
  if (late.length > 0) throw refused(stored, done, late);
  const next = await startAnotherAttempt(deps, stored, what, byPerson);
  await recordManifestChange(deps, next, what, caller, kind);
  return acceptedResponse(next);
}

const idOf = ({ namespace, manifest: name, cluster }: ClusterRecord) => ({ key: { namespace, name }, cluster });

function withoutFailures(demand: Demand, before: Demand, after: Demand): Demand {
  const gone = Object.keys(before.failures).filter((pool) => after.failures[pool] === undefined);
  const failures = Object.entries(demand.failures).filter(([pool]) => !gone.includes(pool));
  return { ...demand, failures: Object.fromEntries(failures) };
}

/** What the planner refuses for the demand, and not without. */
function planFaults(
  deps: Pick<ApiPorts, 'ids' | 'config'>,
  stored: ManifestRecord,
  record: ClusterRecord,
  { before, after }: { readonly before: Demand; readonly after: Demand },
): readonly WireFault[] {
  const refusals = (demand: Demand) => {
    const planning = { ...planningOf(deps, stored), demands: { [record.cluster]: demand } };
    return planCluster(planning, stored, record).refusals;
  };
  const known = new Set(refusals(before).map(({ reason }) => reason));
  return refusals(after).flatMap(({ path, reason, fix }) => (known.has(reason) ? [] : [{ path, reason, fix }]));
}

/** The manifest, its document and its clusters. Throws what speaks against asking anything of it. */
async function manifestAsked(
  deps: Pick<ApiPorts, 'manifests' | 'clusters'>,
  path: Pick<ManifestRecord, 'namespace' | 'name'>,
  headers: Readonly<Record<string, string>>,
  done: string,
) {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  if (stored.deleting) {
    const fix = 'apply a document to keep it';
    throw refused(stored, done, [{ path: 'it', reason: 'it is being deleted', fix }]);
  }
  return { stored, document: manifestOf(stored), clusters: await deps.clusters.list(path) };
}

/** The cluster that is named, or the only one that uses the pools. */
function clusterAsked(
  document: InputManifest,
  clusters: readonly ClusterRecord[],
  { cluster, sizes }: { readonly cluster?: string | undefined; readonly sizes: Readonly<Record<string, number>> },
): { readonly record?: ClusterRecord; readonly faults: readonly WireFault[] } {
  const fault = (reason: string, fix: string) => ({ faults: [{ path: 'cluster', reason, fix }] });
  const names = document.spec.kubernetes.clusters.map(({ name }) => name);
  const known = clusters.find((record) => [clusterName(record), record.cluster].includes(cluster ?? ''));
  if (cluster !== undefined && !known)
    return fault(`there is no cluster ${shown(cluster)}`, `name one of ${listed(names, 10)}`);
  const using = [...new Set(Object.keys(sizes).flatMap((pool) => clustersWith(document, pool)))];
  if (!known && using.length > 1) {
    return fault(`the clusters ${listed(using, 10)} use these pools`, 'name one of them as `cluster`');
  }
  const name = known ? clusterName(known) : (using[0] ?? names[0] ?? '');
  const record = known ?? clusters.find((one) => clusterName(one) === name);
  const faults = demandSizeFaults(document, name, sizes).map((one) => ({ ...one }));
  if (record?.current || faults.length > 0) return { ...(record && { record }), faults };
  return fault(`the cluster ${shown(name)} does not exist yet`, 'retry when its first run is done');
}

/** "manifest "team/shop" cannot be scaled: …", with all faults. */
function refused(stored: ManifestRecord, done: string, faults: readonly WireFault[]): PipelineError {
  const { namespace, name, generation, attempt } = stored;
  const reasons = faults.map(({ reason, fix }) => (fix === undefined ? reason : `${reason}; ${fix}`)).join('. ');
  return new PipelineError('VerbRefused', `manifest "${namespace}/${name}" cannot be ${done}: ${reasons}`, {
    details: { faults: [...faults], current: { generation, attempt } },
  });
}
