/** Plans as they are kept: what each was made from, and, of a proposed one, what an approval carries out. */
import { z } from 'zod';
import { InventoryBasis } from '#domain/inventory/inventory-basis.ts';
import { PlanBasis } from '#domain/planning/plan-basis.ts';
import { RollOutSettings } from '#domain/roll-out/roll-out-settings.ts';
import { type ManifestKey, Orphans } from './records.ts';
import { inventoryPlanName } from './waiting-plans.ts';

/** What an approval carries out. */
export const Proposal = z.strictObject({
  kind: z.enum(['apply', 'delete']),
  /** The InputManifest; null for a deletion. */
  document: z.unknown(),
  /** ManagementPlanes that an approval stores with it. */
  planes: z.array(z.unknown()).optional(),
  /** Names of ManagementPlanes that an approval deletes with it. */
  withoutPlanes: z.array(z.string()).optional(),
  orphans: Orphans.optional(),
  /** Rollbacks only: the generation that it goes back to. */
  rolledBackTo: z.number().int().optional(),
  reason: z.string(),
  /** How much changes, a few words. */
  summary: z.string(),
});
export type Proposal = z.infer<typeof Proposal>;

export const StoredPlan = z.strictObject({
  schema: z.literal(1),
  id: z.string(),
  /** ISO 8601: when it was first made. */
  at: z.string(),
  /** Name of the caller. */
  by: z.string(),
  basis: PlanBasis,
  proposal: Proposal.optional(),
  approved: z.strictObject({ at: z.string(), by: z.string(), runId: z.string() }).optional(),
});
export type StoredPlan = z.infer<typeof StoredPlan>;

/** A change of an inventory that waits for an approver. */
export const InventoryProposal = z.strictObject({
  /** ISO 8601. */
  at: z.string(),
  /** Name of the caller. */
  by: z.string(),
  /** Those that a roll-out stores; none: it brings what is stored to the clusters that are behind. */
  documents: z.array(z.unknown()),
  /** Only these. @default all */
  clusters: z.array(z.string()).optional(),
  /** What was asked for; the rest is as the InventoryOrder has it. */
  settings: RollOutSettings.partial(),
  /** How much changes, a few words. */
  summary: z.string(),
});
export type InventoryProposal = z.infer<typeof InventoryProposal>;

/** The plan of an inventory. */
export const StoredInventoryPlan = z.strictObject({
  schema: z.literal(1),
  id: z.string(),
  /** ISO 8601: when it was last made. */
  at: z.string(),
  basis: InventoryBasis,
  proposal: InventoryProposal.optional(),
});
export type StoredInventoryPlan = z.infer<typeof StoredInventoryPlan>;

/** Artifact keys; objects below `plans/` expire. */
export const storedPlanKeys = {
  of: ({ namespace, name }: ManifestKey): string => `plans/${namespace}/${name}/`,
  plan: (key: ManifestKey, id: string): string => `${storedPlanKeys.of(key)}${id}.json`,
  ofInventory: (namespace: string, id: string): string => `plans/${namespace}/${inventoryPlanName}/${id}.json`,
} as const;
