/** One pass over a TemplateGitReference: it and its Secret are sent to Kubeloom when they changed. */
import { type ConditionFinding, conditionsOf, oneOf, readinessOf } from './conditions.ts';
import { type ManifestObject, submissionOf } from './objects.ts';
import { hasNewReference, type ManifestPorts, type Surroundings } from './reconcile-manifest.ts';
import { foreignReferences, secretVersions } from './secrets.ts';
import { judged, refusedForeign, submitReferences } from './submit.ts';

/** Kubeloom keeps its copy when the object is deleted: manifests may still use it. */
export async function reconcileReference(
  { kubernetes, api, writes, resource, now }: ManifestPorts,
  listed: ManifestObject,
  around: Pick<Surroundings, 'secrets' | 'ownNamespaceOnly' | 'retryRefused'>,
): Promise<void> {
  if (!hasNewReference(listed, resource, around)) return;
  const object = await writes.fresh(listed);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const { document, checksum } = submissionOf(object, resource);
  const { namespace, name, generation } = object.metadata;
  const versions = secretVersions(object, around.secrets, around);
  const foreign = refusedForeign(foreignReferences(object, around), checksum);
  const verdict = await judged<never>(checksum, async () => {
    if (foreign) return foreign;
    await submitReferences(kubernetes, api, object, versions);
    const { behind = [] } = await api.putTemplate({ namespace, name }, document);
    const users = behind.map((one) => `${one.namespace}/${one.name}: ${one.change} (onTemplates: ${one.next})`);
    const message = users.length === 0 ? 'stored' : `stored; manifests that lag: ${users.join('; ')}`;
    return { status: 'True', reason: 'Accepted', message, submitted: checksum };
  });
  const { status, reason, message, submitted, remark } = verdict;
  const accepted: ConditionFinding = ['Accepted', status, reason, message];
  const findings = [
    accepted,
    ...(status === 'True' ? oneOf('Ready', reason, message) : readinessOf(accepted, undefined)),
  ];
  await writes.status(object, {
    ...object.status,
    ...(submitted !== undefined && { observedGeneration: generation, submitted, secrets: versions }),
    conditions: conditionsOf(object.status.conditions ?? [], findings, { now: now().toISOString(), generation }),
  });
  if (remark) await writes.event(object, remark);
}
