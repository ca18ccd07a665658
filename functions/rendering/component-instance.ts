/** The objects of a component in its own namespace; an instance has names of its own for what the cluster has once. */
import type { ComponentState } from '#domain/cluster-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import { groupOf, type KubernetesObject } from '#domain/kubernetes-objects.ts';

type Place = Pick<ComponentState, 'instance' | 'namespace' | 'watchNamespace' | 'shared'>;
type Fields = Readonly<Record<string, unknown>>;

/** Kinds that all instances of a provider share. */
const sharedKinds: readonly string[] = [
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

/** Annotations that name a Certificate or a Secret with its namespace: `demo-system/serving-cert`. */
const caSources: readonly string[] = ['cert-manager.io/inject-ca-from', 'cert-manager.io/inject-ca-from-secret'];

/** Throws `InvalidManifest` where the file is not made of one namespace and one manager. */
export function placedObjects(
  objects: readonly KubernetesObject[],
  { instance, namespace, watchNamespace, shared }: Place,
): readonly KubernetesObject[] {
  const kept = objects
    .map(withoutPlaceholders)
    .filter(({ kind }) => shared !== 'elsewhere' || !sharedKinds.includes(kind));
  const watched = watchNamespace === undefined ? kept : watching(kept, watchNamespace);
  if (instance === undefined && namespace === undefined) return watched;
  const from = namespaceOf(objects);
  const to = namespace ?? `${from}-${instance}`;
  return moved(instance === undefined ? watched : renamed(watched, { instance, from }), from, to);
}

/** A placeholder of certificates, which cert-manager replaces. */
function withoutPlaceholders(object: KubernetesObject): KubernetesObject {
  if (!sharedKinds.includes(object.kind)) return object;
  return mapFields(object, (key, value) => (key === 'caBundle' && value === 'Cg==' ? undefined : value));
}

function namespaceOf(objects: readonly KubernetesObject[]): string {
  const named = objects.filter(({ kind, apiVersion }) => kind === 'Namespace' && apiVersion === 'v1');
  const found = new Set(named.map(({ metadata }) => metadata.name));
  const [only] = found;
  if (only !== undefined && found.size === 1) return only;
  throw faulty(`it has ${found.size} namespaces, so it cannot be put into another one`);
}

function watching(objects: readonly KubernetesObject[], namespace: string): readonly KubernetesObject[] {
  let managers = 0;
  const changed = objects.map((object) => {
    if (object.kind !== 'Deployment' || groupOf(object.apiVersion) !== 'apps') return object;
    return mapFields(object, (key, value) => {
      if (key !== 'containers' || !Array.isArray(value)) return value;
      return value.map((container: unknown) => {
        if (!isMap(container) || container.name !== 'manager') return container;
        managers += 1;
        const args = listOf(container.args).filter((arg) => !String(arg).startsWith('--namespace='));
        return { ...container, args: [...args, `--namespace=${namespace}`] };
      });
    });
  });
  if (managers > 0) return changed;
  throw faulty('it has no Deployment with a container "manager", which could be bound to a namespace');
}

/** Objects of no namespace, and those in namespaces of others, get the name of the instance; what refers to them, too. */
function renamed(
  objects: readonly KubernetesObject[],
  { instance, from }: { readonly instance: string; readonly from: string },
): readonly KubernetesObject[] {
  const alone = ({ kind, metadata }: KubernetesObject) =>
    metadata.namespace !== from && kind !== 'Namespace' && !sharedKinds.includes(kind);
  const names = new Set(objects.filter(alone).map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  return objects.map((object) => {
    const { name } = object.metadata;
    const own = alone(object) ? { ...object, metadata: { ...object.metadata, name: `${name}-${instance}` } } : object;
    const { roleRef } = own;
    if (!isMap(roleRef) || !names.has(`${roleRef.kind} ${roleRef.name}`)) return own;
    return { ...own, roleRef: { ...roleRef, name: `${roleRef.name}-${instance}` } };
  });
}

/** Every place in which Cluster API's files name their namespace. */
function moved(objects: readonly KubernetesObject[], from: string, to: string): readonly KubernetesObject[] {
  if (from === to) return objects;
  const isIn = (value: unknown) => value === from;
  return objects.map((object): KubernetesObject => {
    const { kind, metadata } = object;
    const placed = mapFields(object, (key, value, owner) => {
      // The namespace of subjects, of services of webhooks and of the object itself.
      if (key === 'namespace' && isIn(value) && typeof owner.name === 'string') return to;
      if (caSources.includes(key) && typeof value === 'string')
        return value.startsWith(`${from}/`) ? `${to}${value.slice(from.length)}` : value;
      if (key === 'dnsNames' && Array.isArray(value))
        return value.map((name) => (typeof name === 'string' ? name.replace(`.${from}.svc`, `.${to}.svc`) : name));
      return value;
    });
    return kind === 'Namespace' && isIn(metadata.name)
      ? { ...placed, metadata: { ...placed.metadata, name: to, labels: withName(metadata.labels, from, to) } }
      : placed;
  });
}

function withName(labels: KubernetesObject['metadata']['labels'], from: string, to: string) {
  return labels && Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, value === from ? to : value]));
}

/** Every field of every map, from the outside; undefined removes it. */
function mapFields<Value extends object>(
  value: Value,
  change: (key: string, value: unknown, owner: Fields) => unknown,
): Value {
  const visit = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(visit);
    if (!isMap(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).flatMap(([key, one]) => {
        const changed = change(key, one, inner);
        return changed === undefined ? [] : [[key, visit(changed)]];
      }),
    );
  };
  return visit(value) as Value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function faulty(message: string): PipelineError {
  return new PipelineError('InvalidManifest', message);
}
