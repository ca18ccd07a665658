/** Keeps a plan as proposed, until an approver carries it out. */
import { changesOf } from '#contracts/change-events.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { AnyBasis, Proposal } from '#contracts/stored-plans.ts';
import { inventoryPlanName } from '#contracts/waiting-plans.ts';
import { cutText } from '#domain/cut-text.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Money } from '#domain/prices/money.ts';
import type { AdmittedCaller } from '../../caller.ts';
import { planIdOf } from '../plans/plan-id.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { type ClosingPorts, supersedeOlder } from './close-proposal.ts';
import { refuseEnded } from './decide-proposal.ts';
import { isProposed, type ProposedPlan, readPlan, waitingRecord, writePlan } from './kept-plans.ts';

export type ProposingPorts = ClosingPorts;

export interface Proposing<Basis extends AnyBasis = AnyBasis> {
  readonly basis: Basis;
  readonly caller: AdmittedCaller;
  readonly proposal: Proposal;
  /** Why a budget asks for an approval. @default none does */
  readonly beyond?: string | undefined;
  /** What it adds to the cost of a month. @default no price is known */
  readonly difference?: readonly Money[] | undefined;
  /** As in `PlanTerms`. */
  readonly repeated?: true | undefined;
}

/** Keeps it until someone approves it; it takes the place of older ones. One that waits already stays as it was first proposed. */
export async function propose(
  deps: ProposingPorts,
  key: ManifestKey,
  { basis, caller, proposal, beyond, difference, repeated }: Proposing,
): Promise<ProposedPlan> {
  const id = planIdOf(basis);
  const before = await readPlan(deps, key, id);
  if (repeated && before?.by === caller.name && before.closed) refuseEnded(before);
  // A plan that was approved comes back when what it made is deleted: the same creation has the same id.
  const waits = isProposed(before, [proposal.kind]) && !before.approved && !before.closed;
  const plan: ProposedPlan = waits
    ? before
    : { schema: 1, id, at: deps.clock.now().toISOString(), by: caller.name, basis, proposal };
  if (!waits) await writePlan(deps, key, plan);
  const record = { ...waitingRecord(key, plan), ...(difference && { difference: [...difference] }) };
  // At this moment someone may decide about one that waits.
  await (waits ? deps.waitingPlans.keep(record) : deps.waitingPlans.put(record));
  await supersedeOlder(deps, key, plan, caller);
  if (!waits) await reportProposal(deps, key, { plan, beyond, caller });
  return plan;
}

/** For those who may approve it, and who did not make the request. */
async function reportProposal(
  deps: ProposingPorts,
  key: ManifestKey,
  { plan, beyond, caller }: Pick<Proposing, 'beyond' | 'caller'> & { readonly plan: ProposedPlan },
): Promise<void> {
  const ofInventory = key.name === inventoryPlanName;
  const about = ofInventory ? changesOf(key.namespace) : key;
  const changes = cutText([plan.proposal.summary, beyond].filter(Boolean).join('; '), 1000);
  const command = ofInventory ? 'rollout start' : `approve ${key.name}`;
  const way = `approve it: kubeloom ${command} -n ${key.namespace} --plan ${plan.id}`;
  const what = `plan ${plan.id} waits for an approval (${changes}; ${way}), proposed`;
  const kind = beyond === undefined ? 'PlanProposed' : 'PlanBeyondBudget';
  await recordManifestChange(deps, { ...about, runId: '' }, what, caller, kind);
}

/** `subject`: what has to be approved, and why. */
export function proposed(
  subject: string,
  { id, text, way }: { readonly id: string; readonly text: string; readonly way: string },
): PipelineError {
  const message = `${subject}: plan ${id} is kept as proposed (${text}); someone with the role approver can ${way}`;
  return new PipelineError('ApprovalRequired', message, { details: { plan: id } });
}
