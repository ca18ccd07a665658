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

/** One for all fields: each schema takes time when a function starts. */
const text = z.string();
const anything = z.unknown();

/** An edit of a Terraform state that waits for an approval. */
const ProposedEdit = z.strictObject({
  /** Id of the cluster. */
  cluster: text,
  edit: StateEditWork.omit({ by: true }),
});

const inWords = {
  reason: text,
  /** How much changes, a few words. */
  summary: text,
};

/** What an approval carries out. */
export const Proposal = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('apply'),
    /** The InputManifest. */
    document: anything,
    /** ManagementPlanes that an approval stores with it. */
    planes: z.array(anything).optional(),
    /** Names of ManagementPlanes that an approval deletes with it. */
    withoutPlanes: z.array(text).optional(),
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
    documents: z.array(anything),
    /** Only these. @default all */
    clusters: z.array(text).optional(),
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
  at: text,
  /** Name of who did it; of one that is superseded, who proposed the newer one. */
  by: text,
  /** What a person said. */
  reason: text.optional(),
  /** The one that took its place. */
  plan: text.optional(),
});
export type ClosedProposal = z.infer<typeof ClosedProposal>;

export const StoredPlan = z.preprocess(
  asOneOfNow,
  z.strictObject({
    schema: z.literal(1),
    id: text,
    /** ISO 8601: when it was first made, or proposed. */
    at: text,
    /** Name of the caller. */
    by: text,
    basis: z.union([PlanBasis, InventoryBasis]),
    proposal: Proposal.optional(),
    /** `runId`: the run, or the roll-out. */
    approved: z.strictObject({ at: text, by: text, runId: text }).optional(),
    closed: ClosedProposal.optional(),
  }),
);
export type StoredPlan = z.infer<typeof StoredPlan>;

/** Artifact keys; objects below `plans/` expire. */
export const storedPlanKeys = {
  of: ({ namespace, name }: ManifestKey): string => `plans/${namespace}/${name}/`,
  plan: (key: ManifestKey, id: string): string => `${storedPlanKeys.of(key)}${id}.json`,
} as const;
