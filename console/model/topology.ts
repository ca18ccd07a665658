/** Where everything of a cluster is drawn: clouds, in them regions, in them pools, in them nodes; load balancers above, the mesh below. */
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import { countOf } from './count-of.ts';
import { poolsOf } from './pools.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface DrawnNode extends Box {
  readonly node: NodeRow;
}
export interface DrawnPool extends Box {
  readonly id: string;
  readonly pool: string;
  readonly role: NodeRow['role'];
  readonly ready: number;
  readonly nodes: readonly DrawnNode[];
}
export interface DrawnRegion extends Box {
  readonly title: string;
  readonly pools: readonly DrawnPool[];
}
export interface DrawnCloud extends Box {
  readonly name: string;
  /** Empty where it is not known. */
  readonly type: string;
  readonly regions: readonly DrawnRegion[];
}
export interface DrawnBalancer extends Box {
  readonly name: string;
  readonly endpoint: string;
  readonly roles: readonly string[];
}
export type Point = readonly [x: number, y: number];
/** From a load balancer to a pool that it leads to: its corners, between which it is level or upright. It crosses no pool and no title. */
export interface Edge {
  readonly corners: readonly Point[];
  readonly title: string;
}
export interface Mesh {
  /** `unknown`: it was never checked, or not all of it. */
  readonly state: 'sound' | 'faulty' | 'unknown';
  readonly text: string;
}
export interface Topology {
  readonly width: number;
  readonly height: number;
  readonly balancers: readonly DrawnBalancer[];
  readonly clouds: readonly DrawnCloud[];
  readonly edges: readonly Edge[];
  /** Undefined where there is none. */
  readonly mesh: (Box & Mesh) | undefined;
}

const cell = 22;
const pad = 12;
const titled = 26;
/** Clouds go to the next row behind it. */
const rowWidth = 1180;

export function topologyOf(cluster: ClusterDescription): Topology {
  const balancers = placeBalancers(cluster);
  const top = balancers.length === 0 ? pad : 150;
  const clouds = placeClouds(cluster, top);
  const width = Math.max(320, ...[...balancers, ...clouds].map((box) => box.x + box.width)) + pad;
  const bottom = Math.max(top, ...clouds.map(({ y, height }) => y + height));
  const mesh = meshOf(cluster);
  return {
    ...{ width, balancers, clouds, edges: edgesOf(cluster, balancers, clouds) },
    height: bottom + (mesh ? 64 : pad),
    mesh: mesh && {
      ...{ x: pad, y: bottom + 26, width: width - 2 * pad, height: 26 },
      ...mesh,
    },
  };
}

/** Undefined where there is none. */
export function meshOf({ mesh, drift }: Pick<ClusterDescription, 'mesh' | 'drift'>): Mesh | undefined {
  if (!mesh) return undefined;
  const faults = mesh.faults.length;
  const state = faults > 0 ? 'faulty' : drift === null || drift.unchecked.length > 0 ? 'unknown' : 'sound';
  const found = {
    faulty: `the last check found ${countOf(faults, 'fault')}`,
    unknown: drift === null ? 'not checked yet' : 'no fault in what the last check could compare',
    sound: 'the last check found no fault',
  } as const;
  return {
    state,
    text: `WireGuard mesh of ${countOf(mesh.nodes, 'node')}, each to be connected with each other: ${found[state]}`,
  };
}

function placeBalancers({ loadBalancers }: ClusterDescription): readonly DrawnBalancer[] {
  let x = pad;
  return loadBalancers.map(({ name, endpoint, dnsName, roles }) => {
    const texts = roles.map((role) => `${role.name} ${role.port}/${role.protocol} → ${role.targetPort}`);
    const width = Math.min(420, Math.max(180, ...[name, endpoint ?? dnsName, ...texts].map(textWidth))) + 2 * pad;
    const box = { x, y: pad, width, height: 44 + 16 * Math.min(3, texts.length) };
    x += width + 2 * pad;
    return { ...box, name, endpoint: endpoint ?? dnsName, roles: texts };
  });
}

const textWidth = (text: string): number => text.length * 7.4;

function placeClouds({ nodes, providers = [] }: ClusterDescription, top: number): readonly DrawnCloud[] {
  const pools = poolsOf(nodes, '');
  const clouds: DrawnCloud[] = [];
  let [x, y, tallest] = [pad, top, 0];
  for (const name of [...new Set(pools.map(({ provider }) => provider))].sort()) {
    const type = providers.find((one) => one.name === name)?.type ?? '';
    const own = pools.filter(({ provider }) => provider === name);
    const place = () => placeRegions(own, { left: x + pad, top: y + titled + pad, title: `${name} ${type}` });
    const rightOf = (boxes: readonly Box[]): number => Math.max(...boxes.map((box) => box.x + box.width)) + pad;
    let regions = place();
    if (rightOf(regions) > rowWidth && x > pad) {
      [x, y, tallest] = [pad, y + tallest + 2 * pad, 0];
      regions = place();
    }
    const height = Math.max(...regions.map((box) => box.y + box.height)) + pad - y;
    const width = rightOf(regions) - x;
    clouds.push({ ...{ x, y, width, height }, name, type, regions });
    x += width + 2 * pad;
    tallest = Math.max(tallest, height);
  }
  return clouds;
}

