/** Manifests that do not exist yet, made of the plans that wait for an approval: nothing of them is stored apart from those. */
import type { ProposedManifest } from '#contracts/fleet.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { aheadOf } from '../../ahead.ts';
import type { Using } from '../../ports.ts';
import { type PlansByManifest, shownPlan } from './waiting-plans.ts';

/** By namespace and name. Plans of what exists by now, without them, fit no more. */
export async function proposedManifests(
  deps: Using<'manifests.head'>,
  plans: PlansByManifest,
  maySee: (namespace: string) => boolean,
): Promise<readonly ProposedManifest[]> {
  const creating = [...plans.values()].flatMap((some) => creatingOne(some.filter((plan) => maySee(plan.namespace))));
  const rows = aheadOf(creating, async (row) => ((await exists(deps, row)) ? [] : [row]));
  const found = (await Array.fromAsync(rows)).flat();
  return found.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

const nameOf = ({ namespace, name }: ManifestKey): string => `${namespace}#${name}`;

/** Those that were made while nothing was stored create it. */
function creatingOne(plans: readonly WaitingPlanRecord[]): readonly ProposedManifest[] {
  const [first, ...rest] = plans.filter(({ version, name }) => version === null && name !== inventoryPlanName);
  if (first === undefined) return [];
  const { namespace, name } = first;
  const proposed = [first, ...rest].map(shownPlan);
  return [{ namespace, name, status: 'Proposed', state: 'attention', proposed }];
}

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
  const plans = await waitingPlans.list({ namespace, name });
  const [{ proposed = [] } = {}] = creatingOne(plans);
  const [newest] = proposed;
  const subject = `manifest "${name}" in namespace "${namespace}"`;
  if (newest === undefined) return new PipelineError('NotFound', `there is no ${subject}`);
  const { id, at, by, summary } = newest;
  const ways = `kubeloom approve ${name} -n ${namespace} --plan ${id}, or kubeloom reject ${name} -n ${namespace} --plan ${id}`;
  const message = `${subject} does not exist yet: ${by} proposed it at ${at} (${summary}), and its plan waits for an approval: ${ways}`;
  return new PipelineError('NotFound', message, { details: { proposed } });
}
