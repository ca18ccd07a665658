/** A roll-out: which clusters, in which waves, and how far it has come. */
import { z } from 'zod';
import { MaybeCost } from '../prices/money.ts';
import { RollOutSettings } from './roll-out-settings.ts';

export const RollOutCluster = z.strictObject({
  name: z.string(),
  /** From 0 on. */
  wave: z.number().int(),
  /**
   * `waiting`: not touched yet, or to be retried. `running`: submitted, or about to be. `kept`: an undo leaves it as it is.
   * All others are ends.
   */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'undone', 'kept']),
  /** Generation of its manifest before; null: it has none. */
  before: z.number().int().nullable(),
  /** Checksum of the document that its manifest gets. */
  goal: z.string(),
  /** What its machines cost a month with that; absent where nothing has a price. */
  acceptedCost: MaybeCost,
  /** Why it failed, or is kept. */
  message: z.string().optional(),
});
export type RollOutCluster = z.infer<typeof RollOutCluster>;

/** As it is stored; one that is Running without an execution is shown as Interrupted. */
const RollOutStatus = z.enum(['Running', 'Paused', 'Halted', 'RolledOut', 'Undone', 'Cancelled']);

export const RollOut = z.strictObject({
  /** `back`: what was touched gets the documents from before. */
  direction: z.enum(['forward', 'back']),
  status: RollOutStatus,
  /** It stops before the next clusters. */
  paused: z.literal(true).optional(),
  settings: RollOutSettings,
  /** The wave that is watched, and ISO 8601: until when. `checked`: its clusters were compared after that. */
  soak: z.strictObject({ wave: z.number().int(), until: z.string(), checked: z.literal(true).optional() }).optional(),
  /** Why it halted. */
  halted: z.string().optional(),
  /** In the order in which they are touched. */
  clusters: z.array(RollOutCluster),
});
export type RollOut = z.infer<typeof RollOut>;

/** Nothing more happens to its clusters. */
export const isEnded = ({ status }: Pick<RollOut, 'status'>): boolean =>
  status === 'RolledOut' || status === 'Undone' || status === 'Cancelled';

export type States = Readonly<Record<RollOutCluster['state'], number>>;

export function countStates({ clusters }: Pick<RollOut, 'clusters'>): States {
  const count = (wanted: RollOutCluster['state']): number => clusters.filter(({ state }) => state === wanted).length;
  return {
    waiting: count('waiting'),
    running: count('running'),
    done: count('done'),
    failed: count('failed'),
    undone: count('undone'),
    kept: count('kept'),
  };
}
