/**
 * Planning in the product's own path, from stored records to stored records, without a data base: up to 10,000 nodes, in
 * clusters that share their blueprints or have their own. Each number comes from a process of its own.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { growthExponent } from './numbers.ts';
import type { PlanCase, PlanCell } from './plan-cell.ts';
import type { Shape } from './plan-manifests.ts';

const sizes = [10, 30, 100] as const;
const shapes: readonly Shape[] = ['shared', 'own'];
const cases: readonly PlanCase[] = ['create', 'nothing', 'change'];
const program = new URL('plan-cell.ts', import.meta.url).pathname;

export async function measurePlan() {
  const rows = [];
  for (const shape of shapes) for (const which of cases) rows.push(await measureCase(shape, which));
  return {
    what: 'one pass over a manifest of N clusters × 10 pools × 10 nodes: create all, nothing to do, one more node in one pool',
    aim: { sharedMs: 65, ownMs: 135, exponent: 1.1, megabytes: 200 },
    rows,
  };
}

async function measureCase(shape: Shape, which: PlanCase) {
  const cells: PlanCell[] = [];
  for (const clusters of sizes) cells.push(await measureCell(shape, which, clusters));
  const bySize = (part: keyof PlanCell) =>
    Object.fromEntries(sizes.map((clusters, index) => [clusters, round(cells[index]?.[part] ?? Number.NaN)]));
  return {
    shape,
    case: which,
    ms: bySize('ms'),
    cpuMs: bySize('cpuMs'),
    firstMs: bySize('firstMs'),
    exponent: growthExponent(cells.map(({ cpuMs }, index) => [sizes[index] ?? Number.NaN, cpuMs])),
    firstMegabytes: bySize('firstMegabytes'),
    megabytes: bySize('megabytes'),
  };
}

async function measureCell(shape: Shape, which: PlanCase, clusters: number): Promise<PlanCell> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, shape, which, String(clusters)]);
  return JSON.parse(stdout) as PlanCell;
}

const round = (value: number): number => Math.round(value * 100) / 100;
