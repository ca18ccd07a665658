/** Who decides about a proposal: of several that approve, reject, withdraw or supersede it at the same moment, exactly one does. */
import type { ManifestKey } from '#contracts/records.ts';
import type { StoredPlan } from '#contracts/stored-plans.ts';
import type { PlanDecision } from '#contracts/waiting-plans.ts';
import { minuteText } from '#domain/words.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { Using } from '../../ports.ts';
import { refuseVerb } from '../records/refuse-verb.ts';
import { type PlanPorts, type ProposedPlan, readPlan, waitingRecord } from './kept-plans.ts';

/** Throws `VerbRefused` that says how the proposal ended, if it did. */
export function refuseEnded({ id, approved, closed }: StoredPlan): void {
  const refuse = (what: string): never => refuseVerb({ plan: id, instead: closed?.plan }, 'decide', `it was ${what}`);
  if (approved) refuse(`approved by ${approved.by} at ${approved.at} already: run ${approved.runId}`);
  if (closed === undefined) return;
  const { state, at, by, reason, plan } = closed;
  const why = reason === undefined ? '' : `: ${reason}`;
  const again = 'it can be proposed again';
  if (state === 'Superseded')
    refuse(`superseded by plan ${plan} of ${by} at ${at}; approve that one, or propose this again`);
  refuse(`${state === 'Rejected' ? 'rejected' : 'withdrawn'} by ${by} at ${at}${why}; ${again}`);
}

/** From here on no one else decides about it. Throws `VerbRefused` that says who did, and when. */
export async function decide(
  deps: PlanPorts & Using<'waitingPlans.decide'>,
  key: ManifestKey,
  plan: ProposedPlan,
  { state, caller }: Pick<PlanDecision, 'state'> & { readonly caller: AdmittedCaller },
): Promise<PlanDecision> {
  refuseEnded(plan);
  const decision = { state, by: caller.name, at: deps.clock.now().toISOString() };
  const other = await deps.waitingPlans.decide(waitingRecord(key, plan), decision);
  // What was read may have ended since; then it says how.
  const now = await readPlan(deps, key, plan.id);
  if (now !== undefined) refuseEnded(now);
  if (other === undefined) return decision;
  const what =
    other === null
      ? 'it was proposed again'
      : `it is being ${words[other.state]} by ${other.by} since ${minuteText(other.at)}`;
  refuseVerb({ plan: plan.id }, 'decide', `${what}, and nothing was done; read it again`);
}

const words = {
  Approved: 'approved',
  Superseded: 'superseded',
  Rejected: 'rejected',
  Withdrawn: 'withdrawn',
} as const satisfies Record<PlanDecision['state'], string>;
