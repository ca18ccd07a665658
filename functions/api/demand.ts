/** Sizes and replacements: what users request of clusters in addition to the manifest. Each starts the next attempt of the generation. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { type Demand, withoutReplacements, withReplacements, withSizes } from '#domain/demand.ts';
import { clustersWith, demandSizeFaults, placeOfNode, replacementFaults, undoFaults } from '#domain/demand-faults.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { shown } from '#domain/manifest/schema/names.ts';
import { counted, listed } from '#domain/words.ts';
import type { AdmittedCaller } from '../caller.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { type RefusableVerb, refuseVerb } from '../pipeline/records/refuse-verb.ts';
import { manifestOf } from '../pipeline/records/stored-document.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { requestDemand } from '../pipeline/submission/request-demand.ts';
import { groupSizeFaults, hasMachineGroups, scaleGroups } from '../pipeline/submission/scale-groups.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { checkPreconditions, submittedResponse } from './http/manifest-version.ts';

/** Sizes of autoscaled pools of one cluster, or of machine groups. */
export const scaleManifest = handle(operations.scaleManifest, async ({ path, body, headers, caller }, deps) => {
  const { stored, document, clusters } = await manifestAsked(deps, path, headers, 'scale');
  if (hasMachineGroups(stored)) {
    const wrong = groupSizeFaults(stored, body.sizes);
    if (wrong.length > 0) refuseVerb({ manifest: stored }, 'scale', wrong);
    return submittedResponse(await scaleGroups(deps, { stored, caller, sizes: body.sizes }));
  }
  const { record, faults } = clusterAsked(document, clusters, body);
  if (record === undefined || faults.length > 0) refuseVerb({ manifest: stored }, 'scale', faults);
  const asking = { by: caller.name, at: deps.clock.now().toISOString() };
  const sizes = Object.entries(body.sizes).map(([pool, count]) => `${pool} to ${counted(count, 'node')}`);
  const submitted = await requestDemand(deps, {
    stored,
    document,
    caller,
    verb: 'scale',
    kind: 'ScaleRequested',
    what: `scaling of ${listed(sizes, 20)} in cluster ${clusterName(record)} requested`,
    changes: [{ record, change: (demand) => withSizes(demand, body.sizes, asking) }],
  });
  return submittedResponse(submitted);
});

/** Nodes that others replace. */
export const replaceNodes = handle(operations.replaceNodes, async ({ path, body, headers, caller }, deps) => {
  const { stored, document, clusters } = await manifestAsked(deps, path, headers, 'replace');
  const leaving = (await deps.demands.list(stored)).flatMap(({ replace }) => replace);
  const names = [...new Set(body.nodes)];
  if (body.undo)
    return submittedResponse(await keepNodes(deps, { stored, document, clusters, caller, names, leaving }));
  const states = clusters.flatMap(({ current }) => current ?? []);
  const faults = replacementFaults(states, names, leaving);
  if (faults.length > 0) refuseVerb({ manifest: stored }, 'replace', faults);
  const asking = { by: caller.name, at: deps.clock.now().toISOString() };
  const { because = 'requested' } = body;
  const changes = clusters.flatMap((record) => {
    const own = names.filter((node) => record.current && placeOfNode([record.current], node));
    const nodes = own.map((node) => ({ node, because }));
    return own.length === 0 ? [] : [{ record, change: (demand: Demand) => withReplacements(demand, nodes, asking) }];
  });
  const submitted = await requestDemand(deps, {
    stored,
    document,
    caller,
    changes,
    verb: 'replace',
    kind: 'ReplacementRequested',
    what: `replacement of ${listed(names, 20)} requested (${because})`,
  });
  return submittedResponse(submitted);
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
  if (faults.length > 0) refuseVerb({ manifest: stored }, 'replace', faults);
  const change = (demand: Demand) => withoutReplacements(demand, new Set(names));
  return requestDemand(deps, {
    stored,
    document,
    caller,
    verb: 'replace',
    kind: 'ReplacementRequested',
    what: `end of the replacement of ${listed(names, 20)} requested`,
    changes: clusters.map((record) => ({ record, change })),
    // Plan Cluster stores the start of a removal and then reads the demand: one of the two sees the other.
    lateFaults: async () => undoFaults(names, leaving, await deps.clusters.list(stored)),
  });
}

/** The manifest, its document and its clusters. Throws what speaks against asking anything of it. */
async function manifestAsked(
  deps: Pick<ApiPorts, 'manifests' | 'clusters'>,
  path: Pick<ManifestRecord, 'namespace' | 'name'>,
  headers: Readonly<Record<string, string>>,
  verb: RefusableVerb,
) {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  if (stored.deleting) refuseVerb({ manifest: stored }, verb, 'it is being deleted; apply a document to keep it');
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
