/** Verbs on a stored manifest. A verb that is not possible is refused with the reason. */

import { hasEnded } from '#contracts/has-ended.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { HttpRequest } from '../http.ts';
import { checkPolicyOf } from '../pipeline/drift/drift-policy.ts';
import { startDriftCheck } from '../pipeline/drift/start-drift-check.ts';
import { startRun, storeNext } from '../pipeline/manifests/next-generation.ts';
import { rollbackGoal } from '../pipeline/manifests/rollback-goal.ts';
import { recordManifestChange } from '../pipeline/records/audit-event.ts';
import { isBeingCancelled } from '../pipeline/records/cancellation.ts';
import { makingNow, nextRecord } from '../pipeline/records/next-record.ts';
import { refuseVerb } from '../pipeline/records/refuse-verb.ts';
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
  if (stored.paused) refuseVerb({ manifest: stored }, 'retry', 'it is paused; resume it first');
  if (stored.status === 'Done')
    refuseVerb(
      { manifest: stored },
      'retry',
      'nothing has failed, so there is nothing to retry; request the size or replacement again',
    );
  if (stored.status !== 'Failed')
    refuseVerb({ manifest: stored }, 'retry', 'a run is in progress; wait for it or cancel it');
  const { document, deleting } = stored;
  const { from, debug } = body;
  const desired = { document, deleting, again: true, debug, ...(from && { retryFrom: from }) };
  const record = nextRecord(makingNow(deps), path, stored, desired);
  await storeNext(deps, stored, record);
  const withDebug = debug ? ' with debug logs' : '';
  await recordManifestChange(deps, record, `retried${withDebug}`, request.caller);
  await startRun(deps, record, `retry${from ? ` from ${from}` : ''}${withDebug}`);
  return acceptedResponse(record);
});

/** The run in progress stops as soon as it can; a grow is undone, all other directions stop where they are. */
export const cancelManifest = handle(operations.cancelManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (hasEnded(stored)) {
    refuseVerb({ manifest: stored }, 'cancel', 'no run is in progress');
  }
  if (stored.paused && !stored.lease)
    refuseVerb({ manifest: stored }, 'cancel', 'it is paused, and no run is in progress');
  if (isBeingCancelled(stored)) refuseVerb({ manifest: stored }, 'cancel', 'it is already being cancelled');
  await recordManifestChange(deps, stored, 'cancelled', request.caller);
  return acceptedResponse(await cancelRun(deps, path, stored.runId));
});

/** No more runs are started; a run in progress stops after its waypoint. */
export const pauseManifest = handle(operations.pauseManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (stored.paused) refuseVerb({ manifest: stored }, 'pause', 'it is already paused');
  await recordManifestChange(deps, stored, 'paused', request.caller);
  return acceptedResponse(await deps.manifests.setPaused(path, true));
});

/** What waits is started, as the next attempt; a run that has not stopped yet is followed by it. */
export const resumeManifest = handle(operations.resumeManifest, async ({ path, ...request }, deps) => {
  const stored = await versionAsked(deps, path, request);
  if (!stored.paused) refuseVerb({ manifest: stored }, 'resume', 'it is not paused');
  const awake = await deps.manifests.setPaused(path, false);
  await recordManifestChange(deps, awake, 'resumed', request.caller);
  return acceptedResponse(await startWaiting(deps, path));
});

/** Checks for drift now; repairs it as configured in the manifest or requested by the caller. */
export const driftManifest = handle(operations.driftManifest, async ({ path, body, ...request }, deps) => {
  const { repair } = body;
  const stored = await versionAsked(deps, path, request);
  if (stored.paused) refuseVerb({ manifest: stored }, 'check', 'it is paused; resume it first');
  if (stored.deleting && stored.status === 'Failed')
    refuseVerb({ manifest: stored }, 'check', 'its deletion stopped; delete it again');
  if (!hasEnded(stored)) refuseVerb({ manifest: stored }, 'check', 'a run is in progress; wait for it');
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

/**
 * What has ended stays as it is: a failed one is retried, not resumed. A request that saw the pause may store a generation at this
 * moment without starting it: it is started here, too.
 */
async function startWaiting(deps: ApiPorts, key: ManifestKey): Promise<ManifestRecord> {
  return retryOnConflict(async () => {
    const stored = await storedManifest(deps, key);
    if (hasEnded(stored)) return stored;
    const { document, deleting } = stored;
    const record = nextRecord(makingNow(deps), stored, stored, { document, deleting, again: true });
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
