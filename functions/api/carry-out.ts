/** Approvals: what was proposed is carried out under the rights of who approves it, bound to its plan. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import type { ProposalKind, ProposalOf } from '#contracts/stored-plans.ts';
import type { AdmittedCaller } from '../caller.ts';
import { carryOutPlanes } from '../pipeline/inventory/proposed-planes.ts';
import { type ProposedPlan, writePlan } from '../pipeline/proposals/kept-plans.ts';
import { replaceableManifest, storedManifest } from '../pipeline/records/stored-manifest.ts';
import { type RollOutToStart, rollOut } from '../pipeline/roll-outs/start-roll-out.ts';
import { submitDeletion } from '../pipeline/submission/submit-deletion.ts';
import { type Submitted, submitDocument } from '../pipeline/submission/submit-document.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

interface Approval {
  readonly caller: AdmittedCaller;
  /** Throws when what is stored is not what the approver has seen. @default anything is fine */
  readonly check?: (stored: ManifestRecord | undefined) => void;
  /** Of a roll-out: what takes the place of what was proposed. */
  readonly asked?: Pick<RollOutToStart, 'clusters' | 'settings'>;
}

interface Carried {
  readonly apply: Submitted;
  readonly delete: Submitted;
  readonly rollOut: RollOutRecord;
}

type CarryOut<Kind extends ProposalKind> = (
  deps: ApiPorts,
  key: ManifestKey,
  plan: Omit<ProposedPlan, 'proposal'> & { readonly proposal: ProposalOf<Kind> },
  approval: Approval,
) => Promise<Carried[Kind]>;

const carryOut: { readonly [Kind in ProposalKind]: CarryOut<Kind> } = {
  async apply(deps, key, { id, by, proposal }, { caller, check }) {
    const stored = await replaceableManifest(deps, key);
    check?.(stored);
    const { document, planes: accompanying = [], withoutPlanes = [], rolledBackTo, reason } = proposal;
    const submitted = await submitDocument(deps, key, {
      document,
      stored,
      caller,
      accompanying,
      withoutPlanes,
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
    return submitDeletion(deps, key, { stored, orphans, caller, terms, reason: `${reason}, proposed by ${by}` });
  },
  rollOut(deps, { namespace }, { id, by, proposal }, { caller, asked }) {
    const { documents } = proposal;
    const clusters = asked?.clusters ?? proposal.clusters;
    const settings = { ...proposal.settings, ...asked?.settings };
    return rollOut(deps, namespace, { documents, clusters, settings, caller, wanted: id, proposedBy: by });
  },
};

/** Carries it out, and keeps who approved it. Throws what that throws. */
export async function approve<Kind extends ProposalKind>(
  deps: ApiPorts,
  key: ManifestKey,
  plan: ProposedPlan<Kind>,
  approval: Approval,
): Promise<Carried[Kind]> {
  const kind: Kind = plan.proposal.kind as Kind;
  const carried = await carryOut[kind](deps, key, plan, approval);
  const runId = 'record' in carried ? carried.record.runId : carried.id;
  const approved = { at: deps.clock.now().toISOString(), by: approval.caller.name, runId };
  await writePlan(deps, key, { ...plan, approved });
  await deps.waitingPlans.remove({ ...key, id: plan.id });
  return carried;
}
