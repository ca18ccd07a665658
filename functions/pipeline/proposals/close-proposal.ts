/** Proposals that end without an approval: a newer one takes their place, an approver rejects them, or their author withdraws them. */
import { changesOf } from '#contracts/change-events.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { ClosedProposal } from '#contracts/stored-plans.ts';
import { inventoryPlanName } from '#contracts/waiting-plans.ts';
import { documentName } from '#domain/documents/validate-documents.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { decide, refuseEnded } from './decide-proposal.ts';
import { type PlanPorts, type ProposedPlan, readPlan, writePlan } from './kept-plans.ts';

export type ClosingPorts = PlanPorts & Pick<SubmissionPorts, 'events' | 'waitingPlans'>;

/** By its author it is withdrawn, by an approver rejected. Throws `Forbidden`, `InvalidInput` without a reason, and as `refuseEnded`. */
export async function rejectProposal(
  deps: ClosingPorts,
  key: ManifestKey,
  plan: ProposedPlan,
  { caller, reason }: { readonly caller: AdmittedCaller; readonly reason: string | undefined },
): Promise<ProposedPlan> {
  refuseEnded(plan);
  const isOwn = plan.by === caller.name;
  if (!isOwn && !caller.may('approver', key.namespace)) {
    const who = `${plan.by}, who proposed it, or someone with the role approver in namespace "${key.namespace}"`;
    throw new PipelineError('Forbidden', `${caller.name} cannot reject plan ${plan.id}: ${who} can`);
  }
  if (!isOwn && reason === undefined)
    throw new PipelineError('InvalidInput', `reason: say why plan ${plan.id} is rejected, for ${plan.by}`);
  const said = reason === undefined ? '' : ` (${reason})`;
  const state = isOwn ? 'Withdrawn' : 'Rejected';
  const what = isOwn ? `plan ${plan.id} withdrawn${said}` : `plan ${plan.id} of ${plan.by} rejected${said}`;
  return close(deps, key, plan, { state, what, caller, ...(reason !== undefined && { reason }) });
}

/** Others that are about the same document end with the one that was proposed just now. */
export async function supersedeOlder(
  deps: ClosingPorts,
  key: ManifestKey,
  newer: ProposedPlan,
  caller: AdmittedCaller,
): Promise<void> {
  for (const { id, at } of await deps.waitingPlans.list({ namespace: key.namespace, name: key.name })) {
    // If two are proposed at the same moment, the later one stays.
    if (id === newer.id || `${at} ${id}` > `${newer.at} ${newer.id}`) continue;
    const plan = await readPlan(deps, key, id);
    if (plan?.proposal === undefined) continue;
    const older: ProposedPlan = { ...plan, proposal: plan.proposal };
    const same = documentsIn(newer);
    if (!documentsIn(older).some((document) => same.includes(document))) continue;
    const what = `plan ${id} of ${plan.by} superseded by plan ${newer.id}`;
    try {
      await close(deps, key, older, { state: 'Superseded', what, caller, plan: newer.id });
    } catch (error) {
      // Someone else decided about it at this moment.
      if (!isPipelineError(error, 'VerbRefused')) throw error;
    }
  }
}

/** What it is about, by kind and name: planes of a manifest are documents of their own; `@stored`: an inventory as it is. */
function documentsIn({ proposal, basis }: ProposedPlan): readonly string[] {
  if (proposal.kind === 'delete') return ['InputManifest'];
  if (proposal.kind === 'edit')
    return [`Terraform state ${proposal.document.cluster}/${proposal.document.edit.workspace}`];
  if (proposal.kind === 'rollOut') {
    const sent = 'sent' in basis ? Object.keys(basis.sent) : [];
    return sent.length > 0 ? sent : ['@stored'];
  }
  const { planes = [], withoutPlanes = [] } = proposal;
  const names = [...planes.map((plane) => documentName(plane).name), ...withoutPlanes];
  return names.length > 0 ? names.map((name) => `ManagementPlane ${name}`) : ['InputManifest'];
}

const eventKinds = { Superseded: 'PlanSuperseded', Rejected: 'PlanRejected', Withdrawn: 'PlanWithdrawn' } as const;

async function close(
  deps: ClosingPorts,
  key: ManifestKey,
  plan: ProposedPlan,
  {
    what,
    caller,
    ...how
  }: Omit<ClosedProposal, 'at' | 'by'> & { readonly what: string; readonly caller: AdmittedCaller },
): Promise<ProposedPlan> {
  const { at, by } = await decide(deps, key, plan, { state: how.state, caller });
  const ended = { ...plan, closed: { ...how, at, by } };
  await writePlan(deps, key, ended);
  const about = key.name === inventoryPlanName ? changesOf(key.namespace) : key;
  await recordManifestChange(deps, { ...about, runId: '' }, what, caller, eventKinds[how.state]);
  return ended;
}
