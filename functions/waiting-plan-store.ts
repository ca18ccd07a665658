/** Which proposed plans wait for a decision, and the decision about each: the port. */
import type { PlanDecision, WaitingPlanRecord } from '#contracts/waiting-plans.ts';

/** The plans of a namespace, or of a manifest. */
export interface PlansOf {
  readonly namespace: string;
  readonly name?: string;
}

export type WaitingPlanKey = Pick<WaitingPlanRecord, 'namespace' | 'name' | 'id'>;

/** Proposed plans that no one decided about yet: an index for lists, which also has those that do not fit any more. */
export interface WaitingPlanStore {
  /** Those of a namespace or a manifest, or all; newest first. One that cannot be read is left out. */
  list(of?: PlansOf): Promise<readonly WaitingPlanRecord[]>;
  /** It waits from now on: replaces the one of the same id, and what was decided about that. */
  put(plan: WaitingPlanRecord): Promise<void>;
  /** The same, unless there is one of this id, waiting or decided. */
  keep(plan: WaitingPlanRecord): Promise<void>;
  /**
   * Decides about this proposal, once: it waits no longer. Of several at the same moment one returns undefined; the others return that decision, or
   * null when the plan was proposed again meanwhile. A decision older than `decisionSeconds`, whose maker was interrupted, is replaced.
   */
  decide(plan: WaitingPlanRecord, decision: PlanDecision): Promise<PlanDecision | null | undefined>;
  /** It waits again, if this is its decision. */
  reopen(key: WaitingPlanKey, decision: PlanDecision): Promise<void>;
}
