/** The machine groups of manifests: each with its size, what its machines are, and how they are. */
import type { ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { isMap } from '#domain/json.ts';
import { placedGroups } from '#domain/manifest/groups/placed-groups.ts';
import { counted } from '#domain/words.ts';

import { paintStatus } from './output.ts';

export interface GroupRow {
  readonly namespace: string;
  readonly manifest: string;
  /** Path from the root: `batch/small`. */
  readonly group: string;
  /** The same in names of machines, events and load balancers: `batch-small`. */
  readonly pool: string;
  /** What the document says; of machines of one's own, how many it names. */
  readonly size: number;
  readonly providers: readonly string[];
  readonly machines: readonly NodeRow[];
}

/** None for a manifest of another kind, or one that cannot be read. */
export function groupRows({ namespace, name, document, clusters }: ManifestDescription): readonly GroupRow[] {
  if (!isMap(document) || document.kind !== 'MachineGroups' || !isMap(document.spec)) return [];
  const nodes = clusters.flatMap((cluster) => cluster.nodes);
  return placedGroups(document.spec.groups).groups.map(({ names, pool, value }) => {
    const machines = nodes.filter((node) => node.pool === pool);
    const places = machines.map(({ provider, region }) => (region === undefined ? provider : `${provider} ${region}`));
    const size = Array.isArray(value.nodes) ? value.nodes.length : Number(value.size);
    const about = { namespace, manifest: name, group: names.join('/'), pool };
    return { ...about, size, providers: [...new Set(places)], machines };
  });
}

/** The group of that path, or those below it; `batch/small` and `batch-small` are the same. */
export function groupsNamed(rows: readonly GroupRow[], wanted: string): readonly GroupRow[] {
  const name = wanted.replaceAll('/', '-').replaceAll('_', '-').toLowerCase();
  return rows.filter(({ pool }) => pool === name || pool.startsWith(`${name}-`));
}

/** `2 Ready, 1 Unhealthy`; `-` where there is no machine. */
export function statesOf({ machines }: Pick<GroupRow, 'machines'>): string {
  const states = [...Map.groupBy(machines, ({ status }) => status)];
  return states.map(([status, some]) => `${some.length} ${paintStatus(status)}`).join(', ') || '-';
}

/** `3`, or `2 of 3` while machines are made or removed. */
export function sizeText({ size, machines }: Pick<GroupRow, 'size' | 'machines'>): string {
  return machines.length === size ? String(size) : `${machines.length} of ${counted(size, 'machine')}`;
}
