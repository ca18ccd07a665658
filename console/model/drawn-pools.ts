/** Pools as boxes of the drawing: their nodes, or, of large pools, how many are ready and each of the others; and what leads to them. */
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import { countOf } from './count-of.ts';
import { type DrawnPool, pad, portsText, type ServedBy, textWidth } from './drawn.ts';
import type { Pool } from './pools.ts';

/** More are one block. */
const drawnEach = 40;
const cell = { width: 32, height: 24 };
const gap = 4;
/** Height of its name, and of the text about it. */
const head = 42;
const line = 17;

export const roleWords: Readonly<Record<NodeRow['role'], string>> = {
  control: 'control',
  compute: 'compute',
  loadBalancer: 'load balancer',
  machine: 'machine',
};

interface Place {
  readonly x: number;
  readonly y: number;
  /** So wide at least. */
  readonly least: number;
}

/** Below each other, as wide as the widest. */
export function placePools(
  pools: readonly Pool[],
  loadBalancers: ClusterDescription['loadBalancers'],
  { x, y, least }: Place,
): readonly DrawnPool[] {
  const widths = pools.map((pool) => widthOf(pool, servedBy(pool, loadBalancers)));
  const width = Math.max(least, ...widths);
  let next = y;
  return pools.map((pool) => {
    const drawn = placePool(pool, servedBy(pool, loadBalancers), { x, y: next, least: width });
    next += drawn.height + pad;
    return drawn;
  });
}

type ServedText = Omit<ServedBy, 'y'>;

/** A line for each load balancer that leads to a node of the pool, with the ports. */
function servedBy({ nodes }: Pool, loadBalancers: ClusterDescription['loadBalancers']): readonly ServedText[] {
  const names = new Set(nodes.map(({ name }) => name));
  return loadBalancers.flatMap(({ name: balancer, roles }) => {
    const leading = roles.filter(({ targets = [] }) => targets.some((target) => names.has(target)));
    if (leading.length === 0) return [];
    const shown = leading.slice(0, 2).map(portsText).join(', ');
    const more = leading.length > 2 ? ` and ${leading.length - 2} more` : '';
    const text = `${loadBalancers.length > 1 ? `${balancer}: ` : ''}${shown}${more}`;
    return [{ balancer, roles: leading.map(({ name }) => name), text }];
  });
}

function detailOf({ nodes, ready, role }: Pool): string {
  const types = [...new Set(nodes.flatMap(({ serverType }) => serverType ?? []))];
  const type = types.length > 2 ? countOf(types.length, 'server type') : types.join(', ');
  return `${roleWords[role]} · ${ready} of ${nodes.length} ready${type === '' ? '' : ` · ${type}`}`;
}

/** Nodes that are drawn, and how many others there are. */
function shownOf({ nodes, ready }: Pool) {
  if (nodes.length <= drawnEach) return { each: nodes, ready: undefined, more: 0 };
  const others = nodes.filter(({ status }) => status !== 'Ready');
  return { each: others.slice(0, drawnEach), ready, more: Math.max(0, others.length - drawnEach) };
}

const columnsOf = (count: number): number => Math.min(10, Math.max(5, Math.ceil(Math.sqrt(count * 1.6))));

function widthOf(pool: Pool, served: readonly ServedText[]): number {
  const texts = [pool.pool, detailOf(pool), ...served.map(({ text }) => `⇄ ${text}`)];
  return Math.max(columnsOf(shownOf(pool).each.length) * cell.width, ...texts.map(textWidth)) + pad;
}

function placePool(pool: Pool, served: readonly ServedText[], { x, y, least: width }: Place): DrawnPool {
  const { provider, region, role, pool: name } = pool;
  const { each, ready, more } = shownOf(pool);
  const columns = Math.max(1, Math.floor((width - pad) / cell.width));
  const inner = { x: x + 6, width: width - pad };
  let below = y + head;
  const block = ready === undefined ? undefined : { ...inner, y: below, height: cell.height - gap, ready };
  if (block) below += cell.height;
  const first = below;
  const nodes = each.map((node, place) => ({
    node,
    x: inner.x + (place % columns) * cell.width,
    y: first + Math.floor(place / columns) * cell.height,
    width: cell.width - gap,
    height: cell.height - gap,
  }));
  below += Math.ceil(each.length / columns) * cell.height;
  const rest = more === 0 ? undefined : { y: below + 12, text: `and ${more} more that are not ready` };
  if (rest) below += line;
  const lines = served.map((one, place) => ({ ...one, y: below + line * (place + 0.5) }));
  return {
    x,
    y,
    width,
    height: below + lines.length * line + 2 - y,
    id: JSON.stringify([provider, region, name, role]),
    pool: name,
    role,
    detail: detailOf(pool),
    nodes,
    block,
    more: rest,
    served: lines,
  };
}
