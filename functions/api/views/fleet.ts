/** The fleet: manifests that fit filters, in an order, page by page, and how many there are. */
import { z } from 'zod';
import type { ManifestPage, ManifestSummary } from '#contracts/api-bodies.ts';
import { type FleetCounts, type FleetQuery, fleetSorts, fleetStates } from '#contracts/fleet.ts';
import type { PlacedPlan } from '#contracts/waiting-plans.ts';
import { PipelineError } from '#domain/errors.ts';
import { parseJson } from '#domain/json.ts';

/** What one knows of a manifest by its row alone. */
export type SummaryWithState = Omit<ManifestSummary, 'state'> & {
  readonly state: NonNullable<ManifestSummary['state']>;
};

type Wanted = Omit<FleetQuery, 'namespace'> & { readonly namespace?: string | undefined };

/** Whether all manifests have to be read for one page. */
export const needsAll = ({ sort, counts, state, status, provider, search }: Wanted): boolean =>
  sort !== 'name' || [counts, state, status, provider, search].some((one) => one !== undefined);

/** Pages follow each other by the place of their last row: what changes its place meanwhile may be on two of them, or on none. */
export function fleetPage(
  all: readonly SummaryWithState[],
  query: Wanted,
  proposals: readonly PlacedPlan[] = [],
): ManifestPage {
  const fits = filtersOf(query);
  const isFitting = (row: Filtered): boolean => fits.every(([, matches]) => matches(row));
  const fitting = all.filter(isFitting);
  const proposed = proposals.filter((one) => isFitting(rowOf(one)));
  const counted = [...all, ...proposals.map(rowOf)];
  const placed = fitting.map((row) => ({ row, place: placeOf(row, query.sort) }));
  placed.sort((one, other) => compared(one.place, other.place));
  const after = query.next === undefined ? undefined : placeIn(query.next, query.sort);
  const rest = after ? placed.filter(({ place }) => compared(place, after) > 0) : placed;
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return {
    items: page.map(({ row }) => row),
    ...(!after && proposed.length > 0 && { proposed }),
    ...(rest.length > page.length && last && { next: cursorOf(query.sort, last.place) }),
    ...(query.counts && { counts: countsOf(counted, fits, fitting.length + proposed.length) }),
  };
}

/** What filters read of a row. */
type Filtered = Pick<SummaryWithState, 'namespace' | 'name' | 'state' | 'clusters' | 'unreadable'> & {
  readonly status: SummaryWithState['status'] | 'Proposed';
};
/** What a manifest that does not exist yet is filtered by. */
const rowOf = ({ namespace, name }: PlacedPlan): Filtered => ({
  namespace,
  name: name ?? '',
  status: 'Proposed',
  state: 'attention',
  clusters: [],
});

type Filter = readonly [name: 'state' | 'namespace' | 'provider' | 'other', fits: (row: Filtered) => boolean];

function filtersOf({ state, status, provider, search, namespace }: Wanted): readonly Filter[] {
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return [
    ['state', (row) => state === undefined || state.includes(row.state)],
    ['namespace', (row) => namespace === undefined || row.namespace === namespace],
    ['provider', (row) => provider === undefined || providersOf(row).includes(provider)],
    ['other', (row) => status === undefined || status.includes(row.status)],
    ['other', (row) => words.length === 0 || containsAll(textOf(row), words)],
  ];
}

const containsAll = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

const providersOf = ({ clusters }: Filtered): readonly string[] => [
  ...new Set(clusters.flatMap(({ providers = [] }) => providers)),
];

/** What is searched, in lower case. */
function textOf({ namespace, name, status, unreadable = '', clusters }: Filtered): string {
  const ofClusters = clusters.flatMap((cluster) => {
    const { failure, providers = [] } = cluster;
    return [cluster.name, ...providers, ...(failure ? [failure.code, failure.message] : [])];
  });
  return [`${namespace}/${name}`, status, unreadable, ...ofClusters].join(' ').toLowerCase();
}

function countsOf(all: readonly Filtered[], filters: readonly Filter[], fitting: number): FleetCounts {
  const without = (name: Filter[0]): readonly Filtered[] =>
    all.filter((row) => filters.every(([of, fits]) => of === name || fits(row)));
  const states = without('state');
  const counted = (words: readonly string[]): Record<string, number> => {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const inState = (state: SummaryWithState['state']): number => states.filter((row) => row.state === state).length;
  return {
    all: all.length,
    fitting,
    states: Object.fromEntries(fleetStates.map((state) => [state, inState(state)])) as FleetCounts['states'],
    namespaces: counted(without('namespace').map(({ namespace }) => namespace)),
    providers: counted(without('provider').flatMap(providersOf)),
  };
}

/** No two rows have the same: what decides comes first, the name last. */
type RowPlace = readonly (string | number)[];

/** Texts and numbers of which the smaller one comes first. */
function placeOf(row: SummaryWithState, sort: FleetQuery['sort']): RowPlace {
  const name = [row.namespace, row.name];
  const state = fleetStates.indexOf(row.state);
  switch (sort) {
    case 'name':
      return name;
    case 'state':
      return row.state === 'as-desired' ? [state, 0, ...name] : [state, newestFirst(row.updatedAt), ...name];
    case 'changed':
      return [newestFirst(row.updatedAt), ...name];
    case 'created':
      return [newestFirst(row.createdAt), ...name];
    case 'nodes':
      return [-row.clusters.reduce((sum, { nodes }) => sum + nodes, 0), ...name];
  }
}

/** What cannot be read has no time: it comes last. */
const newestFirst = (at: string): number => -(Date.parse(at) || 0);

function compared(one: RowPlace, other: RowPlace): number {
  for (const [index, mine] of one.entries()) {
    const theirs = other[index];
    if (theirs === undefined || mine === theirs) continue;
    return mine < theirs ? -1 : 1;
  }
  return 0;
}

const Cursor = z.tuple([
  z.enum(fleetSorts),
  z
    .array(z.union([z.string(), z.number()]))
    .min(2)
    .max(4),
]);

const cursorOf = (sort: FleetQuery['sort'], place: RowPlace): string =>
  Buffer.from(JSON.stringify([sort, place])).toString('base64url');

function placeIn(cursor: string, sort: FleetQuery['sort']): RowPlace {
  const read = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))).data;
  if (read?.[0] === sort) return read[1];
  const message = '`next` is not a cursor of this listing; leave it out to start again';
  throw new PipelineError('InvalidInput', message);
}
