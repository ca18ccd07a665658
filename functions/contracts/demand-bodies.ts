/** What the API answers about demand. */
import { z } from 'zod';
import { NodeDemand, SizeDemand, SizeFailure } from '#domain/demand.ts';

export const OpenDemand = z
  .object({
    sizes: z.array(SizeDemand.omit({ kept: true }).extend({ pool: z.string() })),
    replace: z.array(NodeDemand),
    failures: z
      .array(SizeFailure.extend({ pool: z.string() }))
      .describe('the last size of a pool that could not be reached; it is not tried again'),
  })
  .meta({ id: 'OpenDemand', description: 'what is asked for apart from the manifest: by whom, and when' });
export type OpenDemand = z.infer<typeof OpenDemand>;
