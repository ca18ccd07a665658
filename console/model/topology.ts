/** Where everything of a cluster is drawn: load balancers above, clouds below them in rows, in clouds regions, in them pools, in them nodes; the mesh is last. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { countOf } from './count-of.ts';
import {
  type Box,
  bottomOf,
  type Corners,
  type DrawnBalancer,
  type DrawnCloud,
  type DrawnRegion,
  pad,
  portsText,
  rightOf,
  textWidth,
} from './drawn.ts';
import { placePools } from './drawn-pools.ts';
import { poolsOf } from './pools.ts';
import { type Edge, edgesOf, wiresOf } from './topology-lines.ts';

export interface Mesh {
  /** `unknown`: it was never checked, or not all of it. */
  readonly state: 'sound' | 'faulty' | 'unknown';
  readonly title: string;
  /** What the last check found. */
  readonly found: string;
}
export interface Topology {
  readonly width: number;
  readonly height: number;
  readonly balancers: readonly DrawnBalancer[];
  readonly clouds: readonly DrawnCloud[];
  readonly edges: readonly Edge[];
  /** Undefined if the cluster has no mesh; `lines`: the lines of its text. */
  readonly mesh: (Box & Mesh & { readonly lines: readonly string[]; readonly wires: readonly Corners[] }) | undefined;
}

/** Height of the title of a cloud and of a region. */
const titled = 26;
/** Space between two rows of clouds: for the wires of the upper one, then for the lines that lead to the lower one. */
const between = 3 * pad;
/** Width of a drawing in a window that is wide enough: clouds beyond it go to the next row. */
const widest = 1180;

/** `room`: so wide should it be at most, where that is possible. */
export function topologyOf(cluster: ClusterDescription, room = widest): Topology {
  const balancers = placeBalancers(cluster);
  const top = balancers.length === 0 ? pad : Math.max(...balancers.map(bottomOf)) + between;
  const clouds = placeClouds(cluster, { top, room: Math.max(300, Math.min(widest, room)) });
  const rightmost = Math.max(320 - pad, ...[...balancers, ...clouds].map(rightOf));
  const mesh = meshOf(cluster);
  // Right of the clouds there is room for the wires of all rows but the last.
  const rows = new Set(clouds.map(({ y }) => y)).size;
  const width = rightmost + pad + (mesh && rows > 1 ? 3 * pad : 0);
  const bottom = Math.max(top, ...clouds.map(bottomOf));
  if (!mesh) return { width, height: bottom + pad, balancers, clouds, edges: edgesOf(balancers, clouds), mesh };
  const whole = `${mesh.title}: ${mesh.found}`;
  const lines = textWidth(whole) + 6 * pad > width ? [`${mesh.title}:`, mesh.found] : [whole];
  const wide = Math.max(width, ...lines.map((line) => textWidth(line) + 6 * pad));
  const box = { x: pad, y: bottom + 2 * pad, width: wide - 2 * pad, height: 10 + 16 * lines.length };
  return {
    width: wide,
    height: box.y + box.height + pad,
    balancers,
    clouds,
    edges: edgesOf(balancers, clouds),
    mesh: { ...box, ...mesh, lines, wires: wiresOf(clouds, { to: box.y, spine: rightmost + pad }) },
  };
}

export const meshSigns: Readonly<Record<Mesh['state'], string>> = { sound: '✓', faulty: '!', unknown: '○' };

/** Undefined if the cluster has no mesh. */
export function meshOf({ mesh, drift }: Pick<ClusterDescription, 'mesh' | 'drift'>): Mesh | undefined {
  if (!mesh) return undefined;
  const faults = mesh.faults.length;
  const state = faults > 0 ? 'faulty' : drift === null || drift.unchecked.length > 0 ? 'unknown' : 'sound';
  const found = {
    faulty: `the last check found ${countOf(faults, 'fault')}`,
    unknown: drift === null ? 'not checked yet' : 'no fault in what the last check could compare',
    sound: 'the last check found no fault',
  } as const;
  return { state, title: `WireGuard mesh of ${countOf(mesh.nodes, 'node')}`, found: found[state] };
}

function placeBalancers({ loadBalancers }: ClusterDescription): readonly DrawnBalancer[] {
  let x = pad;
  return loadBalancers.map(({ name, endpoint, dnsName, roles }) => {
    const texts = roles.map(portsText);
    const width = Math.min(420, Math.max(180, ...[name, endpoint ?? dnsName, ...texts].map(textWidth))) + 2 * pad;
    const box = { x, y: pad, width, height: 44 + 16 * Math.min(3, texts.length) };
    x += width + 2 * pad;
    return { ...box, name, endpoint: endpoint ?? dnsName, roles: texts };
  });
}

interface PlaceOfClouds {
  readonly top: number;
  readonly room: number;
}

function placeClouds(cluster: ClusterDescription, { top, room }: PlaceOfClouds): readonly DrawnCloud[] {
  const pools = poolsOf(cluster.nodes, '');
  const clouds: DrawnCloud[] = [];
  let [x, y, tallest] = [pad, top, 0];
  for (const name of [...new Set(pools.map(({ provider }) => provider))].sort()) {
    const type = cluster.providers?.find((one) => one.name === name)?.type ?? '';
    const own = pools.filter(({ provider }) => provider === name);
    const title = type === name ? name : `${name} ${type}`;
    const place = () => placeRegions(own, cluster, { left: x + pad, top: y + titled + pad, title });
    const rightOfAll = (boxes: readonly Box[]): number => Math.max(...boxes.map(rightOf)) + pad;
    let regions = place();
    if (rightOfAll(regions) > room && x > pad) {
      [x, y, tallest] = [pad, y + tallest + between, 0];
      regions = place();
    }
    const height = Math.max(...regions.map(bottomOf)) + pad - y;
    const width = rightOfAll(regions) - x;
    clouds.push({ x, y, width, height, name, type: type === name ? '' : type, regions });
    x += width + 2 * pad;
    tallest = Math.max(tallest, height);
  }
  return clouds;
}

interface PlaceOfRegions {
  readonly left: number;
  readonly top: number;
  /** Title of the cloud, above its first region, which is at least as wide as the title. */
  readonly title: string;
}

/** Next to each other; their pools below each other, all as wide. Right of the pools there is room for lines. */
function placeRegions(
  pools: ReturnType<typeof poolsOf>,
  { loadBalancers }: ClusterDescription,
  { left, top, title }: PlaceOfRegions,
): readonly DrawnRegion[] {
  let x = left;
  return [...new Set(pools.map(({ region }) => region))].map((region) => {
    const least = Math.max(x === left ? textWidth(title) : 0, textWidth(region));
    const own = pools.filter((pool) => pool.region === region);
    const first = top + (region === '' ? pad : titled);
    const drawn = placePools(own, loadBalancers, { x: x + pad, y: first, least });
    const right = Math.max(...drawn.map(rightOf)) + (loadBalancers.length > 0 ? 2 : 1) * pad;
    const box = { x, y: top, width: right - x, height: Math.max(...drawn.map(bottomOf)) + pad - top };
    x = right + pad;
    return { ...box, title: region, pools: drawn };
  });
}
