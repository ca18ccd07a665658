/** Strays of a provider instance in a stage: stopped or deleted, if they still are strays. */
import type { InfrastructureWork } from '#domain/plan.ts';
import { knownPoolKey } from '../ssh-keys.ts';
import type { ContextOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { machinesJob, publicKeysOf } from './machines-job.ts';
import { actOnStrays } from './strays/act-on-strays.ts';
import { openWorkspace } from './workspace.ts';

type Work = NonNullable<InfrastructureWork['strays']>[number];

/**
 * Terraform changes nothing. What only a person can lift (a permission, a protection) is reported and stops nothing else: the next check
 * for drift tries again. Throws `StageFailure` for what may pass.
 */
export async function handleStrays(context: ContextOf<'terraform'>, work: Work): Promise<void> {
  const { provider } = work;
  const { target: state } = context;
  const publicKeys = await publicKeysOf(state, provider, (...pool) => knownPoolKey(context, ...pool));
  const job = machinesJob(context, provider, { state, publicKeys });
  try {
    const workspace = await openWorkspace(context, job);
    await actOnStrays(context, await workspace.list(), work);
  } catch (error) {
    if (!(error instanceof StageFailure) || !['credentials', 'user'].includes(error.error.class)) throw error;
    const { message, hint } = error.error;
    context.emit({ kind: 'StraysNotHandled', message: `${message} ${hint}` });
  }
}
