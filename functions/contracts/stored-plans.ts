/** Plans as they are kept, of manifests and of inventories: what each was made from, and, of a proposed one, what an approval carries out. */
import { z } from 'zod';
import { InventoryBasis } from '#domain/inventory/inventory-basis.ts';
import { isMap } from '#domain/json.ts';
import { PlanBasis } from '#domain/planning/plan-basis.ts';
import { RollOutSettings } from '#domain/roll-out/roll-out-settings.ts';
import { StateEditWork } from '#domain/state-edit.ts';
import { maybePins } from './moved-templates.ts';
import { type ManifestKey, Orphans } from './records.ts';
import { closedStates } from './waiting-plans.ts';

/** An edit of a Terraform state that waits for an approval. */
const ProposedEdit = z.strictObject({
  /** Id of the cluster. */
  cluster: z.string(),
  edit: StateEditWork.omit({ by: true }),
});

const inWords = {
  reason: z.string(),
  /** How much changes, a few words. */
  summary: z.string(),
};

/** What an approval carries out. */
export const Proposal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('apply'),
    /** The InputManifest. */
    document: z.unknown(),
    /** ManagementPlanes that an approval stores with it. */
    planes: z.array(z.unknown()).optional(),
    /** Names of ManagementPlanes that an approval deletes with it. */
    withoutPlanes: z.array(z.string()).optional(),
    /** Rollbacks only: the generation that it goes back to. */
    rolledBackTo: z.number().int().optional(),
    /** Templates that moved: the versions that an approval uses, whatever their references name then. */
    pinned: maybePins,
    ...inWords,
  }),
  z.strictObject({ kind: z.literal('delete'), document: z.null(), orphans: Orphans.optional(), ...inWords }),
  z.strictObject({ kind: z.literal('edit'), document: ProposedEdit, ...inWords }),
  z.strictObject({
    kind: z.literal('rollOut'),
    /** Those of the inventory that it stores; none: it brings what is stored to the clusters that are behind. */
    documents: z.array(z.unknown()),
    /** Only these. @default all */
    clusters: z.array(z.string()).optional(),
    /** What was asked for; the rest is as the InventoryOrder has it. */
    settings: RollOutSettings.partial(),
    ...inWords,
  }),
]);
export type Proposal = z.infer<typeof Proposal>;
export type ProposalKind = Proposal['kind'];
export type ProposalOf<Kind extends ProposalKind> = Extract<Proposal, { readonly kind: Kind }>;

/** What a plan of a manifest, or of an inventory, was made from. */
export type AnyBasis = PlanBasis | InventoryBasis;

/** Until 0.1 plans of inventories had the proposer, and no kind, in the proposal. */
function asOneOfNow(stored: unknown): unknown {
  if (!isMap(stored) || 'by' in stored) return stored;
  const { proposal, ...plan } = stored;
  if (!isMap(proposal)) return { ...plan, by: '' };
  const { at, by, ...change } = proposal;
  return { ...plan, at, by, proposal: { kind: 'rollOut', reason: 'roll-out', ...change } };
}

/** How a proposal ended that no one approved. */
export const ClosedProposal = z.strictObject({
  state: z.enum(closedStates),
  /** ISO 8601. */
  at: z.string(),
  /** Name of who did it; of one that is superseded, who proposed the newer one. */
  by: z.string(),
  /** What a person said. */
  reason: z.string().optional(),
  /** The one that took its place. */
  plan: z.string().optional(),
});
export type ClosedProposal = z.infer<typeof ClosedProposal>;

export const StoredPlan = z.preprocess(
  asOneOfNow,
  z.strictObject({
    schema: z.literal(1),
    id: z.string(),
    /** ISO 8601: when it was first made, or proposed. */
    at: z.string(),
    /** Name of the caller. */
    by: z.string(),
    basis: z.union([PlanBasis, InventoryBasis]),
    proposal: Proposal.optional(),
    /** `runId`: the run, or the roll-out. */
    approved: z.strictObject({ at: z.string(), by: z.string(), runId: z.string() }).optional(),
    closed: ClosedProposal.optional(),
  }),
);
export type StoredPlan = z.infer<typeof StoredPlan>;

/** Artifact keys; objects below `plans/` expire. */
export const storedPlanKeys = {
  of: ({ namespace, name }: ManifestKey): string => `plans/${namespace}/${name}/`,
  plan: (key: ManifestKey, id: string): string => `${storedPlanKeys.of(key)}${id}.json`,
} as const;
