/** What the agent in a workload cluster asks of the API: the autoscaled pools of its cluster, and other sizes for them. */
import { z } from 'zod';
import { Taint } from '#domain/cluster-state.ts';

/** Of the machines of a pool: `creating` until it is a node of Kubernetes, `deleting` once it is drained or removed. */
export const AgentNodeState = z.enum(['creating', 'running', 'deleting']);

/** Why the last size that was asked of a pool was not reached. */
export const AgentFailure = z.strictObject({
  /** Nodes that had been asked for; the pool went back to `size`. */
  count: z.number().int().min(0),
  /** Whether another pool may have room: capacity and quota of the provider. */
  outOfResources: z.boolean(),
  code: z.string(),
  message: z.string(),
});
export type AgentFailure = z.infer<typeof AgentFailure>;

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
    template: AgentTemplate,
  })
  .meta({ id: 'AgentGroup' });
export type AgentGroup = z.infer<typeof AgentGroup>;

export const AgentGroups = z.strictObject({ groups: z.array(AgentGroup) }).meta({ id: 'AgentGroups' });
export type AgentGroups = z.infer<typeof AgentGroups>;

/** Another size; the nodes of `remove` leave, and no others take their place. */
export const AgentSize = z
  .strictObject({ count: z.number().int().min(0), remove: z.array(z.string()).default([]) })
  .meta({ id: 'AgentSize' });
export type AgentSize = z.input<typeof AgentSize>;
