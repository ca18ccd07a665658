/** What was done about a failure of a cluster, as it is stored; planning/text/failure-outcome-text.ts words it. */
import { z } from 'zod';
import { Direction, StageName } from './plan.ts';

/** What speaks of nodes that an undone step was to add. */
export const undoneParts = ['removed', 'unseen', 'left', 'unjoined'] as const;

const a = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ kind: z.literal(kind), ...shape });

/** Made when the first one is read: few functions read any. */
function schemas() {
  const count = z.number().int();
  const yes = z.literal(true).optional();
  const direction = Direction;
  /** Another failure, as far as it is shown. */
  const shown = z.strictObject({ code: z.string(), message: z.string() });
  const steps = [
    /** It is undone now. */
    a('undoing', { direction }),
    /** It continues after a pause, the `pause`th of so many. */
    a('pauses', { direction, seconds: count, pause: count, of: count }),
    /** It waits for nodes that are held. */
    a('waits', { direction }),
    /** It stops: for its class, after so many `tries`, or because it `waited` for as long as it may. */
    a('stops', { direction, tries: count.optional(), waited: yes }),
    a('undoStopped', { stage: StageName, undone: shown }),
    /** A build did not end; what had failed before. */
    a('buildLeft', { before: shown }),
    /** By part: how many nodes, and the first names. `stay`: nodes that stay, null when nothing does. `dropped`: a request apart from the manifest is. */
    a('undone', {
      direction: z.string(),
      nodes: z.partialRecord(z.enum(undoneParts), z.strictObject({ count, names: z.array(z.string()) })),
      stay: count.nullable(),
      dropped: yes,
    }),
    /** All but these pools, by name, is as the manifest asks for. */
    a('degraded', { pools: z.array(z.string()) }),
    a('unchanged', {}),
    /** What an older release said of it. */
    a('said', { text: z.string() }),
  ] as const;
  const step = z.discriminatedUnion('kind', steps);
  const before = step.optional();
  const outcome = z.discriminatedUnion('kind', [
    ...steps,
    /** Nothing more is done. `attempted`: the last step had started something. */
    a('standstill', { before, attempted: yes }),
    /** An edit of a Terraform state was not made. */
    a('editFailed', { before }),
  ]);
  return { step, outcome };
}

type Schemas = ReturnType<typeof schemas>;
export type FailureOutcome = z.infer<Schemas['outcome']>;

/** Absent: what follows is being decided. Until 0.1.0 it was stored as a sentence. */
export const FailureOutcome = z.preprocess(
  (stored) =>
    typeof stored !== 'string' ? stored : stored === undecidedText ? undefined : { kind: 'said', text: stored },
  z.lazy(() => schemas().outcome.optional()),
);

/** What was done before the end that it is, if it is one. */
export function lastStep(outcome: FailureOutcome | undefined): z.infer<Schemas['step']> | undefined {
  return outcome?.kind === 'standstill' || outcome?.kind === 'editFailed' ? outcome.before : outcome;
}

/** What people read, and what 0.1.0 stored. */
export const undecidedText = 'what follows is being decided';
