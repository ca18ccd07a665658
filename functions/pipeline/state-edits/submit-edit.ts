/** An edit of a Terraform state is requested or approved: kept as proposed where approvals are on, else a run of its own makes it. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { ClusterRecord, ManifestHead, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { StoredStateEdit, stateEditKeys } from '#contracts/state-edits.ts';
import { changeFaults } from '#domain/edit-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { guessText, nearest } from '#domain/nearest.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import { stateEditTitle } from '#domain/planning/text/state-edit-text.ts';
import type { StateEdit } from '#domain/state-edit.ts';
import { type AdmittedCaller, callerText } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { nextCheck } from '../drift/start-drift-check.ts';
import { startRun } from '../manifests/next-generation.ts';
import { planBasisOf } from '../plans/plan-id.ts';
import { bindPlan, needsApproval, type PlanTerms } from '../proposals/bind-plan.ts';
import type { ProposedPlan } from '../proposals/kept-plans.ts';
import { recordManifestChange } from '../records/audit-event.ts';
import { checksumOf } from '../records/checksum.ts';
import { clusterName } from '../records/cluster-records.ts';
import { refuseVerb } from '../records/refuse-verb.ts';
import { workspacesOf } from './known-workspaces.ts';

export interface EditRequest {
  readonly stored: ManifestRecord;
  readonly record: ClusterRecord;
  readonly edit: StateEdit;
  readonly caller: AdmittedCaller;
  readonly terms: PlanTerms;
  /** Who proposed it. @default the caller requests it */
  readonly proposedBy?: string;
}

/**
 * Throws `VerbRefused` while a run is in progress, `ApprovalRequired` when it is only kept, `PlanMoved`, and `VersionConflict` when
 * another request was faster.
 */
export async function submitEdit(deps: ApiPorts, key: ManifestKey, request: EditRequest): Promise<ManifestHead> {
  const { stored, record, edit, caller, terms, proposedBy } = request;
  refuseBusy(stored);
  refuseFaults(edit);
  refuseUnknown(record, edit);
  const title = stateEditTitle(edit);
  const reason = `edit of ${title}`;
  await bindPlan(deps, key, {
    basis: await editBasis(deps, key, request),
    caller,
    needsApproval: needsApproval(deps, key, stored),
    terms,
    proposal: { kind: 'edit', document: { cluster: record.cluster, edit }, reason, summary: title },
  });
  const next = { ...nextCheck(deps, stored, 'reportAll'), stateEdit: record.cluster };
  const by = `${callerText(caller)}${proposedBy === undefined ? '' : `, proposed by ${proposedBy}`}`;
  const document = StoredStateEdit.parse({ schema: 1, edit: { ...edit, by } });
  await deps.artifacts.putText(stateEditKeys.ofRun(next), JSON.stringify(document), 'application/json');
  const { generation, attempt, checks = 0 } = stored;
  await deps.manifests.replace(next, { generation, attempt, checks });
  const what = `edit of ${title} of ${clusterName(record)} requested`;
  await recordManifestChange(deps, next, what, caller, 'StateEditRequested');
  await startRun(deps, next, reason);
  return next;
}

/** What the plan of an edit depends on: all that the plan of its manifest does, and the edit itself. */
export async function editBasis(
  deps: Pick<ApiPorts, 'clusters' | 'config' | 'demands'>,
  key: ManifestKey,
  { stored, record, edit }: Pick<EditRequest, 'stored' | 'record' | 'edit'>,
): Promise<PlanBasis> {
  const [clusters, demands] = await Promise.all([deps.clusters.list(key), deps.demands.list(key)]);
  const basis = planBasisOf({ config: deps.config, stored, desired: stored, clusters, demands: [...demands] });
  return { ...basis, goal: checksumOf([basis.goal, record.cluster, edit]) };
}

/** The cluster and the edit of a proposal. Throws `NotFound` when the cluster is gone. */
export async function proposedEdit(
  deps: Pick<ApiPorts, 'clusters'>,
  key: ManifestKey,
  { proposal }: Pick<ProposedPlan<'edit'>, 'proposal'>,
): Promise<{ readonly record: ClusterRecord; readonly edit: StateEdit }> {
  const { cluster, edit } = proposal.document;
  const record = await deps.clusters.get(key, cluster);
  if (record) return { record, edit };
  throw new PipelineError('NotFound', `the cluster ${cluster}, whose Terraform state the plan edits, is gone`);
}

/** Carries it out, bound to its plan. Throws as `submitEdit`. */
export async function approvedEdit(
  deps: ApiPorts,
  key: ManifestKey,
  {
    stored,
    plan,
    caller,
    terms,
  }: Pick<EditRequest, 'stored' | 'caller' | 'terms'> & {
    readonly plan: Pick<ProposedPlan<'edit'>, 'proposal' | 'by'>;
  },
): Promise<ManifestHead> {
  const proposed = await proposedEdit(deps, key, plan);
  return submitEdit(deps, key, { ...proposed, stored, caller, terms, proposedBy: plan.by });
}

/** No state is edited while a run is at work on it, and no run starts meanwhile: the edit is a run itself. */
function refuseBusy(stored: ManifestRecord): void {
  const refuse = (because: string): never => refuseVerb({ manifest: stored }, 'editState', because);
  if (stored.paused) refuse('it is paused; resume it first');
  if (!hasEnded(stored)) refuse('a run is in progress; wait for it');
}

function refuseFaults({ change }: StateEdit): void {
  const faults = changeFaults(change);
  if (faults.length > 0) throw new PipelineError('InvalidInput', `the edit is not valid: ${faults.join('; ')}`);
}

function refuseUnknown(record: ClusterRecord, { workspace }: StateEdit): void {
  const known = workspacesOf(record);
  if (known.includes(workspace)) return;
  const guess = guessText(nearest(workspace, known));
  throw new PipelineError(
    'InvalidInput',
    `cluster "${clusterName(record)}" has no Terraform state ${workspace}${guess}; it has: ${known.join(', ')}`,
  );
}
