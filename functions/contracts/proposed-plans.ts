/** Proposed plans, as the API lists them, and the body that rejects one. */
import { z } from 'zod';
import { RollOutSettings } from '#domain/roll-out/roll-out-settings.ts';
import { lineOfText } from './http-parameters.ts';
import { InventoryPlan } from './inventory.ts';
import { closedStates, WaitingPlan } from './waiting-plans.ts';

/** One for all fields: each schema takes time when a function starts. */
const text = z.string();

/** Whether a proposal still waits, and how it ended. */
const endOfProposal = {
  state: z
    .enum(['Proposed', 'Approved', 'Outdated', ...closedStates])
    .describe(
      'Outdated: what it is about was changed since; Superseded: a newer proposal of the same document took its place; Withdrawn: by its author. Propose it again',
    ),
  approved: z.object({ at: text, by: text, runId: text }).optional(),
  closed: z
    .object({
      at: text,
      by: text,
      reason: text.optional(),
      plan: text.optional(),
    })
    .optional()
    .describe(
      'how it ended without an approval: who rejected or withdrew it, and why, or who proposed the newer one, and the plan of that',
    ),
};

const { difference: _, ...shown } = WaitingPlan.shape;

export const ProposedPlanRow = z
  .object({
    ...shown,
    ...endOfProposal,
  })
  .meta({ id: 'ProposedPlan' });
export type ProposedPlanRow = z.infer<typeof ProposedPlanRow>;

export const ProposedPlanList = z.object({ items: z.array(ProposedPlanRow) }).meta({ id: 'ProposedPlanList' });

/** Body of a rejection. */
export const RejectRequest = z
  .strictObject({
    reason: lineOfText
      .max(1000)
      .regex(/\S/, 'must say something')
      .optional()
      .describe('why, for people; an approver has to give it'),
  })
  .meta({ id: 'RejectRequest' });

export const ProposedInventoryPlan = InventoryPlan.extend({
  proposed: z.object({
    ...endOfProposal,
    at: shown.at,
    by: shown.by,
    summary: shown.summary,
    settings: RollOutSettings.partial().describe('waves that were asked for; the rest is as the InventoryOrder has it'),
    clusters: z.array(z.string()).optional().describe('only these were asked for'),
    diff: z
      .string()
      .describe('unified diffs of the documents that it stores, as YAML; empty: what is stored is rolled out'),
  }),
}).meta({ id: 'ProposedInventoryPlan' });
export type ProposedInventoryPlan = z.infer<typeof ProposedInventoryPlan>;
