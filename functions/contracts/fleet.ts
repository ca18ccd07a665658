/** The list of manifests as a fleet: states, filters, orders and counts. The API, the command line and the console have their words from here. */
import { z } from 'zod';
import { DnsLabel, NamespacedPageQuery, wholeNumber } from './http-parameters.ts';
import { ManifestStatus } from './records.ts';

/** As stored; `Unreadable`: what is stored of it cannot be read. */
export const ShownStatus = z.enum([...ManifestStatus.options, 'Unreadable']);

/** Each manifest is in one of them; in the order in which a person wants to see them. */
export const fleetStates = ['attention', 'running', 'drifted', 'paused', 'as-desired'] as const;
export const FleetState = z
  .enum(fleetStates)
  .describe(
    'attention: it failed, cannot be read, a plan of it waits for an approval, a cluster of it was rolled back or is degraded, or certificates of it end too soon; running: a run is in progress or waits to start; drifted: the last check found differences',
  )
  .meta({ id: 'FleetState' });
export type FleetState = z.infer<typeof FleetState>;

export const fleetSorts = ['name', 'state', 'changed', 'created', 'nodes'] as const;
export type FleetSort = (typeof fleetSorts)[number];

/** `Proposed`: it does not exist yet. A client of an older release does not know that status, so no row has it: those manifests are in a list of their own. */
const listedStatuses = [...ShownStatus.options, 'Proposed'] as const;

/** Words with commas between, in any case; a fault names those that there are. */
const some = <const Word extends string>(words: readonly Word[]) => {
  const byCase = new Map(words.map((word) => [word.toLowerCase(), word]));
  const error = `must be one of ${words.join(', ')}, or several with commas between`;
  return z
    .string()
    .transform((text) => text.split(',').map((word) => byCase.get(word.trim().toLowerCase())))
    .refine((found) => found.every((word) => word !== undefined), { error })
    .transform((found) => found.filter((word) => word !== undefined))
    .optional();
};

/** Which manifests, in which order. */
export const FleetQuery = NamespacedPageQuery.extend({
  limit: wholeNumber(1, 1000).default(50).describe('items on one page'),
  state: some(fleetStates).describe(`only those in one of these states: ${fleetStates.join(', ')}`),
  status: some(listedStatuses).describe(`only those with one of these: ${listedStatuses.join(', ')}`),
  provider: DnsLabel.optional().describe('only those with nodes of this provider instance'),
  search: z
    .string()
    .max(200, 'is longer than 200 characters')
    .optional()
    .describe(
      'words, each of which is in the namespace, name or status, in the name or a provider of a cluster, or in its failure',
    ),
  sort: z
    .enum(fleetSorts, { error: `must be one of ${fleetSorts.join(', ')}` })
    .default('name')
    .describe(
      '`state`: manifests that need a person first, then those in progress, and so on; `changed` and `created`: the newest first; `nodes`: the largest first',
    ),
  counts: z.literal('true', { error: 'must be true' }).optional().describe('count the fleet, too'),
});
export type FleetQuery = z.infer<typeof FleetQuery>;

const amount = z.number().int();
/** Counts of the manifests that the caller may see. Each counts those that match all other filters: what choosing it would show. */
export const FleetCounts = z
  .object({
    all: amount.describe('without any filter'),
    fitting: amount.describe('that fit all filters'),
    states: z.object({
      attention: amount,
      running: amount,
      drifted: amount,
      paused: amount,
      'as-desired': amount,
    } satisfies Record<FleetState, z.ZodType>),
    namespaces: z.record(z.string(), amount),
    providers: z.record(z.string(), amount),
  })
  .meta({ id: 'FleetCounts' });
export type FleetCounts = z.infer<typeof FleetCounts>;
