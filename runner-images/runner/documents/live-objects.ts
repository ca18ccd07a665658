/** Objects as a cluster answers them: only the fields that are read, each closed. */
import { z } from 'zod';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import {
  ApiVersion,
  ConditionStatus,
  KubernetesName,
  ObjectKind,
  ObjectPathName,
  ObservedConditionType,
  ObservedLabels,
} from '#domain/observed/kubernetes-texts.ts';
import { releaseAnnotation } from '#rendering/documents.ts';

/** A field of another form is as good as absent: kinds of users' own have fields of the same names for other things. */
const field = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const count = field(z.int().min(0));
/** `v1beta2` */
const Version = closedText(63, /^[a-z][a-z0-9-]*$/);

export const LiveObject = z.object({
  apiVersion: ApiVersion,
  kind: ObjectKind,
  metadata: z.object({
    name: ObjectPathName,
    namespace: KubernetesName.exactOptional(),
    labels: ObservedLabels.exactOptional(),
    generation: count,
    annotations: field(z.object({ [releaseAnnotation]: field(closedText(200, /^[\w.-]+@[\w.+-]+$/)) })),
  }),
  spec: field(
    z.object({
      replicas: count,
      versions: field(
        z.array(z.object({ name: Version, served: z.boolean().default(false), storage: z.boolean().default(false) })),
      ),
    }),
  ),
  status: field(
    z.object({
      observedGeneration: count,
      updatedReplicas: count,
      readyReplicas: count,
      desiredNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: count,
      storedVersions: field(z.array(Version)),
      conditions: field(z.array(field(z.object({ type: ObservedConditionType, status: ConditionStatus })))),
    }),
  ),
});
export type LiveObject = z.infer<typeof LiveObject> & KubernetesObject;

/** What `-o json` prints: one object, or a list. */
export const AnsweredObjects = z.union([
  z.object({ kind: z.literal('List'), items: z.array(LiveObject) }).transform(({ items }) => items),
  LiveObject.transform((object) => [object]),
]);
