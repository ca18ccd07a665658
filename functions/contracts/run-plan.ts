/** The plan of a run for those who watch: the way of each cluster in words, also the part that is still to come. */
import { z } from 'zod';
import { Direction, StageName } from '#domain/plan.ts';

/** A waypoint in words. */
export const PlannedWaypoint = z
  .object({
    direction: Direction,
    title: z.string().describe('what it does, in a line'),
    lines: z
      .array(
        z.object({
          mark: z
            .enum(['·', '+', '~', '-', '='])
            .describe('nodes: `+` made, `~` changed in place, `-` removed, `=` stay'),
          text: z.string(),
        }),
      )
      .describe('details that are not in the title'),
    stages: z
      .array(z.object({ stage: StageName, reasons: z.array(z.string()) }))
      .describe('the stages with work, in order'),
    forwardOnly: z.boolean().describe('a failure is retried and never undone'),
  })
  .meta({ id: 'PlannedWaypoint' });
export type PlannedWaypoint = z.infer<typeof PlannedWaypoint>;

/** What Plan Cluster leaves each time that it starts a waypoint; the first one is that. */
export const PlannedPath = z.object({
  schema: z.literal(1),
  /** Place of the first one in the run, from 1: one that is started again keeps its number. */
  number: z.number().int(),
  waypoints: z.array(PlannedWaypoint),
});
export type PlannedPath = z.infer<typeof PlannedPath>;

export const RunPlan = z
  .object({
    clusters: z.array(
      z.object({
        cluster: z.string().describe('its name'),
        waypoints: z.array(
          PlannedWaypoint.extend({
            number: z.number().int().describe('place in the run, from 1'),
            starts: z
              .array(z.string())
              .describe(
                'each time that it was started, as in the paths of its logs: `w00`; empty: it is still to come',
              ),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'RunPlan', description: 'later waypoints are planned again when the current one is reached' });
export type RunPlan = z.infer<typeof RunPlan>;
