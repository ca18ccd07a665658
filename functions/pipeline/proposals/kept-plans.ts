/** Plans that are kept by their ids, of a manifest or, under the name `@inventory`, of the inventory of a namespace. */
import type { ManifestKey } from '#contracts/records.ts';
import {
  type AnyBasis,
  type ProposalKind,
  type ProposalOf,
  StoredPlan,
  storedPlanKeys,
} from '#contracts/stored-plans.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { PipelineError } from '#domain/errors.ts';
import { inventoryMoved } from '#domain/inventory/inventory-basis.ts';
import { movedSince, movedText } from '#domain/planning/plan-basis.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { planIdOf } from '../plans/plan-id.ts';
import { checksumOf } from '../records/checksum.ts';

export type PlanPorts = Pick<SubmissionPorts, 'artifacts' | 'clock'>;
export type ProposedPlan<Kind extends ProposalKind = ProposalKind> = StoredPlan & {
  readonly proposal: ProposalOf<Kind>;
};

export const inventoryPlanKey = (namespace: string): ManifestKey => ({ namespace, name: inventoryPlanName });

const subjectOf = ({ namespace, name }: ManifestKey): string =>
  name === inventoryPlanName ? `inventory of namespace "${namespace}"` : `manifest "${namespace}/${name}"`;

/** Undefined when it was never made here, or has expired. */
export async function readPlan(
  { artifacts }: Pick<PlanPorts, 'artifacts'>,
  key: ManifestKey,
  id: string,
): Promise<StoredPlan | undefined> {
  const text = await artifacts.getText(storedPlanKeys.plan(key, id));
  return text === undefined ? undefined : StoredPlan.parse(JSON.parse(text));
}

export async function writePlan({ artifacts }: PlanPorts, key: ManifestKey, plan: StoredPlan): Promise<void> {
  await artifacts.putText(storedPlanKeys.plan(key, plan.id), JSON.stringify(plan), 'application/json');
}

/** Keeps what the plan was made from, so that a later request can say what moved. Returns its id. */
export async function keepPlan(deps: PlanPorts, key: ManifestKey, basis: AnyBasis, by: string): Promise<string> {
  const id = planIdOf(basis);
  if ((await readPlan(deps, key, id)) === undefined)
    await writePlan(deps, key, { schema: 1, id, at: deps.clock.now().toISOString(), by, basis });
  return id;
}

/** Throws `NotFound`, also where there is such a plan that no one proposed. */
export async function proposalOf<const Kinds extends readonly ProposalKind[]>(
  deps: Pick<PlanPorts, 'artifacts'>,
  key: ManifestKey,
  id: string,
  kinds: Kinds,
): Promise<ProposedPlan<Kinds[number]>> {
  const plan = await readPlan(deps, key, id);
  if (isProposed(plan, kinds)) return plan;
  throw new PipelineError(
    'NotFound',
    `no plan ${id} of the ${subjectOf(key)} was proposed; list its plans to see them`,
  );
}

export const ofManifests = ['apply', 'delete', 'edit'] as const satisfies readonly ProposalKind[];
export const ofAnyKind = [...ofManifests, 'rollOut'] as const;

export function isProposed<const Kinds extends readonly ProposalKind[]>(
  plan: StoredPlan | undefined,
  kinds: Kinds,
): plan is ProposedPlan<Kinds[number]> {
  return plan?.proposal !== undefined && kinds.includes(plan.proposal.kind);
}

/** Throws `PlanMoved` that says what moved, unless it is a wanted plan. `id`: null when something is refused. */
export async function refuseIfMoved(
  deps: Pick<PlanPorts, 'artifacts'>,
  key: ManifestKey,
  { basis, id = planIdOf(basis) }: { readonly basis: AnyBasis; readonly id?: string | null },
  wanted: readonly string[] | undefined,
): Promise<void> {
  if (wanted === undefined || (id !== null && wanted.includes(id))) return;
  const known = (await Promise.all(wanted.map((one) => readPlan(deps, key, one)))).find((plan) => plan !== undefined);
  const moved = known === undefined ? [] : movedBetween(known.basis, basis);
  const why =
    known === undefined
      ? `plan ${wanted.join(', ')} is not stored${id === null ? '' : `, and the current plan is ${id}`}`
      : `plan ${known.id} is no longer valid: ${movedText(moved)}`;
  throw new PipelineError(
    'PlanMoved',
    `${subjectOf(key)}: ${why}; nothing was changed. Plan again, and apply that plan`,
    { details: { plan: id, moved } },
  );
}

/** Both are of the same subject. */
function movedBetween(before: AnyBasis, now: AnyBasis): readonly string[] {
  if ('goal' in before) return 'goal' in now ? movedSince(before, now) : [];
  return 'goal' in now ? [] : inventoryMoved(before, now);
}

/** Version of what is stored: of a manifest, or of the documents of an inventory, as `inventoryVersion` has it. */
export const versionIn = (basis: AnyBasis): string | null =>
  'goal' in basis ? basis.manifest : checksumOf(basis.stored);

/** As it is found in lists. */
export function waitingRecord(
  { namespace, name }: ManifestKey,
  { id, at, by, basis, proposal }: ProposedPlan,
): WaitingPlanRecord {
  const { reason, summary } = proposal;
  return { namespace, name, version: versionIn(basis), id, at, by, reason, summary };
}
