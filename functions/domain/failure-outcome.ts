/** What was done about a failure of a cluster, as it is stored; planning/text/failure-outcome-text.ts words it. */
import { z } from 'zod';
import { Direction, StageName } from './plan.ts';

/** Another failure, as far as it is shown. */
const Shown = z.strictObject({ code: z.string(), message: z.string() });

/** How many, and the first names of them. */
const Named = z.strictObject({ count: z.number().int(), names: z.array(z.string()) });

/** What speaks of nodes that an undone step was to add. */
export const undoneParts = ['removed', 'maybeCreated', 'left', 'neverJoined'] as const;

const steps = [
  /** It is undone now. */
  z.strictObject({ kind: z.literal('undoing'), direction: Direction }),
  /** It continues after a pause, the `pause`th of so many. */
  z.strictObject({
    kind: z.literal('pauses'),
    direction: Direction,
    seconds: z.number().int(),
    pause: z.number().int(),
    of: z.number().int(),
  }),
  /** It waits for nodes that are held. */
  z.strictObject({ kind: z.literal('waits'), direction: Direction }),
  /** It stops: for its class, after so many `tries`, or because it `waited` for as long as it may. */
  z.strictObject({
    kind: z.literal('stops'),
    direction: Direction,
    tries: z.number().int().optional(),
    waited: z.literal(true).optional(),
  }),
  /** The undo stopped at a stage. */
  z.strictObject({ kind: z.literal('undoStopped'), stage: StageName, undone: Shown }),
  /** A build did not end; what had failed before. */
  z.strictObject({ kind: z.literal('buildLeft'), before: Shown }),
  /** It was undone. `stay`: the nodes that stay, null when nothing does. `dropped`: a request apart from the manifest is. */
  z.strictObject({
    kind: z.literal('undone'),
    direction: z.string(),
    nodes: z.partialRecord(z.enum(undoneParts), Named),
    stay: z.number().int().nullable(),
    dropped: z.literal(true).optional(),
  }),
  /** All but these pools, by name, is as the manifest asks for. */
  z.strictObject({ kind: z.literal('withoutPools'), pools: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('unchanged') }),
  /** What an older release said of it. */
  z.strictObject({ kind: z.literal('said'), text: z.string() }),
] as const;
const Step = z.discriminatedUnion('kind', steps);

const Outcome = z.discriminatedUnion('kind', [
  ...steps,
  /** Nothing more is done. `attempted`: the last step had started something. */
  z.strictObject({ kind: z.literal('standstill'), before: Step.optional(), attempted: z.literal(true).optional() }),
  /** An edit of a Terraform state was not made. */
  z.strictObject({ kind: z.literal('editFailed'), before: Step.optional() }),
]);
export type FailureOutcome = z.infer<typeof Outcome>;

/** What was done before the end that it is, if it is one. */
export function lastStep(outcome: FailureOutcome | undefined): z.infer<typeof Step> | undefined {
  return outcome?.kind === 'standstill' || outcome?.kind === 'editFailed' ? outcome.before : outcome;
}

/** Absent: what follows is being decided. Until 0.1.0 it was stored as a sentence. */
export const FailureOutcome = z.preprocess(
  (stored) =>
    typeof stored !== 'string' ? stored : stored === undecidedText ? undefined : { kind: 'said', text: stored },
  Outcome.optional(),
);

/** What people read, and what 0.1.0 stored. */
export const undecidedText = 'what follows is being decided';
