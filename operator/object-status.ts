/** The status of an InputManifest in Kubernetes: Claudie's shape, and what `kubectl wait`, Flux and Argo CD understand. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';

/** In the order in which they are written. `Reconciling` and `Stalled` are those that kstatus reads. */
export const conditionTypes = [
  'Accepted',
  'Ready',
  'Reconciling',
  'Stalled',
  'Progressing',
  'Degraded',
  'DriftFree',
] as const;
export type ConditionType = (typeof conditionTypes)[number];

export const ObjectCondition = z.object({
  type: z.enum(conditionTypes),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().describe('One word for programs.'),
  message: z.string().describe('A sentence; of a refusal, all faults.'),
  lastTransitionTime: z.string().describe('When `status` last changed.'),
  observedGeneration: z.int().optional().describe('Generation of the object that it is about.'),
});
export type ObjectCondition = z.infer<typeof ObjectCondition>;

/** As Claudie calls them. */
const objectStates = ['WATCHING_FOR_CHANGES', 'IN_PROGRESS', 'DONE', 'ERROR', 'SCHEDULED_FOR_DELETION'] as const;
const clusterStates = ['WAIT_FOR_PICKUP', 'IN_PROGRESS', 'DONE', 'ERROR'] as const;
/** The service of Claudie that does what the stage does. */
const phases = ['NONE', 'TERRAFORMER', 'ANSIBLER', 'KUBE_ELEVEN', 'KUBER'] as const;

export const ObservedCluster = z.object({
  state: z.enum(clusterStates),
  phase: z.enum(phases).describe('Where its run is; NONE without a run.'),
  message: z.string(),
  previous: z
    .array(z.object({ status: z.string(), stage: z.string(), taskDescription: z.string(), timestamp: z.string() }))
    .describe('Its last three runs that ended, newest first.'),
});
export type ObservedCluster = z.infer<typeof ObservedCluster>;

export const PlanId = closedText(64, /^[0-9a-z]+$/);

const observed = {
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of the object that all of the status is about; -1 until the operator has seen the object.'),
  submitted: z.string().optional().describe('Checksum of what was last given to Kubeloom.'),
  secrets: z
    .record(z.string(), z.string())
    .optional()
    .describe('Versions of the Secrets that were last given to Kubeloom.'),
  conditions: z.array(ObjectCondition).optional(),
};

export const ObjectStatus = z.object({
  ...observed,
  state: z.enum(objectStates).optional(),
  message: z
    .string()
    .optional()
    .describe('What it is at, in one line; of each failure three: what failed where, the cause, what to do.'),
  clusters: z.record(z.string(), ObservedCluster).optional().describe('By name.'),
  runId: z.string().optional().describe('The run that works on it or did last.'),
  acceptedGeneration: z
    .int()
    .optional()
    .describe('Generation of the object whose document Kubeloom has: clusters and run are about it.'),
  plan: PlanId.optional().describe('Id of the plan that waits for an approval, or that was rejected.'),
  manifestGeneration: z.int().optional().describe('Generation of the manifest in Kubeloom.'),
  outputs: z.string().optional().describe('The run after which the Secrets with kubeconfigs were written.'),
  outputsRefused: z.string().optional().describe('Why Kubeloom gives out no kubeconfig for a Secret.'),
});
export type ObjectStatus = z.infer<typeof ObjectStatus>;

export const ReferenceStatus = z.object(observed);
