/** What the API takes and tells of drift. */
import { z } from 'zod';
import { DriftItem } from '#domain/drift.ts';

export const DriftRequest = z
  .strictObject({
    repair: z
      .boolean()
      .optional()
      .describe('true: all that can be is made again; false: it is only told; absent: as the manifest says'),
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
  .describe('clusters of which the last check found that they differ from what was made');
