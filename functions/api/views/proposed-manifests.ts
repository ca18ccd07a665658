/** Manifests that do not exist yet, made of the plans that wait for an approval: nothing of them is stored apart from those. */
import type { ManifestKey } from '#contracts/records.ts';
import { inventoryPlanName, type PlacedPlan, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { aheadOf } from '../../ahead.ts';
import type { Using } from '../../ports.ts';
import { type PlansByManifest, placedPlan, shownPlan } from './waiting-plans.ts';

/** The plans that create one, by namespace and name. Those of what exists by now, without them, fit no more. */
export async function proposedManifests(
  deps: Using<'manifests.head'>,
  plans: PlansByManifest,
  maySee: (namespace: string) => boolean,
): Promise<readonly PlacedPlan[]> {
  const creating = [...plans.values()].flatMap(creatingIn).filter(({ namespace }) => maySee(namespace));
  const fitting = aheadOf(creating, async (plan) => ((await exists(deps, plan)) ? [] : [placedPlan(plan)]));
  const found = (await Array.fromAsync(fitting)).flat();
  return found.sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
}

const titleOf = ({ namespace, name }: PlacedPlan): string => `${namespace}#${name}`;

/** Those that were made while nothing was stored; a newer one takes the place of an older one. */
const creatingIn = (plans: readonly WaitingPlanRecord[]): readonly WaitingPlanRecord[] =>
  plans.filter(({ version, name }) => version === null && name !== inventoryPlanName).slice(0, 1);

async function exists({ manifests }: Using<'manifests.head'>, key: ManifestKey): Promise<boolean> {
  try {
    return (await manifests.head(key)) !== undefined;
  } catch (error) {
    // It cannot be read, so something is stored.
    if (isPipelineError(error, 'Unreadable')) return true;
    throw error;
  }
}

/** `NotFound` for a manifest that is not stored; if it is only proposed, it says by whom, since when, and what an approver can do. */
export async function missingManifest(
  { waitingPlans }: Using<'waitingPlans.list'>,
  { namespace, name }: ManifestKey,
): Promise<PipelineError> {
  const [newest] = creatingIn(await waitingPlans.list({ namespace, name }));
  const subject = `manifest "${name}" in namespace "${namespace}"`;
  if (newest === undefined) return new PipelineError('NotFound', `there is no ${subject}`);
  const { id, at, by, summary } = newest;
  const ways = [
    `\`kubeloom approve ${name} -n ${namespace} --plan ${id}\` carries it out`,
    `\`kubeloom reject ${name} -n ${namespace} --plan ${id}\` ends it`,
  ].join(', ');
  const message = `${subject} does not exist yet: ${by} proposed it at ${at} (${summary}), and its plan waits for an approval: ${ways}`;
  return new PipelineError('NotFound', message, { details: { proposed: [shownPlan(newest)] } });
}
