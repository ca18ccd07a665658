/** Verbs on a stored manifest. A verb that is not possible is refused with the reason. */
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { HttpRequest } from '../http.ts';
import type { StoredGeneration } from '../manifest-store.ts';
import { checkPolicyOf } from '../pipeline/drift/drift-policy.ts';
import { startDriftCheck } from '../pipeline/drift/start-drift-check.ts';
import { nextRecord, startRun, storeNext } from '../pipeline/manifests/next-generation.ts';
import { lastDone } from '../pipeline/manifests/rollback-goal.ts';
import { recordManifestChange } from '../pipeline/records/audit-event.ts';
import { isBeingCancelled } from '../pipeline/records/cancellation.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { cancelRun } from '../pipeline/runs/cancel-run.ts';
import { submitDocument } from '../pipeline/submission/submit-document.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { acceptedResponse, checkPreconditions, submittedResponse, wantedPlans } from './http/manifest-version.ts';

/** The same generation once more, from where it stopped or from a stage on. */
export const retryManifest = handle(operations.retryManifest, async ({ path, body, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (stored.paused) throw refuse(stored, 'retried', 'it is paused; resume it first');
  if (stored.status === 'Done')
    throw refuse(
      stored,
      'retried',
      'nothing has failed, so there is nothing to retry; request the size or replacement again',
    );
  if (stored.status !== 'Failed') throw refuse(stored, 'retried', 'a run is in progress; wait for it or cancel it');
  const { document, deleting } = stored;
  const { from } = body;
  const desired = { document, deleting, again: true, ...(from && { retryFrom: from }) };
  const record = nextRecord(deps, path, stored, desired);
  await storeNext(deps, stored, record);
  await recordManifestChange(deps, record, 'retried', request.caller);
  await startRun(deps, record, from ? `retry from ${from}` : 'retry');
  return acceptedResponse(record);
});

/** The run in progress stops as soon as it can; a grow is undone, all other directions stop where they are. */
export const cancelManifest = handle(operations.cancelManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (stored.status === 'Done' || stored.status === 'Failed') {
    throw refuse(stored, 'cancelled', 'no run is in progress');
  }
  if (stored.paused && !stored.lease) throw refuse(stored, 'cancelled', 'it is paused, and no run is in progress');
  if (isBeingCancelled(stored)) throw refuse(stored, 'cancelled', 'it is already being cancelled');
  await recordManifestChange(deps, stored, 'cancelled', request.caller);
  return acceptedResponse(await cancelRun(deps, path, stored.runId));
});

/** No more runs are started; a run in progress stops after its waypoint. */
export const pauseManifest = handle(operations.pauseManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (stored.paused) throw refuse(stored, 'paused', 'it is already paused');
  await recordManifestChange(deps, stored, 'paused', request.caller);
  return acceptedResponse(await deps.manifests.setPaused(path, true));
});

/** What waits is started, as the next attempt; a run that has not stopped yet is followed by it. */
export const resumeManifest = handle(operations.resumeManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (!stored.paused) throw refuse(stored, 'resumed', 'it is not paused');
  const awake = await deps.manifests.setPaused(path, false);
  await recordManifestChange(deps, awake, 'resumed', request.caller);
  return acceptedResponse(await startWaiting(deps, path));
});

/** Checks for drift now; repairs it as configured in the manifest or requested by the caller. */
export const driftManifest = handle(operations.driftManifest, async ({ path, body, ...request }, deps) => {
  const { repair } = body;
  const stored = await versionAsked(deps, path, request);
  if (stored.paused) throw refuse(stored, 'checked for drift', 'it is paused; resume it first');
  if (stored.deleting && stored.status === 'Failed')
    throw refuse(stored, 'checked for drift', 'its deletion stopped; delete it again');
  if (stored.status !== 'Done' && stored.status !== 'Failed')
    throw refuse(stored, 'checked for drift', 'a run is in progress; wait for it');
  const policy = repair === undefined ? checkPolicyOf(stored) : repair ? 'repairAll' : 'reportAll';
  const reason = repair ? 'drift check with repair requested' : 'drift check requested';
  const record = await startDriftCheck(deps, stored, { policy, reason });
  await recordManifestChange(deps, record, reason, request.caller);
  return acceptedResponse(record);
});

/** An earlier document becomes the next generation, validated like any other. */
export const rollbackManifest = handle(operations.rollbackManifest, async ({ path, body, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  const { generation, document } = await rollbackGoal(deps, stored, body.to);
  const submitted = await submitDocument(deps, path, {
    document,
    stored,
    caller: request.caller,
    rolledBackTo: generation,
    reason: `rolled back to generation ${generation}`,
    terms: { wanted: wantedPlans(request.headers) },
  });
  return submittedResponse(submitted);
});

/** The generation to go back to. Throws `VersionConflict` that says which there are. */
export async function rollbackGoal(
  deps: Pick<ApiPorts, 'manifests' | 'runs'>,
  stored: ManifestRecord,
  to: number | undefined,
): Promise<StoredGeneration> {
  const refused = (because: string) => refuse(stored, 'rolled back', because);
  if (stored.deleting) throw refused('it is being deleted; apply a document to keep it');
  if (to !== undefined && to >= stored.generation)
    throw refused(`generation ${to} is not before the current one, ${stored.generation}`);
  const kept = (await deps.manifests.generations(stored)).filter(({ generation }) => generation < stored.generation);
  const goal = to === undefined ? await lastDone(deps, stored, kept) : kept.find(({ generation }) => generation === to);
  if (goal !== undefined) return goal;
  const numbers = kept.map(({ generation }) => generation).join(', ');
  const choice = kept.length === 0 ? 'no earlier document is stored' : `the documents of ${numbers} are kept`;
  if (to !== undefined) throw refused(`the document of generation ${to} is not kept; ${choice}`);
  const fix = kept.length === 0 ? 'apply the one you want' : `${choice}: name one, or apply the document you want`;
  throw refused(`no earlier generation that differs was successful; ${fix}`);
}

/**
 * What has ended stays as it is: a failed one is retried, not resumed. A request that saw the pause may store a generation at this
 * moment without starting it: it is started here, too.
 */
async function startWaiting(deps: ApiPorts, key: ManifestKey): Promise<ManifestRecord> {
  return retryOnConflict(async () => {
    const stored = await storedManifest(deps, key);
    if (stored.status === 'Done' || stored.status === 'Failed') return stored;
    const { document, deleting } = stored;
    const record = nextRecord(deps, stored, stored, { document, deleting, again: true });
    await storeNext(deps, stored, record);
    await startRun(deps, record, 'resumed');
    return record;
  });
}

/** The stored manifest. Throws `VersionConflict` when `If-Match` names another version of it. */
async function versionAsked(
  deps: Pick<ApiPorts, 'manifests'>,
  path: ManifestKey,
  { headers }: Pick<HttpRequest<unknown, unknown>, 'headers'>,
): Promise<ManifestRecord> {
  const stored = await storedManifest(deps, path);
  checkPreconditions(headers, path, stored);
  return stored;
}

/** "manifest "team/shop" cannot be retried: …" */
function refuse(stored: ManifestRecord, done: string, because: string): PipelineError {
  const { namespace, name, generation, attempt } = stored;
  return new PipelineError('VerbRefused', `manifest "${namespace}/${name}" cannot be ${done}: ${because}`, {
    details: { generation, attempt },
  });
}
