/** Benchmarks, all in one run, as JSON: `node bench/run.ts [one] [many] [plan] [inventory] [inventoryRoute] [groups] [load] [burst] [racers] [hostile] [table] [hosts]` (default: one, many, plan; hosts needs root). */
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measureBurst } from './burst.ts';
import { measureHosts } from './create-on-hosts.ts';
import { measureHostile } from './hostile.ts';
import { measureInventory } from './inventory.ts';
import { measureInventoryRoute } from './inventory-route.ts';
import { measureLoad } from './load.ts';
import { measureGroups } from './machine-groups.ts';
import { measureMany } from './many-manifests.ts';
import { measureOne } from './one-manifest.ts';
import { measurePlan } from './plan.ts';
import { measureRacers } from './racers.ts';
import { measureTable } from './table-units.ts';

const benches = {
  one: measureOne,
  many: measureMany,
  load: measureLoad,
  burst: measureBurst,
  racers: measureRacers,
  hostile: measureHostile,
  plan: measurePlan,
  inventory: measureInventory,
  inventoryRoute: measureInventoryRoute,
  groups: measureGroups,
  table: measureTable,
  hosts: measureHosts,
} as const;
type Bench = keyof typeof benches;

const asked = process.argv.slice(2).filter((name): name is Bench => name in benches);
const chosen: readonly Bench[] = asked.length > 0 ? asked : ['one', 'many', 'plan'];
process.env.KUBELOOM_LOG = 'none';
// Users have compiled code of earlier commands and runs: here of earlier benchmarks.
const compiled = fileURLToPath(new URL('../node_modules/.cache/kubeloom-bench', import.meta.url));
enableCompileCache(compiled);
process.env.NODE_COMPILE_CACHE = compiled;
const results: Record<string, unknown> = {};
for (const name of chosen) results[name] = await benches[name]();
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
process.stdout.write(
  `${JSON.stringify({ kubeloom: version, node: process.version, cores: cpus().length, ...results }, null, 2)}\n`,
);
process.exit(0);
