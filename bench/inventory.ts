/**
 * An inventory of 5 environments, 8 customers, 20 sites and 200 clusters, and ones of twice and four times the size: resolve all, explain
 * one, plan a change at the top. Without a data base: `node bench/inventory.ts`, or `node bench/run.ts inventory`.
 */

import { explainResolution } from '#domain/inventory/explain-values.ts';
import {
  InventoryCluster,
  InventoryLayer,
  InventoryTemplate,
  type Recorded,
} from '#domain/inventory/inventory-documents.ts';
import { type Inventory, indexInventory } from '#domain/inventory/inventory-index.ts';
import { inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { readObjects } from '../functions/documents/read-objects.ts';
import { growthExponent, round, setting } from './numbers.ts';

const repeats = setting('BENCH_REPEATS', 7);
const scales = [1, 2, 4] as const;

export async function measureInventory() {
  // What runs first is not compiled yet.
  measureScale(scales[0]);
  const cells = scales.map(measureScale);
  const exponent = (part: 'resolve' | 'plan') => growthExponent(cells.map((cell) => [cell.clusters, cell[part].cpuMs]));
  return {
    what: 'resolve every cluster, explain one, plan one changed line of the environment of all; the fastest of some repeats, for 200 clusters, twice and four times that',
    aim: { resolveMs: 1000, explainMs: 50, planMs: 10_000, exponent: 1.2 },
    cells,
    exponent: { resolve: exponent('resolve'), plan: exponent('plan') },
  };
}

function measureScale(scale: number) {
  const inventory = benchInventory(scale);
  const resolveAll = (one: Inventory) => {
    const index = indexInventory(one);
    return index.clusters.map((cluster) => resolveCluster(cluster, index));
  };
  const after = withVersion(inventory, '1.36.0');
  const [first] = resolveAll(inventory);
  if (first?.document === undefined)
    throw new Error(`the inventory of the benchmark has faults: ${first?.faults[0]?.reason}`);
  const { manifest, faults } = validateManifest(first.document, { readObjects });
  if (manifest === undefined) throw new Error(`the manifest has faults: ${JSON.stringify(faults[0])}`);
  return {
    clusters: inventory.clusters.length,
    leaves: first.uses().size,
    resolve: fastest(() => resolveAll(inventory)),
    resolveAndValidate: fastest(() =>
      resolveAll(inventory).map(({ document }) => validateManifest(document, { readObjects })),
    ),
    explain: fastest(() => {
      const index = indexInventory(inventory);
      const [cluster] = index.clusters;
      return cluster && explainResolution(resolveCluster(cluster, index), manifest);
    }),
    plan: fastest(() => inventoryImpact(inventory, after)),
    changes: inventoryImpact(inventory, after).counts.changes,
  };
}

/** On a busy machine the time of the clock says little about growth: the exponent is that of the CPU's. */
function fastest(work: () => unknown): { readonly ms: number; readonly cpuMs: number } {
  const times = Array.from({ length: repeats }, () => {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    work();
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
  });
  return {
    ms: round(Math.min(...times.map(({ ms }) => ms))),
    cpuMs: round(Math.min(...times.map(({ cpuMs }) => cpuMs))),
  };
}

const recorded = <Document>(document: Document): Recorded<Document> => ({ document, generation: 1, by: 'bench' });
const head = { apiVersion: 'kubeloom.dev/v1' } as const;

export function benchInventory(scale: number): Inventory {
  const layer = (name: string, level: string, values: object) =>
    recorded(InventoryLayer.parse({ ...head, kind: 'InventoryLayer', metadata: { name }, spec: { level, values } }));
  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count * scale }, (_, index) => item(index));
  const layers = [
    ...many(5, (index) =>
      layer(`env-${index}`, 'environment', {
        kubernetes: { version: '1.35.2' },
        image: 'linux',
        pools: {
          control: { role: 'control', count: 3, serverType: 'small' },
          web: { role: 'compute', count: 2, serverType: 'small' },
          db: { role: 'compute', count: 3, serverType: 'large' },
        },
      }),
    ),
    ...many(8, (index) =>
      layer(`customer-${index}`, 'customer', {
        labels: { customer: `c${index}` },
        pools: { web: { count: 3 + (index % 3) } },
      }),
    ),
    ...many(20, (index) =>
      layer(`site-${index}`, 'site', { region: `region-${index}`, labels: { site: `s${index}` } }),
    ),
    layer('sim', 'infraProvider', { provider: { name: 'sim-1', type: 'sim' } }),
  ];
  const clusters = many(200, (index) => {
    const names = {
      environment: `env-${index % (5 * scale)}`,
      customer: `customer-${index % (8 * scale)}`,
      site: `site-${index % (20 * scale)}`,
      infraProvider: 'sim',
    };
    const values = {
      network: `192.168.${2 + (index % 250)}.0/24`,
      ...(index % 10 === 0 && { pools: { gpu: { role: 'compute', count: 1, serverType: 'gpu' } } }),
    };
    const spec = { layers: names, template: 'standard@3', values };
    return recorded(
      InventoryCluster.parse({ ...head, kind: 'InventoryCluster', metadata: { name: `cluster-${index}` }, spec }),
    );
  });
  return { layers, clusters, templates: [recorded(InventoryTemplate.parse(standard))] };
}

export function withVersion(inventory: Inventory, version: string): Inventory {
  const layers = inventory.layers.map((one) =>
    one.document.spec.level === 'environment'
      ? {
          ...one,
          document: {
            ...one.document,
            spec: { ...one.document.spec, values: { ...one.document.spec.values, kubernetes: { version } } },
          },
        }
      : one,
  );
  return { ...inventory, layers };
}

const namesOf = (role: string) => [
  {
    $for: 'pool',
    $key: 'name',
    $in: 'values.pools',
    $do: { $if: { equals: ['${pool.role}', role] }, $then: '${name}' },
  },
];
const standard = {
  ...head,
  kind: 'InventoryTemplate',
  metadata: { name: 'standard' },
  spec: {
    version: 3,
    parts: {
      pool: {
        name: '${name}',
        providerSpec: { name: '${values.provider.name}', region: '${values.region}' },
        count: '${pool.count}',
        serverType: '${pool.serverType}',
        image: '${values.image}',
        labels: '${values.labels}',
      },
    },
    document: {
      spec: {
        providers: [{ name: '${values.provider.name}', providerType: '${values.provider.type}' }],
        nodePools: {
          dynamic: [
            {
              $for: 'pool',
              $key: 'name',
              $in: 'values.pools',
              $do: { $include: 'pool', $with: { name: '${name}', pool: '${pool}' } },
            },
          ],
        },
        kubernetes: {
          clusters: [
            {
              name: '${cluster.name}',
              version: '${values.kubernetes.version}',
              network: '${values.network}',
              pools: { control: namesOf('control'), compute: namesOf('compute') },
            },
          ],
        },
      },
    },
  },
};

if (import.meta.filename === process.argv[1]) {
  process.stdout.write(`${JSON.stringify(await measureInventory(), null, 2)}\n`);
}
