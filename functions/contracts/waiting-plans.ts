/** Plans that wait for an approval: as lists have them, and as they are stored for those lists. */
import { z } from 'zod';
import { Money } from '#domain/prices/money.ts';

/** One for all fields: each schema takes time when a function starts. */
const text = z.string();

const shown = {
  id: z.string().describe('for `kubeloom approve`'),
  at: z.string().describe('when it was proposed'),
  by: z.string().describe('who proposed it'),
  reason: text,
  summary: z.string().describe('how much changes'),
  difference: z
    .array(Money)
    .optional()
    .describe('what its machines add to the cost of a month; negative: saved; absent where none has a price'),
};

/** How a proposal ends that no one approved. */
export const closedStates = ['Superseded', 'Rejected', 'Withdrawn'] as const;

/** A plan of a manifest that is known already. */
export const WaitingPlan = z.object(shown).meta({ id: 'WaitingPlan' });
export type WaitingPlan = z.infer<typeof WaitingPlan>;

/** Name of what is planned, where that is the inventory of a namespace: no manifest can have it. */
export const inventoryPlanName = '@inventory';

export const WaitingPlanRecord = z.strictObject({
  namespace: text,
  /** Name of the manifest, or `@inventory`. */
  name: text,
  ...shown,
  /** What it was made for: identity, generation and attempt of the manifest, or generations of the documents of the inventory. Null: no manifest. */
  version: text.nullable(),
  /** Only in records of an older release: it ended without an approval. Now that is a decision next to the record. */
  ended: z.literal(true).optional(),
});
export type WaitingPlanRecord = z.infer<typeof WaitingPlanRecord>;

/** Who decides about a proposal. It is made before anything is carried out or said, so that of several at one moment one is followed. */
export interface PlanDecision {
  readonly state: 'Approved' | (typeof closedStates)[number];
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Its schema is made when one is read, which is rare: every function that submits documents would make it at its start. */
export function readPlanDecision(stored: unknown): PlanDecision {
  const state = z.enum(['Approved', ...closedStates]);
  return z.object({ state, by: z.string(), at: z.string() }).parse(stored);
}

/** After so many seconds a decision that was not carried out binds no one; no request takes that long. */
export const decisionSeconds = 300;

export const WaitingPlanList = z
  .object({
    items: z.array(
      WaitingPlan.extend({
        namespace: text,
        name: text.nullable().describe('of the manifest, which need not exist yet; null: of the inventory'),
      }),
    ),
  })
  .meta({ id: 'WaitingPlanList' });
export type WaitingPlanList = z.infer<typeof WaitingPlanList>;
/** With what it is about. */
export type PlacedPlan = WaitingPlanList['items'][number];
