/** What descriptions and plans show of clusters in addition to their states: demand and drift. */
import { z } from 'zod';
import { NodeDemand, SizeDemand, SizeFailure } from '#domain/demand.ts';
import { DriftItem, NodeHealthRecord } from '#domain/drift.ts';
import { errorClasses } from '#domain/errors.ts';
import { FailureLines } from '#domain/failure-lines.ts';
import { Direction, StageName } from '#domain/plan.ts';
import { maybeText } from './moved-templates.ts';

export const OpenDemand = z
  .object({
    sizes: z.array(SizeDemand.omit({ kept: true }).extend({ pool: z.string() })),
    replace: z.array(NodeDemand),
    failures: z
      .array(SizeFailure.extend({ pool: z.string() }))
      .describe('the last size of a pool that could not be reached; it is not retried'),
  })
  .meta({ id: 'OpenDemand', description: 'requests apart from the manifest: by whom, and when' });
export type OpenDemand = z.infer<typeof OpenDemand>;

/** When what a cluster depends on ends. */
export const CertificateEnds = z
  .object({
    next: z
      .object({ what: z.string(), node: maybeText, until: z.string() })
      .optional()
      .describe(
        'the first to end of the certificates that Kubeloom renews: its file, and the node; `kubeconfig`: the one that Kubeloom keeps',
      ),
    renewedFrom: maybeText.describe('when the checks start to renew it; absent: none does'),
    authorityUntil: maybeText.describe('when the certificate authority ends, which is not renewed'),
    warnings: z.array(z.string()).describe('what ends too soon, with what to do about it'),
  })
  .meta({ id: 'CertificateEnds' });
export type CertificateEnds = z.infer<typeof CertificateEnds>;

export const DriftRows = z
  .array(
    z.object({
      cluster: z.string().describe('its name'),
      checkedAt: z.string(),
      differs: z.string().describe('in words: how many differences'),
      items: z.array(DriftItem),
    }),
  )
  .describe('clusters for which the last check found drift');

/** What a list shows of a cluster in addition to its status; a field without anything to report is absent. */
export const clusterRemarks = {
  providers: z.array(z.string()).optional().describe('provider instances that have nodes of it'),
  now: z
    .object({
      direction: Direction,
      stage: StageName.nullable(),
      waypoint: z.number().int(),
      waypoints: z.number().int(),
      joins: z.number().int().describe('nodes that the waypoint adds'),
      leaves: z.number().int().describe('nodes that it removes'),
    })
    .optional()
    .describe('what a run is currently doing'),
  failure: z
    .object({
      class: z.enum(errorClasses),
      code: z.string(),
      message: z.string().describe('its first 300 characters'),
      hint: z.string(),
      at: z.string(),
      lines: FailureLines.optional().describe('absent in answers of an older release'),
    })
    .optional(),
  drift: z.number().int().optional().describe('how many differences the last check found'),
  ends: maybeText.describe('certificates that end too soon, a sentence'),
};

/** What is shown of a held pool; both are absent in answers of an older release. */
export const heldPoolRemarks = {
  class: z.enum(errorClasses).optional(),
  lines: FailureLines.optional(),
};

const nodeStatuses = [
  'Waiting',
  'Joining',
  'Ready',
  'NotReady',
  'Unhealthy',
  'Gone',
  'Unreachable',
  'Leaving',
  'Leftover',
] as const;

/** What is shown of a node in addition to its place. */
export const nodeRemarks = {
  status: z
    .enum(nodeStatuses)
    .describe(
      'Leftover: attempted before, not part of the current state; the next run removes or adopts it. Unreachable: it did not answer over SSH when it was last visited. NotReady, Unhealthy, Gone: what the last check found; Unhealthy: a health check of its group fails; Gone: its machine no longer exists',
    ),
  unreachableSince: maybeText.describe('when it first did not answer'),
  unhealthySince: maybeText.describe('since when it is NotReady, Unhealthy or Gone'),
  health: z
    .object({
      ...NodeHealthRecord.pick({ since: true, failing: true }).shape,
      state: NodeHealthRecord.shape.health,
      checkedAt: z.string().describe('when it was checked last'),
    })
    .optional()
    .describe('machines with health checks only: the result, and since when'),
  notReplaced: maybeText.describe('why it is not replaced, and until when'),
};

/** How a plan is named, whether someone has to approve it, and what the health checks of machines cost. */
export const planIdentity = {
  id: z
    .string()
    .nullable()
    .describe('id of the plan, for `Kubeloom-Plan` and approvals; null when it has faults or is refused'),
  needsApproval: z.boolean().describe('it has to be approved by an `approver`'),
  healthChecks: z
    .object({
      interval: z.string().describe('interval of the drift checks, which include the health checks; `off`: never'),
      machines: z.number().int().describe('machines that have health checks'),
      dollarsOfMonth: z
        .object({ container: z.number(), lambda: z.number() })
        .describe(
          'approximate price in AWS for up to 50 machines (more take longer): builds on Lambda compute, the default, or in containers',
        ),
    })
    .optional()
    .describe('present if a group has health checks'),
};

/** Templates of a manifest that name another version than the one in use. */
export const BehindRow = z
  .object({
    change: z
      .string()
      .describe('what uses them, at which commit, and which is named now: `provider a at 1a2b3c4, now 5d6e7f8`'),
    since: z.string().describe('ISO 8601: when that was noticed'),
    because: maybeText.describe('why it is not used yet; absent: `onTemplates` says to report it only'),
    plan: maybeText.describe('the plan with it that waits for an approval'),
  })
  .meta({ id: 'BehindTemplates' });
export type BehindRow = z.infer<typeof BehindRow>;
