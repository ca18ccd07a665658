/** Take Lease: one writer for each manifest. */
import { TakeLeaseInput, type TakeLeaseOutput } from '#contracts/state-inputs.ts';
import { isPipelineError } from '#domain/errors.ts';
import { leaseTerm } from '../manifest-store.ts';
import { taskHandler } from '../middleware.ts';

const uses = ['manifests.takeLease'] as const;

export const handler = taskHandler(
  TakeLeaseInput,
  uses,
  async ({ namespace, name, executionArn }, deps): Promise<TakeLeaseOutput> => {
    const term = leaseTerm(deps.clock.now(), deps.config.KUBELOOM_LEASE_SECONDS);
    try {
      const taken = await deps.manifests.takeLease({ namespace, name }, executionArn, term);
      return { held: taken !== undefined, fence: taken?.lease.fence ?? 0 };
    } catch (error) {
      // The run before this one has done the deletion, too.
      if (isPipelineError(error, 'NotFound')) return { held: false, fence: 0 };
      throw error;
    }
  },
);
