/** One pass over an InputManifest: changes are submitted, and the result becomes its status. */
import type { ApiClient } from '#client/api-client.ts';
import type { ManifestDescription, ManifestSummary } from '#contracts/api-bodies.ts';
import { atRest, isDriftCheck, manifestStatus, restingState } from './cluster-status.ts';
import { type ConditionFinding, conditionsOf, cut, existingFindings, readinessOf } from './conditions.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import type { ObjectStatus } from './object-status.ts';
import { type ObjectWrites, Outdated } from './object-writes.ts';
import { finalizer, isOf, type ManifestObject, originOf, submissionOf } from './objects.ts';
import { outputNames, writeOutputs } from './outputs.ts';
import type { Resource } from './resources.ts';
import { foreignReferences, type KnownSecrets, secretVersions } from './secrets.ts';
import { judged, proposalOutcome, refusedForeign, submitManifest, submitReferences, type Verdict } from './submit.ts';

export interface ManifestPorts {
  readonly kubernetes: KubernetesApi;
  readonly api: ApiClient;
  readonly writes: ObjectWrites;
  readonly resource: Resource;
  readonly now: () => Date;
}

export interface Surroundings {
  readonly secrets: KnownSecrets;
  /** What Kubeloom's list says of it; undefined when it does not have it. */
  readonly summary: ManifestSummary | undefined;
  /** A refusal is old enough to be retried. */
  readonly retryRefused: boolean;
  readonly ownNamespaceOnly: boolean;
}

/** What makes a look necessary. */
export function hasNews(object: ManifestObject, resource: Resource, around: Surroundings): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return metadata.finalizers.includes(finalizer);
  return !metadata.finalizers.includes(finalizer) || hasNewReference(object, resource, around);
}

/** The part of it that is the same for all kinds. */
export function hasNewReference(
  object: ManifestObject,
  resource: Resource,
  around: Pick<Surroundings, 'secrets' | 'ownNamespaceOnly' | 'retryRefused'>,
): boolean {
  const { status, metadata } = object;
  if (status.submitted !== submissionOf(object, resource).checksum) return true;
  if (status.observedGeneration !== metadata.generation) return true;
  if (isLeft(object)) return false;
  const accepted = acceptedOf(status);
  if (foreignReferences(object, around).length > 0 && accepted?.reason !== 'ForeignSecret') return true;
  return changedSecrets(object, around) || (around.retryRefused && isRetried(accepted));
}

/** What is refused may be accepted later, and a plan may be rejected; one that was rejected is not proposed again. */
function isRetried(accepted: ReturnType<typeof acceptedOf>): boolean {
  if (accepted?.status === 'False') return accepted.reason !== 'ApprovalRejected';
  return accepted?.reason === 'ApprovalRequired';
}

/** Its manifest was deleted or taken over: until the object itself changes, nothing is submitted of it. */
function isLeft({ status }: ManifestObject): boolean {
  const { reason } = acceptedOf(status) ?? {};
  return reason === 'Missing' || reason === 'NotOfThisObject';
}

/** The status says already what the list says: after a restart nothing has to be read again. */
export function isKnown({ status }: ManifestObject, summary: ManifestSummary | undefined): boolean {
  // An older operator wrote conditions that say less.
  if (status.conditions?.some(({ type }) => type === 'Stalled') !== true) return false;
  if (summary === undefined) return acceptedOf(status)?.status === 'False';
  const resting = summary.paused ? 'DONE' : 'WATCHING_FOR_CHANGES';
  const ended =
    (status.state === resting && summary.status === 'Done') ||
    (status.state === 'ERROR' && summary.status === 'Failed');
  return ended && status.runId === summary.runId && status.outputs === summary.runId;
}

const acceptedOf = (status: ManifestObject['status']) => status.conditions?.find(({ type }) => type === 'Accepted');

function changedSecrets(object: ManifestObject, around: Pick<Surroundings, 'secrets' | 'ownNamespaceOnly'>): boolean {
  const versions = secretVersions(object, around.secrets, around);
  return Object.entries(versions).some(([name, version]) => object.status.secrets?.[name] !== version);
}

