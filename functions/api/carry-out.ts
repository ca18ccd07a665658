/** Approvals: what was proposed is carried out under the rights of who approves it, bound to its plan. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import type { ProposalKind, ProposalOf } from '#contracts/stored-plans.ts';
import type { AdmittedCaller } from '../caller.ts';
import { decide, refuseEnded } from '../pipeline/proposals/decide-proposal.ts';
import { type ProposedPlan, writePlan } from '../pipeline/proposals/kept-plans.ts';
import { refuseOwnApproval } from '../pipeline/proposals/own-approvals.ts';
import { replaceableManifest, storedManifest } from '../pipeline/records/stored-manifest.ts';
import type { RollOutToStart } from '../pipeline/roll-outs/start-roll-out.ts';
import type { Submitted } from '../pipeline/submission/submit-document.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

interface Approval {
  readonly caller: AdmittedCaller;
  /** Throws when what is stored is not what the approver has seen. @default anything is fine */
  readonly check?: (stored: ManifestRecord | undefined) => void;
  /** For a roll-out: what takes the place of what was proposed. */
  readonly asked?: Pick<RollOutToStart, 'clusters' | 'settings'> & Partial<Pick<RollOutToStart, 'documents'>>;
}

interface Carried {
  readonly apply: Submitted;
  readonly delete: Submitted;
  readonly edit: Submitted;
  readonly rollOut: RollOutRecord;
}

type CarryOut<Kind extends ProposalKind> = (
  deps: ApiPorts,
  key: ManifestKey,
  plan: Omit<ProposedPlan, 'proposal'> & { readonly proposal: ProposalOf<Kind> },
  approval: Approval,
) => Promise<Carried[Kind]>;

/** What each needs is loaded when it is carried out. */
const carryOut: { readonly [Kind in ProposalKind]: CarryOut<Kind> } = {
  async apply(deps, key, { id, by, proposal }, { caller, check }) {
    const stored = await replaceableManifest(deps, key);
    check?.(stored);
    const { document, planes: accompanying = [], withoutPlanes = [], pinned, rolledBackTo, reason } = proposal;
    const { submitDocument } = await import('../pipeline/submission/submit-document.ts');
    const { carryOutPlanes } = await import('../pipeline/inventory/proposed-planes.ts');
    const submitted = await submitDocument(deps, key, {
      document,
      stored,
      caller,
      accompanying,
      withoutPlanes,
      pinned,
      terms: { wanted: [id], approvedBy: caller.name },
      reason: `${reason}, proposed by ${by}`,
      ...(rolledBackTo !== undefined && { rolledBackTo }),
    });
    await carryOutPlanes(deps, key.namespace, proposal, caller);
    return submitted;
  },
  async delete(deps, key, { id, by, proposal: { orphans, reason } }, { caller, check }) {
    const stored = await storedManifest(deps, key);
    check?.(stored);
    const terms = { wanted: [id], approvedBy: caller.name };
    const { submitDeletion } = await import('../pipeline/submission/submit-deletion.ts');
    return submitDeletion(deps, key, { stored, orphans, caller, terms, reason: `${reason}, proposed by ${by}` });
  },
  async edit(deps, key, plan, { caller, check }) {
    const stored = await storedManifest(deps, key);
    check?.(stored);
    const { approvedEdit } = await import('../pipeline/state-edits/submit-edit.ts');
    const terms = { wanted: [plan.id], approvedBy: caller.name };
    return { record: await approvedEdit(deps, key, { stored, plan, caller, terms }), unchanged: false };
  },
  async rollOut(deps, { namespace }, { id, by, proposal }, { caller, asked }) {
    const documents = asked?.documents ?? proposal.documents;
    const clusters = asked?.clusters ?? proposal.clusters;
    const settings = { ...proposal.settings, ...asked?.settings };
    const { rollOut } = await import('../pipeline/roll-outs/start-roll-out.ts');
    return rollOut(deps, namespace, { documents, clusters, settings, caller, wanted: id, proposedBy: by });
  },
};

/** Carries it out, and keeps who approved it. Throws `VerbRefused` when the proposal ended, `Forbidden` for its author, and what carrying it out throws. */
export async function approve<Kind extends ProposalKind>(
  deps: ApiPorts,
  key: ManifestKey,
  plan: ProposedPlan<Kind>,
  approval: Approval,
): Promise<Carried[Kind]> {
  refuseEnded(plan);
  if (approval.caller.may('approver', key.namespace))
    await refuseOwnApproval(deps, key.namespace, plan, approval.caller);
  const kind: Kind = plan.proposal.kind as Kind;
  const decision = await decide(deps, key, plan, { state: 'Approved', caller: approval.caller });
  const carried = await carryOut[kind](deps, key, plan, approval).catch(async (refusal: unknown) => {
    await deps.waitingPlans.reopen({ ...key, id: plan.id }, decision);
    throw refusal;
  });
  const runId = 'record' in carried ? carried.record.runId : carried.id;
  await writePlan(deps, key, { ...plan, approved: { at: decision.at, by: decision.by, runId } });
  return carried;
}
