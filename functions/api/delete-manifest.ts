/** DELETE /v1/manifests/{namespace}/{name}: a new generation without desired clusters, and its run. */
import type { LeftBehind } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../caller.ts';
import { leftBehind, orphansIn } from '../pipeline/manifests/orphan-manifest.ts';
import { rejectProposal } from '../pipeline/proposals/close-proposal.ts';
import { ofManifests, proposalOf } from '../pipeline/proposals/kept-plans.ts';
import { recordManifestChange } from '../pipeline/records/audit-event.ts';
import { storedOrRemains, wayOut } from '../pipeline/records/stored-manifest.ts';
import { submitDeletion } from '../pipeline/submission/submit-deletion.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import {
  acceptedResponse,
  checkPreconditions,
  manifestTag,
  submittedResponse,
  unchangedResponse,
  wantedPlans,
} from './http/manifest-version.ts';
import { remainsWithout } from './views/manifest-description.ts';
import { missingManifest } from './views/proposed-manifests.ts';

export const deleteManifest = handle(operations.deleteManifest, async (request, deps) => {
  const { path, query, headers } = request;
  const orphans = orphansIn(query.orphan);
  const remains = await undeletable(deps, path);
  if (remains) {
    checkPreconditions(headers, path, remains.record);
    refuseUnlessForgotten(remains, orphans);
    const left = await discardManifest(deps, path, remains.record);
    await recordManifestChange(deps, remains.record, 'forgotten: its stored record cannot be read', request.caller);
    return acceptedResponse(remains.record, { left });
  }
  const stored = await deps.manifests.get(path);
  checkPreconditions(headers, path, stored);
  if (stored === undefined) return withdrawProposals(deps, path, request.caller);
  if (stored.deleting && stored.status !== 'Failed' && orphans === undefined) {
    return unchangedResponse(stored);
  }
  const { caller } = request;
  const terms = { wanted: wantedPlans(headers) };
  return submittedResponse(await submitDeletion(deps, path, { stored, orphans, caller, terms }));
});

/** One that is only proposed: no one can approve it any more. Throws `NotFound` when it is not even that, and as `rejectProposal`. */
async function withdrawProposals(deps: ApiPorts, key: ManifestKey, caller: AdmittedCaller) {
  const waiting = (await deps.waitingPlans.list(key)).filter(({ version }) => version === null);
  if (waiting.length === 0) throw await missingManifest(deps, key);
  for (const { id } of waiting) {
    const plan = await proposalOf(deps, key, id, ofManifests);
    await rejectProposal(deps, key, plan, { caller, reason: 'deleted before it was approved' });
  }
  const nothing = { generation: 0, attempt: 0, runId: '', unchanged: false, paused: false, warnings: [], links: {} };
  const { namespace, name } = key;
  return {
    status: 200 as const,
    json: { namespace, name, ...nothing },
    headers: { etag: manifestTag({ uid: '', ...nothing }) },
  };
}

type Ports = Pick<ApiPorts, 'manifests' | 'clusters'>;

/** What is stored of a manifest that no run can delete; undefined when a run can delete it, or when nothing is stored. */
async function undeletable(
  deps: Ports,
  key: ManifestKey,
): Promise<Awaited<ReturnType<ApiPorts['manifests']['remainsOf']>>> {
  const found = await storedOrRemains(deps, key);
  if (found === undefined || 'reason' in found) return found;
  try {
    await deps.clusters.list(key);
    return undefined;
  } catch (error) {
    return remainsWithout(found, error);
  }
}

/** Removes everything that is stored of it. Returns what is known of the resources that keep running. */
async function discardManifest(
  deps: Ports & Pick<ApiPorts, 'artifacts' | 'demands' | 'workflows'>,
  key: ManifestKey,
  { lease }: ManifestRecord,
): Promise<readonly LeftBehind[]> {
  // A run in progress would write into the records that are removed.
  if (lease) await deps.workflows.stop(lease.owner, 'the manifest is forgotten');
  const left = await leftOf(deps, key);
  await deps.demands.discard(key);
  await deps.clusters.discard(key);
  await deps.manifests.discard(key);
  return left;
}

/** Throws `Unreadable` that says what can be done, unless everything about the manifest is to be forgotten. */
function refuseUnlessForgotten(remains: Parameters<typeof wayOut>[0], orphans: unknown): void {
  if (orphans !== 'all') throw new PipelineError('Unreadable', wayOut(remains));
}

async function leftOf(
  deps: Pick<ApiPorts, 'clusters' | 'artifacts'>,
  key: ManifestKey,
): Promise<readonly LeftBehind[]> {
  try {
    return await leftBehind(deps, key, { clusters: await deps.clusters.list(key), orphans: 'all' });
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    const states = await deps.artifacts.list(`terraform/${key.namespace}/${key.name}/`);
    const terraformStates = states.map((state) => state.key);
    return [{ cluster: '(unreadable)', nodes: [], loadBalancers: [], terraformStates }];
  }
}
