/** Manifests: listed, described and put. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { PlacedPlan } from '#contracts/waiting-plans.ts';
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
import { missingManifest, proposedManifests } from './views/proposed-manifests.ts';
import { type PlansByManifest, plansByManifest } from './views/waiting-plans.ts';

/** Those that the caller may see, or those of one namespace; those that are only proposed, too. A filter, another order or counts read all of them. */
export const listManifests = handle(operations.listManifests, async ({ query, caller, headers }, deps) => {
  if (needsAll(query)) {
    const namespace = query.counts === undefined ? query.namespace : undefined;
    const plans = await waitingIn(deps, namespace);
    const proposed = visibleProposals(deps, caller, plans);
    const read = await Array.fromAsync(visibleFleet(deps, caller, { namespace, plans }));
    return unlessSeen(headers, fleetPage(read, query, await proposed));
  }
  const waiting = waitingIn(deps, query.namespace);
  const page = await visibleManifests(headsIn(deps), caller, query);
  const plans = await waiting;
  const read = await Promise.all(page.items.map((record) => summaryOf(deps, record, plans)));
  const items = [...read, ...page.unreadable.map(summaryOfRemains)].sort(byKey);
  const proposed = query.next === undefined ? await visibleProposals(deps, caller, plans) : [];
  return unlessSeen(headers, {
    items,
    ...(proposed.length > 0 && { proposed: [...proposed] }),
    ...(page.next !== undefined && { next: page.next }),
  });
});

const visibleProposals = (
  deps: Pick<ApiPorts, 'manifests'>,
  caller: AdmittedCaller,
  plans: PlansByManifest,
): Promise<readonly PlacedPlan[]> => proposedManifests(deps, plans, (namespace) => caller.may('viewer', namespace));

/** Rows have nothing of documents. */
function headsIn({ manifests }: Pick<ApiPorts, 'manifests'>) {
  return (...page: Parameters<typeof manifests.listHeads>) => manifests.listHeads(...page);
}

async function* visibleFleet(
  deps: Pick<ApiPorts, 'manifests' | 'clusters' | 'clock'>,
  caller: AdmittedCaller,
  { namespace, plans }: { readonly namespace: string | undefined; readonly plans: PlansByManifest },
): AsyncGenerator<SummaryWithState> {
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

async function foundManifest(deps: Pick<ApiPorts, 'manifests' | 'waitingPlans'>, key: ManifestKey): Promise<Found> {
  const found = await storedOrRemains(deps, key);
  if (found) return found;
  throw await missingManifest(deps, key);
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
