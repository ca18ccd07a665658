/** What the agent in a workload cluster asks of the API: the autoscaled pools of its cluster, and other sizes for them. */
import { z } from 'zod';
import { Taint } from '#domain/cluster-state.ts';
import { NodeObservation } from '#domain/drift.ts';
import { NodeNotice } from '#domain/node-notice.ts';
import { KubernetesName, Quantities } from '#domain/observed/kubernetes-texts.ts';

/** States of the machines of a pool: `creating` until it is a node of Kubernetes, `deleting` once it is drained or removed. */
const AgentNodeState = z.enum(['creating', 'running', 'deleting']);

/** Why the last size that was asked of a pool was not reached. */
const AgentFailure = z.strictObject({
  /** Nodes that had been asked for; the pool went back to `size`. */
  count: z.number().int().min(0),
  /** Whether another pool may have room: capacity and quota of the provider. */
  outOfResources: z.boolean(),
  code: z.string(),
  message: z.string(),
});

/** What the next node of a pool will be for the scheduler. */
export const AgentTemplate = z.strictObject({
  labels: z.record(z.string(), z.string()),
  taints: z.array(Taint),
  /** Quantities by resource as Kubernetes writes them: `cpu`, `memory`, `pods`, `nvidia.com/gpu` …; empty where nothing is known. */
  capacity: z.record(z.string(), z.string()),
});
export type AgentTemplate = z.infer<typeof AgentTemplate>;

export const AgentGroup = z
  .strictObject({
    pool: z.string(),
    min: z.number().int().min(0),
    max: z.number().int().min(1),
    /** Nodes that are wanted now. */
    size: z.number().int().min(0),
    nodes: z.array(z.strictObject({ name: z.string(), state: AgentNodeState })),
    failure: AgentFailure.optional(),
    /** What a node costs, where pools grow by price: one currency for all pools of a cluster. Absent: not known, or not needed. */
    monthlyPrice: z.number().min(0).optional(),
    template: AgentTemplate,
  })
  .meta({ id: 'AgentGroup' });
export type AgentGroup = z.infer<typeof AgentGroup>;

export const AgentGroups = z.strictObject({ groups: z.array(AgentGroup) }).meta({ id: 'AgentGroups' });

/** Another size; the nodes of `remove` leave, and no others take their place. */
export const AgentSize = z
  .strictObject({ count: z.number().int().min(0), remove: z.array(z.string()).default([]) })
  .meta({ id: 'AgentSize' });
export type AgentSize = z.input<typeof AgentSize>;

const Resources = Quantities;

/** The nodes of the cluster as Kubernetes has them. */
export const AgentHealth = z
  .strictObject({
    nodes: z
      .array(
        z.strictObject({
          name: KubernetesName,
          ready: z.enum(['True', 'False', 'Unknown']),
          /** Since when it is so. */
          readySince: z.iso.datetime().optional(),
          createdAt: z.iso.datetime().optional(),
          /** It has the label `upgrade-lock`. */
          locked: z.boolean(),
          /** What its cloud announced, as its taint says. */
          notice: NodeNotice.optional(),
          /** What pods may use of it. */
          allocatable: Resources,
        }),
      )
      .max(2000),
  })
  .meta({ id: 'AgentHealth' });
export type AgentHealth = z.infer<typeof AgentHealth>;

/** The nodes that Kubeloom knows, and every address of each: what their kubelets may have certificates for. */
export const AgentNodes = z
  .strictObject({ nodes: z.array(z.strictObject({ name: z.string(), addresses: z.array(z.string()) })) })
  .meta({ id: 'AgentNodes' });
export type AgentNodes = z.infer<typeof AgentNodes>;

/** What the agent of a cluster reported last; the next report replaces it. */
export const AgentReport = z.strictObject({
  schema: z.literal(2),
  /** ISO 8601 */
  at: z.string(),
  /** Nodes of Kubeloom that are not ready, as those are that Kubernetes does not have, or that are locked; all others were well. */
  unwell: z.array(NodeObservation),
  /** By name of the pool: what pods may use of its last node, also when it has none any more. */
  capacity: z.record(z.string(), Resources),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** What an earlier release kept as an object: capacities of pools that have no nodes now are only there until the next report. */
export const OldAgentReport = z.object({ at: z.string(), capacity: AgentReport.shape.capacity });

/** Artifact key of that. */
export function oldAgentReportKey(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  cluster: string,
) {
  return `agents/${namespace}/${name}/${cluster}.json`;
}