/** Throws `Outdated` when something moved meanwhile, and what the API or Kubernetes throws when they do not answer. */
export async function reconcileManifest(
  ports: ManifestPorts,
  listed: ManifestObject,
  around: Surroundings,
): Promise<void> {
  const { api, writes, resource, kubernetes } = ports;
  const key = { namespace: listed.metadata.namespace, name: listed.metadata.name };
  if (!hasNews(listed, resource, around)) {
    await report(ports, listed, around, undefined);
    return;
  }
  const found = await api.findManifest(key);
  const fresh = await writes.fresh(listed);
  if (fresh === undefined || fresh.metadata.deletionTimestamp !== undefined) throw new Outdated('it is being deleted');
  const object = await writes.hold(fresh);
  const { checksum } = submissionOf(object, resource);
  const versions = secretVersions(object, around.secrets, around);
  const same = object.status.submitted === checksum;
  if (same && isLeft(object) && !(found && isOf(object, found.manifest))) {
    await report(ports, object, around, undefined);
    return;
  }
  const foreign = refusedForeign(foreignReferences(object, around), checksum);
  const verdict = await judged<undefined>(checksum, async () => {
    if (foreign) return foreign;
    await submitReferences(kubernetes, api, object, versions);
    const accepted = same ? acceptedOf(object.status) : undefined;
    // Only a Secret changed.
    if (accepted?.status === 'True') return undefined;
    const outcome = accepted?.reason === 'ApprovalRequired' ? await proposalOutcome(api, object, checksum) : 'ended';
    return outcome === 'ended' ? submitManifest(api, { object, resource, found }) : outcome;
  });
  await report(ports, object, around, { verdict, versions });
  if (verdict?.remark) await writes.event(object, verdict.remark);
}

interface Submitted {
  /** Undefined: the document did not change. */
  readonly verdict: Verdict | undefined;
  readonly versions: Readonly<Record<string, string>>;
}

async function report(
  ports: ManifestPorts,
  object: ManifestObject,
  { secrets }: Surroundings,
  given: Submitted | undefined,
): Promise<void> {
  const { api, writes, resource, kubernetes, now } = ports;
  const { namespace, name, generation } = object.metadata;
  const key = { namespace, name };
  const manifest = (await api.findManifest(key))?.manifest;
  const runs = manifest ? (await api.listRuns(key, { limit: 4 })).items : [];
  const verdict = given?.verdict;
  const accepted = verdict ? acceptedBy(verdict) : (acceptedLater(object, manifest) ?? acceptedBefore(object));
  const shown = manifest && isOf(object, manifest) ? manifest : undefined;
  const ofGenerations = generationsOf(object, accepted, verdict);
  const { observed, accepted: acceptedGeneration } = ofGenerations;
  const findings = [
    accepted,
    ...readinessOf(accepted, shown && { manifest: shown, generation: acceptedGeneration ?? generation }),
    ...existingFindings(shown),
  ];
  const status: ObjectStatus = {
    ...object.status,
    ...(observed !== undefined && { observedGeneration: observed }),
    ...(acceptedGeneration !== undefined && { acceptedGeneration }),
    ...(verdict?.submitted !== undefined && { submitted: verdict.submitted }),
    ...(verdict?.plan !== undefined && { plan: verdict.plan }),
    ...(given && isDecided(verdict) && { secrets: given.versions }),
    ...(shown && manifestStatus(shown, runs)),
    ...(accepted[1] !== 'True' && { message: cut(accepted[3].split('\n')[0] ?? '') }),
    ...(accepted[1] === 'False' && { state: 'ERROR' as const }),
    conditions: conditionsOf(object.status.conditions ?? [], findings, {
      now: now().toISOString(),
      generation,
      accepted: acceptedGeneration,
    }),
  };
  if (shown) status.state = restingState(status.state, shown, object.status);
  if (accepted[1] === 'True') delete status.plan;
  if (shown?.lastRun?.endedAt !== undefined && shown.lastRun.runId === shown.runId) {
    const written = status.outputs === shown.runId || (isDriftCheck(shown) && status.outputs !== undefined);
    const missing = object.status.outputsRefused === undefined && outputsMissing(object, shown, secrets);
    if (!written || missing) {
      const outputs = { object, resource, manifest: shown, known: secrets };
      const { foreign, refused } = await writeOutputs(kubernetes, api, outputs);
      for (const secret of foreign) {
        const message = `Secret ${secret} is not of this object and is left as it is; rename or delete it`;
        await writes.event(object, { type: 'Warning', reason: 'SecretExists', message });
      }
      status.outputsRefused = refused.length > 0 ? cut(refused.join('\n')) : undefined;
      for (const message of refused)
        await writes.event(object, { type: 'Warning', reason: 'KubeconfigRefused', message });
    }
    status.outputs = shown.runId;
  }
  const written = await writes.status(object, status);
  await reportEnd(writes, written, object.status);
}

