/** A Secret that was stored: manifests that failed for want of it are retried; those that are done all the same are checked. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { referenceName } from '#domain/manifest/references-in.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { everyManifest } from '../records/stored-manifest.ts';
import { failedFor, retryEvent } from '../runs/retry-plan.ts';
import { uses } from './manifests-that-use.ts';

type Ports = Pick<ApiPorts, 'clusters' | 'clock' | 'events' | 'manifests' | 'runs'>;

/** Not at once: who stores a Secret often applies the manifest next, and that one should start. */
const pauseSeconds = 30;

/** The scheduler's next tick after the pause starts them. Whatever cannot be read is left to a person. */
export async function retryForSecret(deps: Ports, secret: ManifestKey): Promise<void> {
  for await (const record of everyManifest(deps)) {
    const ended = record.status === 'Failed' || record.status === 'Done';
    if (ended && record.lease === null && (await failedForWantOf(deps, record, secret)))
      await makeDue(deps, record, secret);
  }
}

async function failedForWantOf(deps: Ports, record: ManifestRecord, secret: ManifestKey): Promise<boolean> {
  if ((await uses(deps, record, 'secretRef', secret)) !== true) return false;
  // Most are done and nothing failed: their clusters are not read.
  if (record.status === 'Done' && (await deps.runs.get(record, record.runId))?.status !== 'Failed') return false;
  const clusters = await unlessNamed('Unreadable', deps.clusters.list(record));
  const unfinished = clusters?.filter(({ status, failure }) => status !== 'Converged' || failure !== null) ?? [];
  return failedFor('secretStored', unfinished);
}

async function makeDue(deps: Ports, record: ManifestRecord, secret: ManifestKey): Promise<void> {
  const { generation, attempt, runId } = record;
  const now = deps.clock.now();
  const dueAt = new Date(now.getTime() + pauseSeconds * 1000).toISOString();
  // Another request that was faster starts it anyway.
  const failed = record.status === 'Failed' && { failed: { retryAt: dueAt } };
  await unlessNamed(
    'VersionConflict',
    deps.manifests.replace({ ...record, dueAt, ...failed }, { generation, attempt }),
  );
  const next = record.status === 'Done' ? 'checked' : 'retried';
  const message = `the Secret ${referenceName(secret)}, whose lack made it fail, was stored: it is ${next} in some minutes`;
  const event = retryEvent({ event: { kind: 'RetryScheduled', message } }, now.toISOString(), runId);
  await deps.events.append(record, [event]);
}

async function unlessNamed<Answer>(
  name: 'Unreadable' | 'VersionConflict',
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (!isPipelineError(error, name)) throw error;
    return undefined;
  });
}
