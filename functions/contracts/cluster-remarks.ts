/** What descriptions and plans show of clusters besides their states: what is asked for, and drift. */
import { z } from 'zod';
import { NodeDemand, SizeDemand, SizeFailure } from '#domain/demand.ts';
import { DriftItem } from '#domain/drift.ts';

export const OpenDemand = z
  .object({
    sizes: z.array(SizeDemand.omit({ kept: true }).extend({ pool: z.string() })),
    replace: z.array(NodeDemand),
    failures: z
      .array(SizeFailure.extend({ pool: z.string() }))
      .describe('the last size of a pool that could not be reached; it is not tried again'),
  })
  .meta({ id: 'OpenDemand', description: 'what is asked for apart from the manifest: by whom, and when' });
export type OpenDemand = z.infer<typeof OpenDemand>;

export const DriftRows = z
  .array(
    z.object({
      cluster: z.string().describe('its name'),
      checkedAt: z.string(),
      differs: z.string().describe('in words: how many things differ'),
      items: z.array(DriftItem),
    }),
  )
  .describe('clusters for which the last check found drift');

/** What is said of a node besides its place and status. */
export const nodeRemarks = {
  unreachableSince: z.string().optional().describe('when it first did not answer'),
  unhealthySince: z.string().optional().describe('since when it is NotReady or Gone'),
  notReplaced: z.string().optional().describe('why it is not replaced, and until when'),
};

/** How a plan is named, and whether someone has to approve it. */
export const planIdentity = {
  id: z
    .string()
    .nullable()
    .describe('of the plan, for `Kubeloom-Plan` and approvals; null when it has faults or is refused'),
  needsApproval: z.boolean().describe('it is kept as proposed until an `approver` approves it'),
};
