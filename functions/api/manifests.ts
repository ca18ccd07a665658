/** Manifests: listed, described and put. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { aheadOf } from '../ahead.ts';
import type { AdmittedCaller } from '../caller.ts';
import { refuseInventoryOwned } from '../pipeline/inventory/manifest-owner.ts';
import { replaceableManifest, storedOrRemains } from '../pipeline/records/stored-manifest.ts';
import { submitDocument } from '../pipeline/submission/submit-document.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { visibleManifests } from './http/manifest-pages.ts';
import { checkPreconditions, manifestTag, submittedResponse, wantedPlans } from './http/manifest-version.ts';
import { unlessSeen } from './http/not-modified.ts';
import { requestDocument } from './http/request-document.ts';
import { fleetPage, needsAll, type SummaryWithState } from './views/fleet.ts';
import {
  describeRemains,
  manifestDescription,
  remainsWithout,
  summaryOf,
  summaryOfRemains,
} from './views/manifest-description.ts';
import { type PlansByManifest, plansByManifest } from './views/waiting-plans.ts';

/** Those that the caller may see, or those of one namespace. A filter, another order or counts read all of them. */
export const listManifests = handle(operations.listManifests, async ({ query, caller, headers }, deps) => {
  if (needsAll(query)) {
    const { namespace } = query;
    const read = visibleFleet(deps, caller, query.counts === undefined ? namespace : undefined);
    return unlessSeen(headers, fleetPage(await Array.fromAsync(read), query));
  }
  const plans = waitingIn(deps, query.namespace);
  const page = await visibleManifests(headsIn(deps), caller, query);
  const read = await Promise.all(page.items.map(async (record) => summaryOf(deps, record, await plans)));
  const items = [...read, ...page.unreadable.map(summaryOfRemains)].sort(byKey);
  return unlessSeen(headers, { items, ...(page.next !== undefined && { next: page.next }) });
});

/** Rows have nothing of documents. */
function headsIn({ manifests }: Pick<ApiPorts, 'manifests'>) {
  return (...page: Parameters<typeof manifests.listHeads>) => manifests.listHeads(...page);
}

async function* visibleFleet(
  deps: Pick<ApiPorts, 'manifests' | 'clusters' | 'clock' | 'waitingPlans'>,
  caller: AdmittedCaller,
  namespace: string | undefined,
): AsyncGenerator<SummaryWithState> {
  const plans = await waitingIn(deps, namespace);
  let next: string | undefined;
  do {
    const page = await visibleManifests(headsIn(deps), caller, { namespace, limit: 1000, next });
    yield* aheadOf(page.items, (record) => summaryOf(deps, record, plans));
    yield* page.unreadable.map(summaryOfRemains);
    next = page.next;
  } while (next !== undefined);
}

async function waitingIn(
  { waitingPlans }: Pick<ApiPorts, 'waitingPlans'>,
  namespace: string | undefined,
): Promise<PlansByManifest> {
  return plansByManifest(await waitingPlans.list(namespace === undefined ? undefined : { namespace }));
}

/** Judges everything, stores the next generation, starts its run. */
export const putManifest = handle(operations.putManifest, async (request, deps) => {
  const document = requestDocument(request, deps);
  const stored = await replaceableManifest(deps, request.path);
  checkPreconditions(request.headers, request.path, stored);
  await refuseInventoryOwned(deps, request.path, [document, stored?.document]);
  const { headers, caller } = request;
  const sameIsFine = headers['if-match'] === undefined && headers['if-none-match'] === undefined;
  const terms = { wanted: wantedPlans(headers) };
  return submittedResponse(await submitDocument(deps, request.path, { document, stored, caller, sameIsFine, terms }));
});

/** The tag is for `If-Match` only: the answer also changes with progress, so it is never "not modified". */
export const getManifest = handle(operations.getManifest, async ({ path }, deps) => {
  const found = await foundManifest(deps, path);
  const json = await described(deps, found);
  return { json, headers: { etag: manifestTag('reason' in found ? found.record : found) } };
});

/** As `getManifest` answers. Throws `NotFound`. */
export async function describeStored(
  deps: Pick<ApiPorts, 'manifests' | 'clusters' | 'clock' | 'demands' | 'runs' | 'waitingPlans'>,
  key: ManifestKey,
): Promise<ManifestDescription> {
  return described(deps, await foundManifest(deps, key));
}

type Found = NonNullable<Awaited<ReturnType<typeof storedOrRemains>>>;

async function foundManifest(deps: Pick<ApiPorts, 'manifests'>, key: ManifestKey): Promise<Found> {
  const found = await storedOrRemains(deps, key);
  if (found) return found;
  throw new PipelineError('NotFound', `there is no manifest "${key.name}" in namespace "${key.namespace}"`);
}

function byKey(one: ManifestKey, other: ManifestKey): number {
  const [a, b] = [`${one.namespace}#${one.name}`, `${other.namespace}#${other.name}`];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** With what of it can be read. */
async function described(
  deps: Pick<ApiPorts, 'clusters' | 'clock' | 'demands' | 'runs' | 'waitingPlans'>,
  record: Found,
): Promise<ManifestDescription> {
  if ('reason' in record) return describeRemains(record);
  try {
    const [clusters, demands, lastRun, plans] = await Promise.all([
      deps.clusters.list(record),
      deps.demands.list(record),
      deps.runs.get(record, record.runId),
      deps.waitingPlans.list({ namespace: record.namespace, name: record.name }),
    ]);
    return manifestDescription(record, clusters, {
      lastRun,
      demands,
      plans: plansByManifest(plans),
      now: deps.clock.now(),
    });
  } catch (error) {
    return describeRemains(remainsWithout(record, error));
  }
}
