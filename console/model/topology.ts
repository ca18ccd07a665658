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
/** From a load balancer to a pool that it leads to. */
export interface Edge {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
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
    let regions = placeRegions(own, x + pad, y + titled + pad);
    let right = Math.max(...regions.map((box) => box.x + box.width)) + pad;
    if (right > rowWidth && x > pad) {
      [x, y, tallest] = [pad, y + tallest + 2 * pad, 0];
      regions = placeRegions(own, x + pad, y + titled + pad);
      right = Math.max(...regions.map((box) => box.x + box.width)) + pad;
    }
    const height = Math.max(...regions.map((box) => box.y + box.height)) + pad - y;
    const width = Math.max(right - x, textWidth(`${name} ${type}`) + 2 * pad);
    clouds.push({ ...{ x, y, width, height }, name, type, regions });
    x += width + 2 * pad;
    tallest = Math.max(tallest, height);
  }
  return clouds;
}

type Pools = ReturnType<typeof poolsOf>;

/** Next to each other; their pools below each other. */
function placeRegions(pools: Pools, left: number, top: number): readonly DrawnRegion[] {
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
    const width = Math.max(textWidth(region), ...drawn.map((box) => box.width)) + 2 * pad;
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

function edgesOf(
  { loadBalancers }: ClusterDescription,
  balancers: readonly DrawnBalancer[],
  clouds: readonly DrawnCloud[],
): readonly Edge[] {
  const pools = clouds.flatMap(({ regions }) => regions.flatMap((region) => region.pools));
  return loadBalancers.flatMap(({ name, roles: served }) => {
    const box = balancers.find((one) => one.name === name);
    if (!box) return [];
    return pools.flatMap((pool) => {
      const leading = served.filter(({ targets = [] }) => pool.nodes.some(({ node }) => targets.includes(node.name)));
      if (leading.length === 0) return [];
      const title = `${name} leads to ${pool.pool}: ${leading.map((role) => role.name).join(', ')}`;
      const to = [pool.x + pool.width / 2, pool.y] as const;
      return [{ from: [box.x + box.width / 2, box.y + box.height] as const, to, title }];
    });
  });
}