/** The run ended since the last look. */
async function reportEnd(
  writes: ObjectWrites,
  object: ManifestObject,
  before: ManifestObject['status'],
): Promise<void> {
  const { state, message = '', runId } = object.status;
  const sameState = state === before.state || (atRest(state) && atRest(before.state));
  if (sameState && runId === before.runId) return;
  if (atRest(state))
    await writes.event(object, { type: 'Normal', reason: 'Done', message: `${message}, run ${runId}` });
  else if (state === 'ERROR' && acceptedOf(object.status)?.status !== 'False')
    await writes.event(object, { type: 'Warning', reason: 'Failed', message: `${message}\nrun ${runId}` });
}

/** Nothing is retried at once. */
const isDecided = (verdict: Verdict | undefined): boolean => verdict === undefined || verdict.submitted !== undefined;

/** What the whole status is about from now on, and which document Kubeloom has. While one is not taken yet, both are as before. */
function generationsOf(
  { metadata: { generation }, status }: ManifestObject,
  [, is, reason]: ConditionFinding,
  verdict: Verdict | undefined,
): { readonly observed: number | undefined; readonly accepted: number | undefined } {
  const isCurrent = is === 'True' && reason === 'Accepted';
  return {
    observed: isDecided(verdict) ? generation : status.observedGeneration,
    accepted: isCurrent ? generation : status.acceptedGeneration,
  };
}

const acceptedBy = ({ status, reason, message }: Verdict): ConditionFinding => ['Accepted', status, reason, message];

function acceptedBefore({ status }: ManifestObject): ConditionFinding {
  const { status: is = 'Unknown', reason = 'NotAccepted', message = '' } = acceptedOf(status) ?? {};
  return ['Accepted', is, reason, message];
}

/** Whether an accepted document is still the current one: someone else may have changed it, or deleted the manifest. */
function acceptedLater(
  object: ManifestObject,
  manifest: Parameters<typeof existingFindings>[0],
): ConditionFinding | undefined {
  const before = acceptedOf(object.status);
  const isNew = object.status.runId === undefined;
  if (isNew && before?.status === 'False') return undefined;
  if (isNew && before?.status === 'Unknown' && manifest === undefined) return undefined;
  if (manifest === undefined)
    return [
      'Accepted',
      'False',
      'Missing',
      'Kubeloom no longer has this manifest: it was deleted there, or this installation is a different one. Change the object, or delete and create it, to create the clusters again',
    ];
  const isOwn = isOf(object, manifest);
  if (isOwn && originOf(manifest.document)?.checksum === object.status.submitted)
    return ['Accepted', 'True', 'Accepted', acceptedMessage(before) ?? `generation ${manifest.generation}`];
  if (before !== undefined && before.status !== 'True') return undefined;
  if (!isOwn)
    return [
      'Accepted',
      'False',
      'NotOfThisObject',
      `generation ${manifest.generation} in Kubeloom was submitted by someone else, who took the manifest over. Change this object to take it back, or delete it: the manifest stays`,
    ];
  return [
    'Accepted',
    'True',
    'ChangedElsewhere',
    `generation ${manifest.generation} in Kubeloom was not submitted from this object; a change of the object replaces it`,
  ];
}

const acceptedMessage = (before: ReturnType<typeof acceptedOf>): string | undefined =>
  before?.reason === 'Accepted' ? before.message : undefined;

function outputsMissing(
  { metadata: { namespace, name } }: ManifestObject,
  { clusters }: Pick<ManifestDescription, 'clusters'>,
  secrets: KnownSecrets,
): boolean {
  return clusters.some(
    (cluster) =>
      cluster.kubeconfigPath !== null &&
      outputNames(name, cluster, 'kubeconfig').some((secret) => secrets.get(`${namespace}/${secret}`) === undefined),
  );
}
