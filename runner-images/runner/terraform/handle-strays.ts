/** Strays of a provider instance in a stage: stopped or deleted, if they still are strays. */
import type { InfrastructureWork } from '#domain/plan.ts';
import { knownPoolKey } from '../ssh-keys.ts';
import type { ContextOf } from '../stage-context.ts';
import { actOnStrays } from './act-on-strays.ts';
import { machinesJob } from './apply-machines.ts';

import { listingOf } from './workspace.ts';

type Work = NonNullable<InfrastructureWork['strays']>[number];

/** Terraform changes nothing. Throws `StageFailure`. */
export async function handleStrays(context: ContextOf<'terraform'>, work: Work): Promise<void> {
  const { provider, action } = work;
  const publicKeyOf = (...pool: readonly [clusterId: string, poolId: string]) => knownPoolKey(context, ...pool);
  const job = await machinesJob(context, provider, { state: context.target, publicKeyOf });
  const names = await actOnStrays(context, await listingOf(context, job), work);
  for (const name of names) {
    const about = `${name} has the tags of the cluster in ${provider}, and no one knows it`;
    if (action === 'delete') context.emit({ kind: 'LeftoverRemoved', message: `${about}: it was deleted`, node: name });
    else context.emit({ kind: 'StrayQuarantined', message: `${about}: it was stopped, and is kept`, node: name });
  }
}
