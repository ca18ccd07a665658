/** The deletion of an object: its manifest is deleted, orphaned or kept, and then the finalizer goes. */
import { ProblemAnswer } from '#client/faults.ts';
import { manifestStatus } from './cluster-status.ts';
import { conditionsOf, existingFindings, manifestReadiness, oneOf } from './conditions.ts';
import { Outdated } from './object-writes.ts';
import { isOf, type ManifestObject, onDelete } from './objects.ts';
import type { ManifestPorts } from './reconcile-manifest.ts';
import { faultText } from './submit.ts';

const policies = ['delete', 'orphan', 'keep'] as const;
type Policy = (typeof policies)[number];

/** Secrets and references are not read: those that were deleted first hang nothing, Kubeloom has its copies. */
export async function deleteManifestObject(ports: ManifestPorts, listed: ManifestObject): Promise<void> {
  const { api, writes, now } = ports;
  const { namespace, name, generation } = listed.metadata;
  const key = { namespace, name };
  const found = await api.findManifest(key);
  const object = await writes.fresh(listed);
  if (object === undefined) return;
  const policy = policyOf(object);
  if (policy === undefined) {
    const message = `annotation ${onDelete} is "${object.metadata.annotations[onDelete]}": write delete, orphan or keep`;
    await refuse(ports, object, { reason: 'UnknownPolicy', message });
    return;
  }
  if (found === undefined || policy === 'keep' || !isOf(object, found.manifest)) {
    const kept = found === undefined ? undefined : policy === 'keep' ? 'Kept' : 'NotOfThisObject';
    if (kept !== undefined) {
      const message = `manifest ${namespace}/${name} stays in Kubeloom: ${kept === 'Kept' ? 'the annotation says keep' : 'it was not submitted from this object'}`;
      await writes.event(object, { type: 'Normal', reason: kept, message });
    }
    await writes.release(object);
    return;
  }
  const { manifest, etag } = found;
  if (!manifest.deleting || (policy === 'orphan' && manifest.status === 'Failed')) {
    try {
      const query = policy === 'orphan' ? { orphan: 'all' } : {};
      await api.deleteManifest(key, query, etag === undefined ? {} : { 'If-Match': etag });
    } catch (error) {
      if (!(error instanceof ProblemAnswer) || error.problem.status >= 500) throw error;
      const { problem } = error;
      // What was read is not there any more.
      if (problem.status === 412 || problem.status === 404) throw new Outdated(problem.detail, { cause: error });
      await refuse(ports, object, { reason: problem.code, message: faultText(problem) });
      return;
    }
    const message = policy === 'orphan' ? 'its clusters are orphaned' : 'its clusters are being deleted';
    await writes.event(object, { type: 'Normal', reason: 'Deleting', message });
  }
  const current = (await api.findManifest(key))?.manifest;
  if (current === undefined) {
    await writes.release(object);
    return;
  }
  await writes.status(object, {
    ...object.status,
    ...manifestStatus(current, []),
    state: 'SCHEDULED_FOR_DELETION',
    conditions: conditionsOf(
      object.status.conditions ?? [],
      [...manifestReadiness(current), ...existingFindings(current)],
      { now: now().toISOString(), generation, accepted: object.status.acceptedGeneration },
    ),
  });
}

function policyOf({ metadata }: ManifestObject): Policy | undefined {
  const asked = metadata.annotations[onDelete] ?? 'delete';
  return policies.find((one) => one === asked);
}

async function refuse(
  { writes, now }: ManifestPorts,
  object: ManifestObject,
  { reason, message }: { readonly reason: string; readonly message: string },
): Promise<void> {
  const { generation } = object.metadata;
  const findings = oneOf('Stalled', reason, message);
  await writes.status(object, {
    ...object.status,
    state: 'SCHEDULED_FOR_DELETION',
    message: message.split('\n')[0],
    conditions: conditionsOf(object.status.conditions ?? [], findings, { now: now().toISOString(), generation }),
  });
  await writes.event(object, { type: 'Warning', reason: 'NotDeleted', message });
}
