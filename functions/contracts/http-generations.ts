/** What the API answers about the generations of a manifest. */
import { z } from 'zod';
import { Origin } from './records.ts';

const GenerationSummary = z
  .object({
    generation: z.number().int(),
    current: z.boolean().describe('the newest one'),
    at: Origin.shape.at.optional().describe('when it was accepted; absent when an older release stored it'),
    by: Origin.shape.by.optional().describe('who asked for it'),
    reason: Origin.shape.reason.optional(),
    rolledBackTo: Origin.shape.rolledBackTo.describe('of a rollback: the generation that it went back to'),
  })
  .meta({ id: 'GenerationSummary' });

export const GenerationList = z
  .object({
    items: z.array(
      GenerationSummary.extend({
        changes: z
          .array(z.string())
          .nullable()
          .describe('how the document differs from the one before, a few words each; null where that is not kept'),
      }),
    ),
  })
  .meta({ id: 'GenerationList' });
export type GenerationList = z.infer<typeof GenerationList>;

export const Generation = GenerationSummary.extend({
  document: z.unknown().describe('the InputManifest as accepted'),
}).meta({ id: 'Generation' });
export type Generation = z.infer<typeof Generation>;
