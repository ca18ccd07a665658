/** Take Lease: one writer for each manifest. */
import { TakeLeaseInput, type TakeLeaseOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { leaseTerm } from '../pipeline/lease-term.ts';

export const handler = taskHandler(
  TakeLeaseInput,
  async ({ namespace, name, executionArn }, deps): Promise<TakeLeaseOutput> => {
    const term = leaseTerm(deps.clock.now(), deps.config.KUBELOOM_LEASE_SECONDS);
    const taken = await deps.manifests.takeLease({ namespace, name }, executionArn, term);
    return { held: taken !== undefined, fence: taken?.lease.fence ?? 0 };
  },
);
