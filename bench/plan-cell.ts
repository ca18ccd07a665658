/** One number of `plan.ts`, in a process of its own: `node bench/plan-cell.ts shared|own create|nothing|change CLUSTERS`. */
import { median } from './numbers.ts';
import { manifestToPlan, type Shape } from './plan-manifests.ts';
import { PlanStore, planningPass, settlePlans } from './plan-pass.ts';

export type PlanCase = 'create' | 'nothing' | 'change';

/** Measures of one pass: wall and CPU time when warm (median), wall time of the first, most memory after the first and at the end. */
export interface PlanCell {
  readonly ms: number;
  readonly cpuMs: number;
  readonly firstMs: number;
  readonly firstMegabytes: number;
  readonly megabytes: number;
}

const warmMs = 500;
const measuredMs = 1500;

async function measure(shape: Shape, which: PlanCase, clusters: number): Promise<PlanCell> {
  const store = new PlanStore();
  await store.setManifest(manifestToPlan(shape, clusters));
  if (which !== 'create') await settlePlans(store, planningPass(store));
  if (which === 'change') await store.setManifest(manifestToPlan(shape, clusters, 11));
  const expected = { create: clusters, nothing: 0, change: 1 }[which];
  const once = async () => {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    let written = 0;
    for await (const _ of planningPass(store)) written += 1;
    if (written !== expected) throw new Error(`${written} clusters were planned, not ${expected}`);
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - started, cpuMs: (user + system) / 1000 };
  };
  const { ms: firstMs } = await once();
  const firstMegabytes = peakMegabytes();
  await repeated(warmMs, once);
  const passes = await repeated(measuredMs, once);
  return {
    ms: median(passes.map(({ ms }) => ms)),
    cpuMs: median(passes.map(({ cpuMs }) => cpuMs)),
    firstMs,
    firstMegabytes,
    megabytes: peakMegabytes(),
  };
}

async function repeated<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end || results.length < 3) results.push(await work());
  return results;
}

function peakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024;
}

const [shape, which, clusters] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure(shape as Shape, which as PlanCase, Number(clusters))));
