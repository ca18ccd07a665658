/** What the API answers about the generations of a manifest, and the operations for them. */
import { z } from 'zod';
import * as parameters from './http-parameters.ts';
import { type Operation, ok } from './operation.ts';
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

export const generationOperations: Readonly<Record<string, Operation>> = {
  listGenerations: {
    tag: 'manifests',
    summary: 'List the newest document of a manifest and up to ten before it: when, by whom, why, what changed',
    path: parameters.ManifestPath,
    answers: ok('newest first', GenerationList),
    problems: [400, 404],
  },
  getGeneration: {
    tag: 'manifests',
    summary: 'Get the document of a generation',
    path: parameters.GenerationPath,
    answers: ok('the document', Generation),
    problems: [400, 404],
  },
};
