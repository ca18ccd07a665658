/** What the operator reads of objects in Kubernetes, and the document that Kubeloom gets of one. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isMap } from '#domain/json.ts';
import {
  KubernetesName,
  KubernetesTime,
  ObjectUid,
  ObservedAnnotations,
  ObservedLabels,
  QualifiedName,
  ResourceVersion,
} from '#domain/observed/kubernetes-texts.ts';
import { ObjectStatus } from './object-status.ts';
import { apiVersionOf, type Resource } from './resources.ts';

export const finalizer = 'kubeloom.dev/finalizer';
/** What happens to the clusters when the object is deleted. */
export const onDelete = 'kubeloom.dev/on-delete';
/** In the document that Kubeloom stores: `<uid of the object>@<checksum of the rest>`. */
const submittedFrom = 'kubeloom.dev/submitted-from';

const Metadata = z.looseObject({
  name: KubernetesName,
  namespace: KubernetesName,
  uid: ObjectUid,
  resourceVersion: ResourceVersion,
  generation: z.int().default(0),
  deletionTimestamp: KubernetesTime.optional(),
  finalizers: z.array(QualifiedName).default([]),
  annotations: ObservedAnnotations.default({}),
});

/** The readable part of a status that an older operator or another program wrote. */
export const ManifestObject = z.looseObject({
  metadata: Metadata,
  spec: z.unknown(),
  status: ObjectStatus.partial().catch({}).default({}),
});
export type ManifestObject = z.infer<typeof ManifestObject>;

/** A server writes `null` for a list without items. */
const itemsOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullable()
    .transform((items) => items ?? []);

export const ObjectList = z.object({
  metadata: z.object({ resourceVersion: ResourceVersion }),
  items: itemsOf(ManifestObject),
});

/** An object of a list without the fields that servers and kubectl keep for themselves, which are larger than the rest. */
export function readPart(item: unknown): unknown {
  if (!isMap(item) || !isMap(item.metadata)) return item;
  const { managedFields: _, annotations, ...metadata } = item.metadata;
  const read = Object.entries(isMap(annotations) ? annotations : {}).filter(([key]) => key !== lastApplied);
  return { ...item, metadata: { ...metadata, annotations: Object.fromEntries(read) } };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Items of a list of Secrets, without their values. */
export const SecretNames = z.object({
  items: itemsOf(
    z.object({
      metadata: z.object({
        name: KubernetesName,
        namespace: KubernetesName,
        resourceVersion: ResourceVersion,
        labels: ObservedLabels.optional(),
        ownerReferences: z.array(z.object({ uid: ObjectUid })).optional(),
      }),
    }),
  ),
});
export type SecretName = z.infer<typeof SecretNames>['items'][number]['metadata'];

export interface ObjectSubmission {
  readonly document: {
    readonly apiVersion: string;
    readonly kind: Resource['kind'];
    readonly metadata: {
      readonly name: string;
      readonly namespace: string;
      readonly annotations: Readonly<Record<string, string>>;
    };
    readonly spec: unknown;
  };
  readonly checksum: string;
}

/** The document with the annotations that Kubeloom reads, and where it is from. */
export function submissionOf(object: ManifestObject, resource: Resource): ObjectSubmission {
  const { name, namespace, uid, annotations } = object.metadata;
  const read = Object.entries(annotations).filter(
    ([key]) => key.startsWith('kubeloom.dev/') && key !== onDelete && key !== submittedFrom,
  );
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const content = JSON.stringify([type, read.toSorted(), object.spec], (_key, value) => sorted(value));
  const checksum = createHash('sha256').update(content).digest('hex').slice(0, 20);
  const own = { ...Object.fromEntries(read), [submittedFrom]: `${uid}@${checksum}` };
  return { document: { ...type, metadata: { name, namespace, annotations: own }, spec: object.spec }, checksum };
}

/** Where a stored document is from; undefined when no operator submitted it. */
export function originOf(document: unknown): { readonly uid: string; readonly checksum: string } | undefined {
  const read = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) }).safeParse(document);
  const [uid, checksum] = read.data?.metadata.annotations[submittedFrom]?.split('@') ?? [];
  return uid === undefined || checksum === undefined ? undefined : { uid, checksum };
}

/**
 * Submitted from this object, or, without a word of where it is from, the same manifest as then, changed by others since. Never one
 * that only has its name: it is neither shown nor deleted.
 */
export function isOf(
  { metadata, status }: ManifestObject,
  manifest: { readonly document: unknown; readonly runId: string },
): boolean {
  const origin = originOf(manifest.document);
  if (origin) return origin.uid === metadata.uid;
  // Name, uid and generation of the manifest, and the attempt or the check for drift.
  const [before, now] = [status.runId, manifest.runId].map((run) => run?.match(/-(\w+)-g\d+-[ad][0-9a-z]+$/)?.[1]);
  return before !== undefined && before === now;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
