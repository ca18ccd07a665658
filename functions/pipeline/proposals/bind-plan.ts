/** Which plans wait for an approver, and the plan that a record is bound to. */
import type { BoundPlan, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import { listed } from '#domain/words.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { boundTo } from '../plans/plan-id.ts';
import { refuseIfMoved } from './kept-plans.ts';
import type { Proposing, ProposingPorts } from './propose.ts';

/** What a request says about the plan that it carries out. */
export interface PlanTerms {
  /** It has to be one of these. @default any */
  readonly wanted?: readonly string[] | undefined;
  /** @default no one did */
  readonly approvedBy?: string;
  /** It is only kept, whether or not it has to be approved. */
  readonly proposeOnly?: true;
  /** The same request is repeated without a person: a proposal of it that ended is not proposed again. */
  readonly repeated?: true;
}

interface PlanQuestion extends Proposing<PlanBasis> {
  readonly needsApproval: boolean;
  readonly terms: PlanTerms;
}

/** The binding of the next record. Throws `PlanMoved`, and `ApprovalRequired` when the plan is only kept. */
export async function bindPlan(
  deps: ProposingPorts,
  key: ManifestKey,
  { needsApproval: needed, terms: { wanted, approvedBy, proposeOnly, repeated }, ...question }: PlanQuestion,
): Promise<BoundPlan | null> {
  const { basis, beyond } = question;
  await refuseIfMoved(deps, key, { basis }, wanted);
  if (proposeOnly || ((needed || beyond !== undefined) && approvedBy === undefined)) {
    // Few plans are proposed: what keeps them is loaded for those.
    const { propose, proposed } = await import('./propose.ts');
    const { id, proposal } = await propose(deps, key, { ...question, repeated });
    const { namespace, name } = key;
    const text = [proposal.summary, beyond].filter(Boolean).join('; ');
    const way = `approve it: kubeloom approve ${name} -n ${namespace} --plan ${id}`;
    throw proposed(`manifest "${namespace}/${name}"`, { id, text, way });
  }
  return wanted === undefined ? null : boundTo(basis, approvedBy);
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
