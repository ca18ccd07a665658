/** Roll-outs on the wire and in the store. */
import { z } from 'zod';
import { inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { RollOut, RollOutCluster } from '#domain/roll-out/roll-out.ts';
import { RollOutSettings } from '#domain/roll-out/roll-out-settings.ts';
import { DnsLabel, planIds } from './http-parameters.ts';
import { InventoryRecord } from './inventory.ts';
import { BoundPlan, Origin } from './records.ts';

export const RollOutKey = z.strictObject({ namespace: z.string(), id: z.string() });
export type RollOutKey = z.infer<typeof RollOutKey>;

export const RollOutRecord = RollOut.extend({
  namespace: z.string(),
  /** Begins with the time at which it was started: newer ones come later. */
  id: z.string(),
  /** Optimistic lock: every write names the version it read. */
  version: z.number().int(),
  /** How many executions it has had; only the last one works on it. */
  execution: z.number().int(),
  /** ARN of the last execution. */
  executionArn: z.string().optional(),
  /** Executions in a row that were interrupted in a batch, and how many clusters had an end then. */
  interruptions: z.strictObject({ count: z.number().int(), ended: z.number().int() }).optional(),
  /** The plan that it is bound to; absent when it plans each cluster when its turn comes. */
  plan: z.string().optional(),
  /** Documents of the inventory that it stored, with the generation of each before (0: none). */
  documents: z.array(z.strictObject({ kind: z.enum(inventoryKinds), name: z.string(), before: z.number().int() })),
  startedBy: z.string(),
  startedAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().optional(),
});
export type RollOutRecord = z.infer<typeof RollOutRecord>;

/** Which roll-out touches which clusters of a namespace; those of roll-outs that ended no longer count. */
export const RollOutClaims = z.strictObject({
  namespace: z.string(),
  version: z.number().int(),
  claims: z.array(z.strictObject({ id: z.string(), at: z.string(), clusters: z.array(z.string()) })),
});
export type RollOutClaims = z.infer<typeof RollOutClaims>;

const Goal = z.strictObject({
  document: z.unknown(),
  templates: z.record(z.string(), z.string()).optional(),
  templateSecrets: z.record(z.string(), z.string()).optional(),
  plan: BoundPlan.optional(),
  origin: Origin.omit({ at: true }),
});
/** What the manifest of a cluster gets, and what it had before (null: no manifest). */
export const RollOutGoals = z.strictObject({
  schema: z.literal(1),
  goal: Goal,
  before: Goal.pick({ document: true, templates: true, templateSecrets: true }).nullable(),
});
export type RollOutGoals = z.infer<typeof RollOutGoals>;

/** Documents of the inventory that a roll-out stores, with what there was before (null: none). */
export const RollOutDocuments = z.array(
  z.strictObject({
    kind: z.enum(inventoryKinds),
    name: z.string(),
    document: z.unknown(),
    before: InventoryRecord.nullable(),
  }),
);
export type RollOutDocument = z.infer<typeof RollOutDocuments>[number];

/** Artifact keys. */
export const rollOutKeys = {
  goals: ({ namespace, id, direction }: RollOutKey & Pick<RollOut, 'direction'>, cluster: string): string =>
    `rollouts/${namespace}/${id}/${direction}/${cluster}.json`,
  /** `RollOutDocuments`. */
  documents: ({ namespace, id }: RollOutKey): string => `rollouts/${namespace}/${id}/@documents.json`,
} as const;

/** What the API takes. */
export const RollOutPath = z.object({ namespace: DnsLabel, id: DnsLabel.describe('id of the roll-out') });
export const RollOutVerb = z.enum(['pause', 'resume', 'undo', 'cancel']);
export type RollOutVerb = z.infer<typeof RollOutVerb>;
export const RollOutVerbPath = RollOutPath.extend({
  verb: RollOutVerb.describe('pause and resume it, undo what it did, or cancel the rest'),
});
export const RollOutQuery = z.object({
  clusters: z
    .string()
    .regex(/^[a-z0-9-]+(,[a-z0-9-]+)*$/, 'must be names of clusters, separated by commas')
    .transform((text) => text.split(','))
    .optional()
    .describe('only these clusters, separated by commas'),
  waves: z
    .string()
    .transform((text) => text.split(',').map((wave) => (/^\d+$/.test(wave) ? Number(wave) : wave)))
    .pipe(RollOutSettings.shape.waves)
    .optional()
    .describe('waves, separated by commas, as in `1,10%,100%`; else those of the InventoryOrder'),
  soak: RollOutSettings.shape.soak.optional(),
  maxFailed: z.coerce.number().pipe(RollOutSettings.shape.maxFailed).optional(),
});
export const RollOutHeaders = z.object({
  'Kubeloom-Plan': z.string().optional().describe('id of the only plan that may be carried out'),
});
export const wantedPlan = planIds;

/** What the API answers. */
const RollOutSummary = z.object({
  namespace: z.string(),
  id: z.string(),
  direction: RollOut.shape.direction,
  status: z.enum([...RollOut.shape.status.options, 'Interrupted']),
  pausing: z.boolean().describe('it stops before the next clusters'),
  interrupted: z.boolean().describe('its execution ended early: it is continued automatically, or by `resume`'),
  startedBy: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  halted: z.string().nullable().describe('why it halted'),
  soakUntil: z.string().nullable().describe('when the next wave starts, if no cluster became unhealthy'),
  waves: z.array(z.object({ clusters: z.number().int(), done: z.number().int() })),
  states: z.record(RollOutCluster.shape.state, z.number().int()).describe('how many clusters are in which state'),
});
export const RollOutList = z.object({ items: z.array(RollOutSummary) }).meta({ id: 'RollOutList' });
export const RollOutDescription = RollOutSummary.extend({
  plan: z.string().nullable(),
  settings: RollOutSettings,
  clusters: z.array(RollOutCluster.omit({ goal: true, acceptedCost: true })),
}).meta({ id: 'RollOut' });
export type RollOutDescription = z.infer<typeof RollOutDescription>;
