/** Plans that wait for an approver: which have to, and how each is kept until then. */
import type { BoundPlan, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { AnyBasis, Proposal } from '#contracts/stored-plans.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import type { Money } from '#domain/prices/money.ts';
import { listed } from '#domain/words.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { boundTo, planIdOf } from '../plans/plan-id.ts';
import { checksumOf } from '../records/checksum.ts';
import { isProposed, type PlanPorts, type ProposedPlan, readPlan, refuseIfMoved, writePlan } from './kept-plans.ts';

export type ProposingPorts = PlanPorts & Pick<SubmissionPorts, 'waitingPlans'>;

/** What a request says about the plan that it carries out. */
export interface PlanTerms {
  /** It has to be one of these. @default any */
  readonly wanted?: readonly string[] | undefined;
  /** @default no one did */
  readonly approvedBy?: string;
  /** It is only kept, whether or not it has to be approved. */
  readonly proposeOnly?: true;
}

interface Proposing<Basis extends AnyBasis = AnyBasis> {
  readonly basis: Basis;
  /** Who asks. */
  readonly by: string;
  readonly proposal: Proposal;
  /** Why a budget asks for an approval. @default none does */
  readonly beyond?: string | undefined;
  /** What it adds to the cost of a month. @default no price is known */
  readonly difference?: readonly Money[] | undefined;
}

interface PlanQuestion extends Proposing<PlanBasis> {
  readonly needsApproval: boolean;
  readonly terms: PlanTerms;
}

/** The binding of the next record. Throws `PlanMoved`, and `ApprovalRequired` when the plan is only kept. */
export async function bindPlan(
  deps: ProposingPorts,
  key: ManifestKey,
  { needsApproval: needed, terms: { wanted, approvedBy, proposeOnly }, ...question }: PlanQuestion,
): Promise<BoundPlan | null> {
  const { basis, beyond } = question;
  await refuseIfMoved(deps, key, { basis }, wanted);
  if (proposeOnly || ((needed || beyond !== undefined) && approvedBy === undefined)) {
    const { id, proposal } = await propose(deps, key, question);
    const { namespace, name } = key;
    const text = [proposal.summary, beyond].filter(Boolean).join('; ');
    const way = `approve it: kubeloom approve ${name} -n ${namespace} --plan ${id}`;
    throw proposed(`manifest "${namespace}/${name}"`, { id, text, way });
  }
  return wanted === undefined ? null : boundTo(basis, approvedBy);
}

/** Keeps it until someone approves it. One that waits already stays as it was first proposed. */
export async function propose(
  deps: ProposingPorts,
  key: ManifestKey,
  { basis, by, proposal, difference }: Proposing,
): Promise<ProposedPlan> {
  const id = planIdOf(basis);
  const before = await readPlan(deps, key, id);
  // A plan that was approved comes back when what it made is deleted: the same creation has the same id.
  const waits = isProposed(before, [proposal.kind]) && before.approved === undefined;
  const plan: ProposedPlan = waits
    ? before
    : { schema: 1, id, at: deps.clock.now().toISOString(), by, basis, proposal };
  if (!waits) await writePlan(deps, key, plan);
  await deps.waitingPlans.put({
    ...key,
    version: versionIn(basis),
    id,
    at: plan.at,
    by: plan.by,
    reason: plan.proposal.reason,
    summary: plan.proposal.summary,
    ...(difference && { difference: [...difference] }),
  });
  return plan;
}

/** Of what is stored: of a manifest, or of the documents of an inventory, as `inventoryVersion` has it. */
export const versionIn = (basis: AnyBasis): string | null =>
  'goal' in basis ? basis.manifest : checksumOf(basis.stored);

/** `subject`: what has to be approved, and why. */
export function proposed(
  subject: string,
  { id, text, way }: { readonly id: string; readonly text: string; readonly way: string },
): PipelineError {
  const message = `${subject}: plan ${id} is kept as proposed (${text}); someone with the role approver can ${way}`;
  return new PipelineError('ApprovalRequired', message, { details: { plan: id } });
}

/** `clusters` whose changes have to be approved; `beyond`: why a budget requires it. */
export function toApprove(clusters: readonly string[], beyond: string | undefined): string {
  return `changes of ${listed(clusters)} have to be approved${beyond === undefined ? '' : ` (${beyond})`}`;
}

/** The installation, the namespace, the stored document or the new one asks for it: no change switches it off unapproved. */
export function needsApproval(
  { config }: Pick<SubmissionPorts, 'config'>,
  { namespace }: ManifestKey,
  ...records: readonly (Pick<ManifestRecord, 'document'> | undefined)[]
): boolean {
  const named = config.KUBELOOM_REQUIRE_APPROVAL;
  return (
    named.includes('*') || named.includes(namespace) || records.some((record) => asksForApproval(record?.document))
  );
}

/** Also of a document that cannot be read any more. */
function asksForApproval(document: unknown): boolean {
  return (document as Partial<InputManifest> | null | undefined)?.spec?.requireApproval === true;
}
