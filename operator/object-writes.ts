/** What the operator writes to its objects: finalizers, status, events. Nothing of it is a Secret's value. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#domain/json.ts';
import { type KubernetesApi, KubernetesRefusal, unlessMissing } from './kubernetes-api.ts';
import { finalizer, ManifestObject } from './objects.ts';
import { apiVersionOf, objectPath, type Resource } from './resources.ts';
import { managedBy } from './secrets.ts';

/** The object has changed since it was read: the next pass sees what it is now. */
export class Outdated extends Error {}

const ifOutdated = (error: unknown): never => {
  if (error instanceof KubernetesRefusal && (error.status === 409 || error.status === 404))
    throw new Outdated(error.message, { cause: error });
  throw error;
};

export interface Remark {
  readonly type: 'Normal' | 'Warning';
  /** One word. */
  readonly reason: string;
  readonly message: string;
}

export type ObjectWrites = ReturnType<typeof objectWrites>;

/** Every call throws `Outdated` when the object is not the one that was read. */
export function objectWrites(kubernetes: KubernetesApi, resource: Resource, now: () => Date) {
  const pathTo = ({ metadata }: ManifestObject): string => objectPath(resource, metadata.namespace, metadata.name);
  const patchFinalizers = async (object: ManifestObject, finalizers: readonly string[]): Promise<ManifestObject> => {
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion, finalizers } };
    const contentType = 'application/merge-patch+json';
    return ManifestObject.parse(await kubernetes.ask('PATCH', pathTo(object), { contentType, body }).catch(ifOutdated));
  };
  return {
    /** As it is now, not as a cache remembers it; undefined when it is gone. */
    async fresh(object: ManifestObject): Promise<ManifestObject | undefined> {
      const answer = await kubernetes.ask('GET', pathTo(object)).catch(unlessMissing);
      const found = answer === undefined ? undefined : ManifestObject.parse(answer);
      return found?.metadata.uid === object.metadata.uid ? found : undefined;
    },
    async hold(object: ManifestObject): Promise<ManifestObject> {
      const { finalizers } = object.metadata;
      return finalizers.includes(finalizer) ? object : patchFinalizers(object, [...finalizers, finalizer]);
    },
    async release(object: ManifestObject): Promise<void> {
      await patchFinalizers(
        object,
        object.metadata.finalizers.filter((one) => one !== finalizer),
      );
    },
    /** Writes nothing when it is as it was. Returns the object as it is then. */
    async status(object: ManifestObject, status: ManifestObject['status']): Promise<ManifestObject> {
      if (canonicalJson(status) === canonicalJson(object.status)) return object;
      const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object, status };
      return ManifestObject.parse(await kubernetes.ask('PUT', `${pathTo(object)}/status`, { body }).catch(ifOutdated));
    },
    /** The same remark on the same generation is one event, however many replicas make it. */
    async event(object: ManifestObject, { type, reason, message }: Remark): Promise<void> {
      const { name, namespace, uid, generation, resourceVersion } = object.metadata;
      const text = message.length > 1000 ? `${message.slice(0, 999)}…` : message;
      const id = createHash('sha256').update([uid, generation, reason, text].join('\n')).digest('hex').slice(0, 16);
      const at = now().toISOString();
      const body = {
        apiVersion: 'v1',
        kind: 'Event',
        type,
        reason,
        message: text,
        metadata: { name: `${name}.${id}`, namespace },
        involvedObject: {
          apiVersion: apiVersionOf(resource),
          kind: resource.kind,
          name,
          namespace,
          uid,
          resourceVersion,
        },
        firstTimestamp: at.replace(/\.\d+Z/, 'Z'),
        lastTimestamp: at.replace(/\.\d+Z/, 'Z'),
        count: 1,
        source: { component: managedBy },
        reportingComponent: managedBy,
        reportingInstance: managedBy,
      };
      await kubernetes.ask('POST', `/api/v1/namespaces/${namespace}/events`, { body }).catch((error: unknown) => {
        // It exists already, or the namespace is being deleted.
        const harmless = error instanceof KubernetesRefusal && [403, 404, 409].includes(error.status);
        if (!harmless) throw error;
      });
    },
  };
}
