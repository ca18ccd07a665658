/** Kubeloom does not let the operator in: objects that wait for it say so. While it does not answer at all, nothing is written. */
import type { ApiClient } from '#client/api-client.ts';
import { ConnectionFault, ProblemAnswer } from '#client/faults.ts';
import { type ConditionFinding, conditionsOf, readinessOf } from './conditions.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { Outdated, objectWrites } from './object-writes.ts';
import type { ManifestObject } from './objects.ts';
import type { Resource } from './resources.ts';

export interface Listed {
  readonly resource: Resource;
  readonly objects: readonly ManifestObject[];
}

interface Ports {
  readonly kubernetes: KubernetesApi;
  readonly api: ApiClient;
  readonly now: () => Date;
}

/** The status of objects that were not observed since they were changed; all others are as they were last seen. */
export async function reportRefusal(ports: Ports, lists: readonly Listed[], error: unknown): Promise<void> {
  const why = refusalIn(error);
  if (why === undefined) return;
  const accepted: ConditionFinding = ['Accepted', 'Unknown', 'CallerRefused', why];
  for (const { resource, objects } of lists) {
    const writes = objectWrites(ports.kubernetes, resource, ports.now);
    for (const object of objects.filter((one) => waits(one) && !says(one, why))) {
      await report(writes, object, accepted, ports.now().toISOString()).catch(unlessOutdated);
    }
  }
}

async function report(
  writes: ReturnType<typeof objectWrites>,
  listed: ManifestObject,
  accepted: ConditionFinding,
  now: string,
): Promise<void> {
  const object = await writes.fresh(listed);
  if (object === undefined || !waits(object)) return;
  const { generation } = object.metadata;
  const findings = [accepted, ...readinessOf(accepted, undefined)];
  const conditions = conditionsOf(object.status.conditions ?? [], findings, { now, generation });
  await writes.status(object, { ...object.status, conditions });
}

/** Undefined: the API did not answer, or it answered with something that another request may not. */
function refusalIn(error: unknown): string | undefined {
  const isRefused = error instanceof ProblemAnswer && (error.problem.status === 401 || error.problem.status === 403);
  const isElsewhere = error instanceof ConnectionFault && error.kind !== 'unreachable';
  if (!isRefused && !isElsewhere) return undefined;
  return `Kubeloom does not let the operator in: ${error.message}; correct the token or the address of the operator`;
}

const waits = ({ metadata, status }: ManifestObject): boolean =>
  metadata.deletionTimestamp === undefined && status.observedGeneration !== metadata.generation;

const says = ({ metadata, status }: ManifestObject, why: string): boolean =>
  status.conditions?.some(
    ({ type, message, observedGeneration }) =>
      type === 'Accepted' && message === why && observedGeneration === metadata.generation,
  ) === true;

/** The next pass sees what it is now. */
function unlessOutdated(error: unknown): void {
  if (!(error instanceof Outdated)) throw error;
}
