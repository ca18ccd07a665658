/** Lines of the drawing: from load balancers to the pools that they lead to, and from clouds to the mesh. None runs through a cloud that it is not of. */
import {
  bottomOf,
  type Corners,
  type DrawnBalancer,
  type DrawnCloud,
  type DrawnPool,
  type DrawnRegion,
  type Point,
  pad,
} from './drawn.ts';

/** From a load balancer to a pool that it leads to. It crosses no pool and no title. */
export interface Edge {
  readonly corners: Corners;
  readonly title: string;
}

/**
 * Along free lanes, in each of which a load balancer has a line of its own: above a row of clouds, left of all clouds where it leads to a later
 * row, and right of the pools of a region. It ends at the line of text that names its ports.
 */
export function edgesOf(balancers: readonly DrawnBalancer[], clouds: readonly DrawnCloud[]): readonly Edge[] {
  const firstRow = Math.min(...clouds.map(({ y }) => y));
  return balancers.flatMap((box, index) => {
    const inLane = (start: number, width: number): number => start + (width * (index + 1)) / (balancers.length + 1);
    const above = (row: number): number => inLane(row - 2 * pad, 2 * pad);
    const start = box.x + box.width / 2;
    const margin = inLane(0, pad);
    const edgeTo = (cloud: DrawnCloud, region: DrawnRegion, pool: DrawnPool): readonly Edge[] => {
      const served = pool.served.find(({ balancer }) => balancer === box.name);
      if (!served) return [];
      const side = inLane(region.x + region.width - 2 * pad, 2 * pad);
      const toRow: Corners = [
        [margin, above(firstRow)],
        [margin, above(cloud.y)],
      ];
      const corners: Corners = [
        [start, box.y + box.height],
        [start, above(firstRow)],
        ...(cloud.y === firstRow ? [] : toRow),
        [side, above(cloud.y)],
        [side, served.y],
        [pool.x + pool.width, served.y],
      ];
      return [{ corners, title: `${box.name} leads to ${pool.pool}: ${served.roles.join(', ')}` }];
    };
    return clouds.flatMap((cloud) =>
      cloud.regions.flatMap((region) => region.pools.flatMap((pool) => edgeTo(cloud, region, pool))),
    );
  });
}

interface PlaceOfWires {
  /** The top of the mesh. */
  readonly to: number;
  /** Right of all clouds: along it the wires of a row pass those below. */
  readonly spine: number;
}

/** Wires of the last row lead straight down; those of other rows along a line below their row, and down right of all clouds. */
export function wiresOf(clouds: readonly DrawnCloud[], { to, spine }: PlaceOfWires): readonly Corners[] {
  const rows = [...new Set(clouds.map(({ y }) => y))].sort((one, other) => one - other);
  return rows.flatMap((row, index) => {
    const own = clouds.filter(({ y }) => y === row);
    const down = ({ x, y, width, height }: DrawnCloud, end: number): Corners => [
      [x + width / 2, y + height],
      [x + width / 2, end],
    ];
    if (index === rows.length - 1) return own.map((cloud) => down(cloud, to));
    const below = Math.max(...own.map(bottomOf)) + pad / 2;
    const [first] = own;
    const along: Corners = [
      [(first?.x ?? 0) + (first?.width ?? 0) / 2, below],
      [spine, below],
      [spine, to],
    ];
    return [...own.map((cloud) => down(cloud, below)), along];
  });
}

/** As SVG has it; its corners are round where there is room. */
export function svgPath(corners: Corners): string {
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
