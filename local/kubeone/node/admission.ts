/** What the server checks and completes before it keeps an object: the rules that a real server applies, too. */
import { at, isObject, type Json, type JsonObject, type KubeObject, listAt } from './json.ts';
import type { ApiResource } from './resources.ts';
import { ApiFailure } from './status.ts';

const dnsName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const qualifiedKey = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const effects: readonly Json[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const cordonTaint = 'node.kubernetes.io/unschedulable';

/** Checks an object and fills in what the server owns. `before` is what it replaces. */
export function admitObject(
  resource: ApiResource,
  object: KubeObject,
  before: KubeObject | undefined,
  now: Date,
): KubeObject {
  checkMetadata(resource, object);
  const metadata = {
    ...object.metadata,
    uid: before?.metadata.uid ?? crypto.randomUUID(),
    creationTimestamp: before?.metadata.creationTimestamp ?? now.toISOString().replace(/\.\d+/, ''),
  };
  return isNode(resource) ? withCordonTaint({ ...object, metadata }) : { ...object, metadata };
}

function checkMetadata(resource: ApiResource, { metadata, ...object }: KubeObject): void {
  const refuse = (what: string): never => {
    throw new ApiFailure('Invalid', `${resource.kind} "${metadata.name}" is invalid: ${what}`);
  };
  if (!dnsName.test(metadata.name)) refuse(`metadata.name: "${metadata.name}" is not a DNS name`);
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!qualifiedKey.test(key)) refuse(`metadata.labels: "${key}" is not a qualified name`);
    if (!labelValue.test(value)) refuse(`metadata.labels: "${value}" must be 63 characters or less of A-Za-z0-9-_.`);
  }
  for (const key of Object.keys(metadata.annotations ?? {})) {
    if (!qualifiedKey.test(key)) refuse(`metadata.annotations: "${key}" is not a qualified name`);
  }
  for (const taint of isNode(resource) ? listAt(object, 'spec', 'taints') : []) {
    if (!effects.includes(at(taint, 'effect') ?? null)) refuse(`spec.taints: unknown effect "${at(taint, 'effect')}"`);
  }
}

/** A cordoned node has a taint as well, as the node controller would add it. */
function withCordonTaint(node: KubeObject): KubeObject {
  const spec: JsonObject = isObject(node.spec) ? { ...node.spec } : {};
  const others = listAt(spec, 'taints').filter((taint) => at(taint, 'key') !== cordonTaint);
  const taints = spec.unschedulable === true ? [...others, { key: cordonTaint, effect: 'NoSchedule' }] : others;
  if (taints.length > 0) spec.taints = [...taints];
  else delete spec.taints;
  return { ...node, spec };
}

function isNode({ name, group }: ApiResource): boolean {
  return name === 'nodes' && group === '';
}
