/** What the pods on nodes of clouds said last, by the status of each: a kubelet writes it, and only that of pods on its own node. */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { gravest, SaidNotice } from '#domain/node-notice.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import {
  ConditionStatus,
  KubernetesName,
  ObjectKind,
  ObservedConditionType,
} from '#domain/observed/kubernetes-texts.ts';

const noticesName = 'kubeloom-notices';
export const noticePodsPath = `/api/v1/namespaces/kube-system/pods?labelSelector=${encodeURIComponent(`app.kubernetes.io/name=${noticesName}`)}&resourceVersion=0`;

/** `{"kind":"ends","by":"2026-09-18T08:22:00Z"}`; other words say nothing. */
const LastWords = closedText(200, /^\{[\w":,.+-]{0,198}\}$/)
  .transform((text) => SaidNotice.safeParse(parseJson(text)).data)
  .optional()
  .catch(undefined);
const Ended = z
  .object({ terminated: z.object({ message: LastWords }).optional() })
  .prefault({})
  .catch({});

const NoticePods = z.object({
  items: z.array(
    z
      .object({
        metadata: z.object({
          ownerReferences: z.array(z.object({ kind: ObjectKind, name: KubernetesName })).default([]),
        }),
        spec: z.object({ nodeName: KubernetesName }),
        status: z
          .object({
            conditions: z
              .array(z.object({ type: ObservedConditionType, status: ConditionStatus }).optional().catch(undefined))
              .default([]),
            containerStatuses: z.array(z.object({ name: KubernetesName, state: Ended, lastState: Ended })).default([]),
          })
          .prefault({}),
      })
      .optional()
      // One that is not on a node yet, or that lies, hides no other.
      .catch(undefined),
  ),
});
type NoticePod = NonNullable<z.infer<typeof NoticePods>['items'][number]>;

/** By name of the node; a node of which nothing is known is not in it. */
export function saidNotices(list: unknown): ReadonlyMap<string, SaidNotice> {
  const pods = NoticePods.parse(list).items.filter((pod) => pod !== undefined);
  const own = pods.filter(({ metadata }) =>
    metadata.ownerReferences.some(({ kind, name }) => kind === 'DaemonSet' && name.startsWith(`${noticesName}-`)),
  );
  const byNode = Map.groupBy(own, ({ spec }) => spec.nodeName);
  return new Map(
    [...byNode].flatMap(([node, those]): (readonly [string, SaidNotice])[] => {
      const said = those.map(saidBy);
      const notice = gravest(said.filter((one) => one !== undefined && one.kind !== 'none'));
      if (notice) return [[node, notice]];
      return said.every((one) => one?.kind === 'none') ? [[node, { kind: 'none' }]] : [];
    }),
  );
}

/** Its last words; of one that never ended, that there is no notice, once it has read that. */
function saidBy({ status }: NoticePod): SaidNotice | undefined {
  const container = status.containerStatuses.find(({ name }) => name === 'notices');
  const ended = container?.state.terminated ?? container?.lastState.terminated;
  if (ended) return ended.message;
  const isKnown = status.conditions.some((one) => one?.type === 'Ready' && one.status === 'True');
  return isKnown ? { kind: 'none' } : undefined;
}