type Pools = ReturnType<typeof poolsOf>;

interface PlaceOfRegions {
  readonly left: number;
  readonly top: number;
  /** Of the cloud: it is above the first of them, which is as wide at least. */
  readonly title: string;
}

/** Next to each other; their pools below each other. Right of the pools there is room for edges. */
function placeRegions(pools: Pools, { left, top, title }: PlaceOfRegions): readonly DrawnRegion[] {
  let x = left;
  return [...new Set(pools.map(({ region }) => region))].map((region) => {
    let y = top + (region === '' ? 0 : titled - 4);
    const drawn = pools
      .filter((pool) => pool.region === region)
      .map((pool) => {
        const box = placePool(pool, x + pad, y);
        y += box.height + pad;
        return box;
      });
    const above = x === left ? textWidth(title) : 0;
    const width = Math.max(above, textWidth(region), ...drawn.map((box) => box.width)) + 2 * pad;
    const box = { x, y: top, width, height: y - top };
    x += width + pad;
    return { ...box, title: region, pools: drawn };
  });
}

function placePool({ pool, role, provider, region, nodes, ready }: Pools[number], x: number, y: number): DrawnPool {
  const columns = Math.min(20, Math.max(4, Math.ceil(Math.sqrt(nodes.length * 2.2))));
  const rows = Math.ceil(nodes.length / columns);
  const width = Math.max(columns * cell, textWidth(poolTitle({ pool, role, ready, nodes }))) + pad;
  return {
    ...{ x, y, width, height: titled + rows * cell + 4 },
    ...{ id: JSON.stringify([provider, region, pool, role]), pool, role, ready },
    nodes: nodes.map((node, place) => ({
      node,
      x: x + 6 + (place % columns) * cell,
      y: y + titled + Math.floor(place / columns) * cell,
      ...{ width: cell - 4, height: cell - 4 },
    })),
  };
}

const roles: Readonly<Record<NodeRow['role'], string>> = {
  ...{ control: 'control', compute: 'compute', loadBalancer: 'load balancer', machine: 'machine' },
};
export const poolTitle = (pool: Pick<DrawnPool, 'pool' | 'role' | 'ready'> & { readonly nodes: readonly unknown[] }) =>
  `${pool.pool} · ${roles[pool.role]} · ${pool.ready} of ${pool.nodes.length} ready`;

/**
 * Along free lanes, in each of which a load balancer has a line of its own: above a row of clouds, left of all clouds where it leads to a later
 * row, and right of the pools of a region.
 */
function edgesOf(
  { loadBalancers }: ClusterDescription,
  balancers: readonly DrawnBalancer[],
  clouds: readonly DrawnCloud[],
): readonly Edge[] {
  const firstRow = Math.min(...clouds.map(({ y }) => y));
  return balancers.flatMap((box, index) => {
    const served = loadBalancers.find(({ name }) => name === box.name)?.roles ?? [];
    const inLane = (start: number, width: number): number => start + (width * (index + 1)) / (balancers.length + 1);
    const above = (row: number): number => inLane(row - 2 * pad, 2 * pad);
    const start = box.x + box.width / 2;
    const margin = inLane(0, pad);
    const edgeTo = (cloud: DrawnCloud, region: DrawnRegion, pool: DrawnPool): readonly Edge[] => {
      const leading = served.filter(({ targets = [] }) => pool.nodes.some(({ node }) => targets.includes(node.name)));
      if (leading.length === 0) return [];
      const side = inLane(region.x + region.width - pad, pad);
      const middle = pool.y + pool.height / 2;
      const corners: Point[] = [
        ...([
          [start, box.y + box.height],
          [start, above(firstRow)],
        ] as const),
        ...(cloud.y === firstRow
          ? []
          : ([
              [margin, above(firstRow)],
              [margin, above(cloud.y)],
            ] as const)),
        ...([
          [side, above(cloud.y)],
          [side, middle],
          [pool.x + pool.width, middle],
        ] as const),
      ];
      return [{ corners, title: `${box.name} leads to ${pool.pool}: ${leading.map((role) => role.name).join(', ')}` }];
    };
    return clouds.flatMap((cloud) =>
      cloud.regions.flatMap((region) => region.pools.flatMap((pool) => edgeTo(cloud, region, pool))),
    );
  });
}

/** The path of an edge, whose corners are round where there is room. */
export function edgePath(corners: readonly Point[]): string {
  return corners
    .map(([x, y], index) => {
      const [before, after] = [corners[index - 1], corners[index + 1]];
      if (!before) return `M${x} ${y}`;
      if (!after) return `L${x} ${y}`;
      const [x1, y1] = towards([x, y], before);
      const [x2, y2] = towards([x, y], after);
      return `L${x1} ${y1}Q${x} ${y} ${x2} ${y2}`;
    })
    .join('');
}

/** A little way from the one to the other, at most half of it. */
function towards([x, y]: Point, [toX, toY]: Point): Point {
  const length = Math.abs(toX - x) + Math.abs(toY - y);
  const part = length === 0 ? 0 : Math.min(6, length / 2) / length;
  return [x + (toX - x) * part, y + (toY - y) * part];
}
