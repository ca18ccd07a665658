/** Strays of a provider instance in a stage: stopped or deleted, if they still are strays. */
import type { InfrastructureWork } from '#domain/plan.ts';
import { knownPoolKey } from '../ssh-keys.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { machinesJob } from './apply-machines.ts';
import { actOnStrays } from './strays/act-on-strays.ts';
import { listingOf } from './workspace.ts';

type Work = NonNullable<InfrastructureWork['strays']>[number];

/**
 * Terraform changes nothing. What only a person can lift (a permission, a protection) is reported and stops nothing else: the next check
 * for drift tries again. Throws `StageFailure` for what may pass.
 */
export async function handleStrays(context: ContextOf<'terraform'>, work: Work): Promise<void> {
  const { provider } = work;
  const publicKeyOf = (...pool: readonly [clusterId: string, poolId: string]) => knownPoolKey(context, ...pool);
  const job = await machinesJob(context, provider, { state: context.target, publicKeyOf });
  try {
    await actOnStrays(context, await listingOf(context, job), work);
  } catch (error) {
    if (!(error instanceof StageFailure) || !['credentials', 'user'].includes(error.error.class)) throw error;
    const { message, hint } = error.error;
    context.emit({ kind: 'StraysNotHandled', message: `${message} ${hint}` });
  }
}
