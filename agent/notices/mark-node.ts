/** The taint of a node with a notice. Taints are one list to the API server: what others set is read, and goes back as it is. */
import { z } from 'zod';
import { type NoticeKind, noticeTaint } from '#domain/node-notice.ts';
import {
  KubernetesTime,
  ObservedLabelValue,
  QualifiedName,
  ResourceVersion,
} from '#domain/observed/kubernetes-texts.ts';
import type { ActingApi } from '../node-agent.ts';

const TaintedNode = z.object({
  metadata: z.object({ resourceVersion: ResourceVersion }),
  spec: z
    .object({
      taints: z
        .array(
          z.strictObject({
            key: QualifiedName,
            value: ObservedLabelValue.optional(),
            effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
            timeAdded: KubernetesTime.optional(),
          }),
        )
        .default([]),
    })
    .prefault({}),
});

/** Undefined: takes it back. Throws when another client changes the node meanwhile, or its taints have a form that is not known. */
export async function markNode(
  cluster: Pick<ActingApi, 'get' | 'patch'>,
  node: string,
  kind: NoticeKind | undefined,
  now: Date,
): Promise<void> {
  const path = `/api/v1/nodes/${node}`;
  const { metadata, spec } = TaintedNode.parse(await cluster.get(path));
  const others = spec.taints.filter(({ key }) => key !== noticeTaint);
  // The API server takes whole seconds.
  const timeAdded = `${now.toISOString().slice(0, 19)}Z`;
  const own = kind === undefined ? [] : [{ key: noticeTaint, value: kind, effect: 'NoSchedule', timeAdded }];
  const { resourceVersion } = metadata;
  await cluster.patch(path, { metadata: { resourceVersion }, spec: { taints: [...others, ...own] } });
}
