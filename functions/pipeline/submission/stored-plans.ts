/** Plans that are kept by their ids: the one that a request has to be, and those that wait for an approval. */
import type { BoundPlan, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { type Proposal, StoredPlan, storedPlanKeys } from '#contracts/stored-plans.ts';
import { PipelineError } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { movedSince, movedText, type PlanBasis } from '#domain/planning/plan-basis.ts';
import type { Money } from '#domain/prices/money.ts';
import { listed } from '#domain/words.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { boundTo, planIdOf } from '../plans/plan-id.ts';

type Ports = Pick<SubmissionPorts, 'artifacts' | 'clock'>;
type ProposingPorts = Ports & Pick<SubmissionPorts, 'waitingPlans'>;

/** What a request says about the plan that it carries out. */
export interface PlanTerms {
  /** It has to be one of these. @default any */
  readonly wanted?: readonly string[] | undefined;
  /** @default no one did */
  readonly approvedBy?: string;
  /** It is only kept, whether or not it has to be approved. */
  readonly proposeOnly?: true;
}

/** Undefined when it was never made here, or has expired. */
export async function readPlan(deps: Ports, key: ManifestKey, id: string): Promise<StoredPlan | undefined> {
  const text = await deps.artifacts.getText(storedPlanKeys.plan(key, id));
  return text === undefined ? undefined : StoredPlan.parse(JSON.parse(text));
}

export async function writePlan(deps: Ports, key: ManifestKey, plan: StoredPlan): Promise<void> {
  await deps.artifacts.putText(storedPlanKeys.plan(key, plan.id), JSON.stringify(plan), 'application/json');
}

/** Keeps what the plan was made from, so that a later request can say what moved. Returns its id. */
export async function keepPlan(deps: Ports, key: ManifestKey, basis: PlanBasis, by: string): Promise<string> {
  const id = planIdOf(basis);
  if ((await readPlan(deps, key, id)) === undefined) {
    await writePlan(deps, key, { schema: 1, id, at: deps.clock.now().toISOString(), by, basis });
  }
  return id;
}

/** Throws `PlanMoved` that says what moved, unless `basis` is that of a wanted plan. */
export async function refuseOtherPlans(
  deps: Ports,
  key: ManifestKey,
  basis: PlanBasis,
  wanted: PlanTerms['wanted'],
): Promise<void> {
  const now = planIdOf(basis);
  if (wanted === undefined || wanted.includes(now)) return;
  const known = (await Promise.all(wanted.map((id) => readPlan(deps, key, id)))).find((plan) => plan !== undefined);
  const name = `manifest "${key.namespace}/${key.name}"`;
  const moved = known === undefined ? [] : movedSince(known.basis, now === known.id ? known.basis : basis);
  const why =
    known === undefined
      ? `plan ${wanted.join(', ')} is not stored, and the current plan is ${now}`
      : `plan ${known.id} is no longer valid: ${movedText(moved)}`;
  throw new PipelineError('PlanMoved', `${name}: ${why}; nothing was changed. Plan again, and apply that plan`, {
    details: { plan: now, moved },
  });
}

/** The binding of the next record. Throws `PlanMoved`, and `ApprovalRequired` when the plan is only kept. */
export async function bindPlan(
  deps: ProposingPorts,
  key: ManifestKey,
  { basis, by, needsApproval, beyond, terms, proposal, difference }: PlanQuestion,
): Promise<BoundPlan | null> {
  const { wanted, approvedBy, proposeOnly } = terms;
  await refuseOtherPlans(deps, key, basis, wanted);
  if (proposeOnly || ((needsApproval || beyond !== undefined) && approvedBy === undefined)) {
    const id = planIdOf(basis);
    const before = await readPlan(deps, key, id);
    const at = deps.clock.now().toISOString();
    // A plan that was approved comes back when what it made is deleted: the same creation has the same id.
    if (before?.proposal === undefined || before.approved !== undefined)
      await writePlan(deps, key, { schema: 1, id, at, by, basis, proposal });
    const { reason, summary } = proposal;
    const first = before?.proposal !== undefined && before.approved === undefined ? before : { at, by };
    await deps.waitingPlans.put({
      namespace: key.namespace,
      name: key.name,
      version: basis.manifest,
      id,
      at: first.at,
      by: first.by,
      reason,
      summary,
      ...(difference && { difference: [...difference] }),
    });
    throw new PipelineError(
      'ApprovalRequired',
      `manifest "${key.namespace}/${key.name}": plan ${id} is kept as proposed (${[proposal.summary, beyond].filter(Boolean).join('; ')}); someone with the role approver can approve it: kubeloom approve ${key.name} -n ${key.namespace} --plan ${id}`,
      { details: { plan: id } },
    );
  }
  return wanted === undefined ? null : boundTo(basis, approvedBy);
}

interface PlanQuestion {
  readonly basis: PlanBasis;
  /** Who asks. */
  readonly by: string;
  readonly needsApproval: boolean;
  /** Why a budget asks for an approval. @default none does */
  readonly beyond?: string | undefined;
  readonly terms: PlanTerms;
  readonly proposal: Proposal;
  /** What it adds to the cost of a month. @default no price is known */
  readonly difference?: readonly Money[] | undefined;
}

/** The error for changes of several clusters that need approval. `way`: what can be done; `beyond`: why a budget requires it. */
export function unapproved(clusters: readonly string[], way: string, beyond?: string): PipelineError {
  const why = beyond === undefined ? '' : ` (${beyond})`;
  const message = `changes of ${listed(clusters)} have to be approved${why}: ${way}; nothing was changed`;
  return new PipelineError('ApprovalRequired', message);
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
