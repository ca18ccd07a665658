/** Requests and answers of the API about drift. */
import { z } from 'zod';
import { DriftItem } from '#domain/drift.ts';

export const DriftRequest = z
  .strictObject({
    repair: z
      .boolean()
      .optional()
      .describe(
        'true: repair everything that can be repaired; false: only report; absent: as configured in the manifest',
      ),
  })
  .meta({ id: 'DriftRequest' });
export type DriftRequest = z.infer<typeof DriftRequest>;

export const DriftRows = z
  .array(
    z.object({
      cluster: z.string().describe('its name'),
      checkedAt: z.string(),
      differs: z.string().describe('in words: how many things differ'),
      items: z.array(DriftItem),
    }),
  )
  .describe('clusters for which the last check found drift');
