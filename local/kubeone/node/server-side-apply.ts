/**
 * Server-side apply as far as one manager needs it: an object is made or changed to what is applied, and what the same manager applied
 * before and leaves out now is removed. Nothing runs what is applied: objects that would report that they work report it at once.
 */
import { at, isObject, type Json, type JsonObject, type KubeObject } from './json.ts';
import { strategicPatch } from './patch.ts';
import { type ApiResource, groupVersionOf } from './resources.ts';
import { ApiFailure } from './status.ts';

/** What was applied last, by whom; the real server keeps the fields themselves. */
const lastApplied = 'kubeloom.dev/simulated-applied';

export interface Application {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string;
  readonly body: Json | undefined;
  readonly manager: string;
  /** Nodes that are ready: a DaemonSet would run on each. */
  readonly nodes: number;
}

/** The object as it is after it; not admitted yet. Throws `ApiFailure`. */
export function applied(
  { resource, namespace, name, body, manager, nodes }: Application,
  before: KubeObject | undefined,
): KubeObject {
  if (!isObject(body) || !isObject(body.metadata) || body.metadata.name !== name || body.kind !== resource.kind)
    throw new ApiFailure('BadRequest', 'the body of an apply is an object of this kind and name');
  const known = JSON.parse(String(before?.metadata.annotations?.[lastApplied] ?? '{}'));
  const left = isObject(known[manager]) ? withoutLeft(before as Json, known[manager], body) : before;
  const merged = strategicPatch(left ?? {}, body);
  if (!isObject(merged) || !isObject(merged.metadata)) throw new ApiFailure('BadRequest', 'the object has no metadata');
  const annotations = {
    ...(isObject(merged.metadata.annotations) ? merged.metadata.annotations : {}),
    [lastApplied]: JSON.stringify({ ...known, [manager]: body }),
  };
  const metadata = { ...merged.metadata, name, annotations, ...(resource.namespaced ? { namespace } : {}) };
  const object = { ...merged, apiVersion: groupVersionOf(resource), kind: resource.kind, metadata } as KubeObject;
  refuseNewParameters(resource, object, before);
  return withStatus(object, nodes);
}

/** Fields that were applied before and are not applied any more. */
function withoutLeft(live: Json | undefined, before: JsonObject, now: JsonObject): Json | undefined {
  if (!isObject(live)) return live;
  const result: JsonObject = { ...live };
  for (const [key, value] of Object.entries(before)) {
    const next = now[key];
    if (next === undefined) delete result[key];
    else if (isObject(value) && isObject(next)) result[key] = withoutLeft(result[key], value, next);
    else if (Array.isArray(value)) delete result[key];
  }
  return result;
}

function refuseNewParameters({ kind, group }: ApiResource, object: KubeObject, before: KubeObject | undefined): void {
  if (kind !== 'StorageClass' || before === undefined) return;
  if (JSON.stringify(sorted(object.parameters)) === JSON.stringify(sorted(before.parameters))) return;
  throw new ApiFailure(
    'Invalid',
    `${kind}.${group} "${object.metadata.name}" is invalid: parameters: Forbidden: updates to parameters are forbidden.`,
  );
}

function sorted(parameters: Json | undefined): Json {
  return isObject(parameters) ? Object.fromEntries(Object.entries(parameters).sort()) : {};
}

function withStatus(object: KubeObject, nodes: number): KubeObject {
  const works = { type: 'Available', status: 'True', reason: 'Simulated' };
  const replicas = Number(at(object, 'spec', 'replicas') ?? 1);
  const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
  const daemons = { desiredNumberScheduled: nodes, updatedNumberScheduled: nodes, numberAvailable: nodes };
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return { ...object, status: { ...counts, conditions: [works] } };
    case 'DaemonSet':
      return { ...object, status: daemons };
    case 'CustomResourceDefinition':
      return { ...object, status: { conditions: [{ ...works, type: 'Established' }] } };
    default:
      return object;
  }
}
