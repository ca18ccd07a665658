/** Pods leave a node by evictions, which respect disruption budgets, in the time that the cloud gives. */
import { z } from 'zod';
import { type Notice, noticeMeaning } from '#domain/node-notice.ts';
import { KubernetesName, ObjectKind, ObservedAnnotations } from '#domain/observed/kubernetes-texts.ts';
import type { ActingApi } from '../node-agent.ts';

const mirror = 'kubernetes.io/config.mirror';
/** Between the end of the last pod and the end of the machine. */
const marginSeconds = 5;

const PodsOfNode = z.object({
  items: z.array(
    z
      .object({
        metadata: z.object({
          name: KubernetesName,
          namespace: KubernetesName,
          annotations: ObservedAnnotations.default({}).catch({}),
          deletionTimestamp: z.iso.datetime().optional(),
          ownerReferences: z.array(z.object({ kind: ObjectKind, controller: z.boolean().default(false) })).default([]),
        }),
        spec: z.object({ terminationGracePeriodSeconds: z.number().int().min(0).default(30) }),
        status: z.object({ phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']) }),
      })
      .optional()
      // One that lies stays where it is, and hides no other.
      .catch(undefined),
  ),
});
type PodOfNode = NonNullable<z.infer<typeof PodsOfNode>['items'][number]>;

export interface Drained {
  /** Pods that an eviction was accepted for now. */
  readonly evicted: number;
  /** Pods that still are on the node: they end, or a budget holds them. */
  readonly left: number;
}

/** One round: asks for the eviction of each pod that has to leave. Those that a budget holds are asked for in the next round. */
export async function evictPods(
  cluster: Pick<ActingApi, 'get' | 'post'>,
  node: string,
  notice: Notice,
  now: Date,
): Promise<Drained> {
  const path = `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const pods = PodsOfNode.parse(await cluster.get(path)).items.filter((pod) => pod !== undefined);
  const leaving = pods.filter((pod) => hasToLeave(pod, notice));
  const asked = leaving.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const statuses = await Promise.all(
    asked.map(({ metadata: { name, namespace }, spec }) =>
      cluster.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: graceFor(spec.terminationGracePeriodSeconds, notice, now),
      }),
    ),
  );
  return { evicted: statuses.filter((status) => status < 300).length, left: leaving.length };
}

/** Pods without a controller are lost wherever they are evicted: only from a machine that does not come back. */
function hasToLeave({ metadata, status }: PodOfNode, { kind }: Notice): boolean {
  const { annotations, ownerReferences } = metadata;
  if (annotations[mirror] !== undefined || status.phase === 'Succeeded' || status.phase === 'Failed') return false;
  if (ownerReferences.some((owner) => owner.kind === 'DaemonSet')) return false;
  return noticeMeaning[kind].replace || ownerReferences.some(({ controller }) => controller);
}

/** A pod that wants more time than the machine has gets what is left. */
function graceFor(wanted: number, { by }: Notice, now: Date): { readonly gracePeriodSeconds?: number } {
  if (by === undefined) return {};
  const left = Math.max(1, Math.floor((Date.parse(by) - now.getTime()) / 1000) - marginSeconds);
  return wanted > left ? { gracePeriodSeconds: left } : {};
}
