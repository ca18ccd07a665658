/** Plans without anything around them: a manifest of 10,000 nodes, how that grows, and one small change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterState } from '#domain/cluster-state.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';

const poolsOfCluster = 10;
const nodesOfPool = 10;
const sizes = [10, 100] as const;
const smallRepeats = 200;

interface Planned {
  readonly states: readonly (ClusterState | null)[];
  readonly plans: readonly ClusterPlan[];
}

export async function measurePlan() {
  const rows = [];
  for (const clusters of sizes) rows.push(await measureSize(clusters));
  const [small, large] = rows;
  const growth = (part: 'createMs' | 'changeMs'): number =>
    small && large
      ? round(Math.log10(large[part] / small[part]) / Math.log10(large.clusters / small.clusters))
      : Number.NaN;
  return {
    what: 'plan of 1 manifest with 100 clusters × 10 pools × 10 nodes; of one change to one 3-node cluster',
    aim: { ms: 1500, megabytes: 300, smallMs: 5 },
    sizes: rows,
    exponents: { create: growth('createMs'), change: growth('changeMs') },
    smallChangeMs: measureSmallChange(),
  };
}

/** Best of three, so that what else runs on the machine counts less; memory is the most of all. */
async function measureSize(clusters: number) {
  let best = { parseMs: Infinity, createMs: Infinity, changeMs: Infinity };
  let megabytes = 0;
  for (let round = 0; round < 3; round += 1) {
    await sleep(10);
    const [document, parseMs] = timed(() => InputManifest.parse(manifestDocument(clusters, nodesOfPool)));
    const [created, createMs] = timed(() => planAll(document, () => null));
    const grown = InputManifest.parse(manifestDocument(clusters, nodesOfPool + 1));
    const [changed, changeMs] = timed(() => planAll(grown, (index) => created.states[index] ?? null));
    check(created, clusters, 'grow');
    check(changed, clusters, 'grow');
    megabytes = Math.max(megabytes, process.memoryUsage.rss() / 1e6);
    best = {
      parseMs: Math.min(best.parseMs, parseMs),
      createMs: Math.min(best.createMs, createMs),
      changeMs: Math.min(best.changeMs, changeMs),
    };
  }
  const nodes = clusters * poolsOfCluster * nodesOfPool;
  return { clusters, nodes, ...mapped(best, Math.round), megabytes: Math.round(megabytes) };
}

/** One more node in one pool of a cluster of three: desired state and plan. Median, ms. */
function measureSmallChange(): number {
  const before = InputManifest.parse(smallDocument(2));
  const after = InputManifest.parse(smallDocument(3));
  const { states } = planAll(before, () => null);
  const times = Array.from({ length: smallRepeats }, () => timed(() => planAll(after, () => states[0] ?? null))[1]);
  return Math.round((times.toSorted((left, right) => left - right)[smallRepeats / 2] ?? 0) * 1000) / 1000;
}

function planAll(manifest: InputManifest, existing: (index: number) => ClusterState | null): Planned {
  const states: (ClusterState | null)[] = [];
  const plans = manifest.spec.kubernetes.clusters.map(({ name }, index) => {
    const current = existing(index);
    const question = {
      manifest,
      cluster: name,
      current,
      attempted: null,
      templates: {},
      ids: counting(index, current),
    };
    const desired = buildDesiredState(question);
    states.push(desired);
    return planClusterPath({ cluster: name, current, attempted: null, desired });
  });
  return { states, plans };
}

function check({ plans }: Planned, clusters: number, direction: string): void {
  const good = plans.filter((plan) => plan.refusals.length === 0 && plan.waypoints[0]?.direction === direction);
  if (good.length !== clusters)
    throw new Error(`${clusters - good.length} of ${clusters} plans are not as they should be`);
}

/** The first pool of every cluster has `first` nodes. */
function manifestDocument(clusters: number, first: number): unknown {
  const names = Array.from({ length: poolsOfCluster }, (_, index) => `pool-${index}`);
  const [control = '', , ...rest] = names;
  const dynamic = names.map((name, index) => pool(name, `sim-${index % 4}`, index === 0 ? first : nodesOfPool));
  return document(
    dynamic,
    Array.from({ length: clusters }, (_, index) => ({
      name: `cluster-${index}`,
      version: '1.36.0',
      network: '10.128.0.0/16',
      pools: { control: [control], compute: rest },
    })),
    Array.from({ length: clusters }, (_, index) => ({
      name: `lb-${index}`,
      roles: ['apiserver'],
      dns: { dnsZone: 'bench.test', provider: 'sim-0' },
      targetedK8s: `cluster-${index}`,
      pools: ['pool-1'],
    })),
    control,
  );
}

function smallDocument(nodes: number): unknown {
  const dynamic = [pool('control', 'sim-0', 1), pool('compute', 'sim-1', nodes)];
  const cluster = {
    name: 'small',
    version: '1.36.0',
    network: '192.168.2.0/24',
    pools: { control: ['control'], compute: ['compute'] },
  };
  return document(dynamic, [cluster], [], 'control');
}

function document(
  dynamic: readonly unknown[],
  clusters: readonly unknown[],
  balancers: readonly unknown[],
  control: string,
) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'bench' },
    spec: {
      providers: [0, 1, 2, 3].map((index) => ({ name: `sim-${index}`, providerType: 'sim' })),
      nodePools: { dynamic },
      kubernetes: { clusters },
      loadBalancers: {
        roles: [{ name: 'apiserver', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: [control] }],
        clusters: balancers,
      },
    },
  };
}

function pool(name: string, provider: string, count: number) {
  return { name, count, providerSpec: { name: provider, region: 'here' }, serverType: 'host', image: 'debian' };
}

/** Names that are never the same twice: a counter behind the number of the cluster. */
function counting(cluster: number, current: ClusterState | null): { hash(length: number): string } {
  let count = 0;
  const mark = current === null ? 'a' : 'b';
  return { hash: (length) => `${mark}${cluster.toString(36)}${(++count).toString(36)}`.padStart(length, '0') };
}

function timed<Result>(work: () => Result): [Result, number] {
  const started = performance.now();
  const result = work();
  return [result, performance.now() - started];
}

function mapped<Fields extends Readonly<Record<string, number>>>(fields: Fields, change: (value: number) => number) {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)])) as {
    [Key in keyof Fields]: number;
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;
