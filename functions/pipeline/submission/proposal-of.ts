/** A plan that was proposed, by its id. */
import type { ManifestKey } from '#contracts/records.ts';
import type { StoredPlan } from '#contracts/stored-plans.ts';
import { PipelineError } from '#domain/errors.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { readPlan } from './stored-plans.ts';

export type ProposedPlan = StoredPlan & Required<Pick<StoredPlan, 'proposal'>>;

/** Throws `NotFound`, also where there is such a plan that no one proposed. */
export async function proposalOf(
  deps: Pick<SubmissionPorts, 'artifacts' | 'clock'>,
  key: ManifestKey,
  id: string,
): Promise<ProposedPlan> {
  const plan = await readPlan(deps, key, id);
  if (plan?.proposal) return { ...plan, proposal: plan.proposal };
  const name = `manifest "${key.namespace}/${key.name}"`;
  throw new PipelineError('NotFound', `no plan ${id} of ${name} was proposed; list its plans to see them`);
}
