/** The fleet: what needs a person first, what is under way, and the rest. */
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { countOf } from './count-of.ts';

export type Summary = ManifestPage['items'][number];

export const groups = ['needsYou', 'underWay', 'drifted', 'paused', 'calm'] as const;
export type FleetGroup = (typeof groups)[number];

export const groupTitles: Readonly<Record<FleetGroup, string>> = {
  needsYou: 'Needs you',
  underWay: 'Under way',
  drifted: 'Drifted',
  paused: 'Paused',
  calm: 'As desired',
};

export interface FleetRow {
  readonly key: string;
  readonly summary: Summary;
  readonly group: FleetGroup;
  /** What there is to say, in a sentence; empty when all is well. */
  readonly remark: string;
  /** What to do about it. */
  readonly hint: string;
  readonly nodes: number;
  readonly joins: number;
  readonly leaves: number;
  readonly providers: readonly string[];
}

export function fleetRow(summary: Summary): FleetRow {
  const { clusters } = summary;
  const failure = clusters.find((cluster) => cluster.failure !== undefined)?.failure;
  const sum = (of: (cluster: Summary['clusters'][number]) => number): number =>
    clusters.reduce((total, cluster) => total + of(cluster), 0);
  return {
    key: `${summary.namespace}/${summary.name}`,
    summary,
    group: groupOf(summary),
    remark: remarkOf(summary),
    hint: failure?.hint ?? '',
    nodes: sum(({ nodes }) => nodes),
    joins: sum(({ now }) => now?.joins ?? 0),
    leaves: sum(({ now }) => now?.leaves ?? 0),
    providers: [...new Set(clusters.flatMap(({ providers = [] }) => providers))].sort(),
  };
}

function groupOf({ status, clusters, paused }: Summary): FleetGroup {
  const troubled = clusters.some(
    (cluster) =>
      cluster.status === 'NeedsAttention' || cluster.status === 'RolledBack' || cluster.status === 'Degraded',
  );
  const works = status === 'Running' || status === 'Pending' || status === 'Deleting';
  if (status === 'Failed' || status === 'Unreadable') return 'needsYou';
  if (paused) return 'paused';
  if (works) return 'underWay';
  if (troubled) return 'needsYou';
  return clusters.some(({ drift = 0 }) => drift > 0) ? 'drifted' : 'calm';
}

function remarkOf({ unreadable, clusters, status, paused }: Summary): string {
  if (unreadable !== undefined) return unreadable;
  const working = clusters.find(({ now }) => now !== undefined);
  if (working?.now) {
    const { direction, waypoint, waypoints, stage } = working.now;
    const where = stage === null ? '' : ` · ${stage}`;
    const name = clusters.length > 1 ? `${working.name}: ` : '';
    return `${name}${direction} ${waypoint} of ${waypoints}${where}`;
  }
  const failed = clusters.find(({ failure }) => failure !== undefined);
  if (failed?.failure)
    return `${clusters.length > 1 ? `${failed.name}: ` : ''}${failed.failure.code}: ${failed.failure.message}`;
  const drifted = clusters.filter(({ drift = 0 }) => drift > 0);
  const differences = drifted.reduce((total, { drift = 0 }) => total + drift, 0);
  if (differences > 0) return `${countOf(differences, 'difference')} found by the last check`;
  if (status === 'Pending') return paused ? 'waits until it is resumed' : 'waits for its run to start';
  return '';
}

export interface Filter {
  readonly search: string;
  readonly group: string;
  readonly namespace: string;
}

/** In the order in which a person wants them: by group, then the newest change first where something happens, else by name. */
export function shownRows(rows: readonly FleetRow[], { search, group, namespace }: Filter): readonly FleetRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter((row) => group === '' || row.group === group)
    .filter((row) => namespace === '' || row.summary.namespace === namespace)
    .filter((row) => words.every((word) => textOf(row).includes(word)))
    .toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group) || byNews(one, other));
}

function byNews(one: FleetRow, other: FleetRow): number {
  if (one.group === 'calm') return one.key < other.key ? -1 : 1;
  return one.summary.updatedAt > other.summary.updatedAt ? -1 : 1;
}

const textOf = ({ key, remark, providers, summary }: FleetRow): string =>
  [key, remark, summary.status, ...providers, ...summary.clusters.map(({ name }) => name)].join(' ').toLowerCase();

export function countsOf(rows: readonly FleetRow[]): Readonly<Record<FleetGroup, number>> {
  const count = (group: FleetGroup): number => rows.filter((row) => row.group === group).length;
  return Object.fromEntries(groups.map((group) => [group, count(group)])) as Record<FleetGroup, number>;
}
