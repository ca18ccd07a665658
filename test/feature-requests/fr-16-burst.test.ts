import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { type Seed, seed, seedKey, storeSeedSecrets } from '#test/scenarios/seeds.ts';
import { SimulatedWorld, statusText } from '#test/scenarios/simulated-world.ts';

let world: SimulatedWorld;
beforeAll(async () => {
  world = await SimulatedWorld.start();
  await storeSeedSecrets(world);
  const aws = { namespace: 'aw-claudie-cluster', name: 'aws-secret' };
  const stringData = { accesskey: 'A'.repeat(20), secretkey: 's'.repeat(40) };
  await world.api.putSecret(aws, { apiVersion: 'v1', kind: 'Secret', metadata: aws, stringData });
  world.faults();
});
afterAll(() => world.stop());

describe('FR-16: a pool in another cloud joins an existing cluster', () => {
  test('the plan shows that nothing is replaced, and the run leaves every node as it was', async () => {
    const key = seedKey('fr-16');
    const before = await world.apply(seed('two-subscriptions', key.name));
    expect(statusText(before)).toMatch(/^Done/);
    const burst = withAws(seed('two-subscriptions', key.name));
    const report = await world.api.planManifest(key, { document: burst });
    const [plan] = report.clusters;
    if (plan === undefined) throw new Error('there is no plan');
    expect(plan.waypoints.map(({ direction }) => direction)).toEqual(['grow']);
    const [grow] = describeClusterPlan(plan).waypoints;
    expect(grow?.title).toBe('grow: 2 nodes in burst-aws (aws-1, eu-west-1); nothing that exists is touched');
    const parts = Object.groupBy(grow?.nodes ?? [], ({ part }) => part);
    expect(parts.made).toHaveLength(2);
    expect(parts.stays).toHaveLength(4);
    expect(Object.keys(parts).toSorted()).toEqual(['made', 'stays']);
    const visited = plan.waypoints[0]?.stages.flatMap((stage) =>
      stage.stage === 'infrastructure' ? stage.work.workspaces.map(({ name, destroy }) => `${name} ${destroy}`) : [],
    );
    expect(visited).toEqual(['aws-1 false']);

    const after = await world.apply(burst);
    expect(statusText(after)).toMatch(/^Done/);
    const existing = before.clusters[0]?.nodes ?? [];
    expect(after.clusters[0]?.nodes).toEqual(expect.arrayContaining(existing));
    expect(after.clusters[0]?.nodes).toHaveLength(existing.length + 2);
  });
});

/** The same with two nodes at AWS. */
function withAws(document: Seed): Seed {
  const { providers, nodePools, kubernetes } = document.spec as Seed['spec'] & {
    readonly providers: readonly object[];
    readonly kubernetes: {
      readonly clusters: readonly [
        { readonly pools: { readonly control: readonly string[]; readonly compute: readonly string[] } },
      ];
    };
  };
  const [cluster] = kubernetes.clusters;
  const secretRef = { name: 'aws-secret', namespace: 'aw-claudie-cluster' };
  const pool = {
    name: 'burst-aws',
    providerSpec: { name: 'aws-1', region: 'eu-west-1' },
    count: 2,
    serverType: 't3.medium',
    image: 'ami-made-up',
  };
  const pools = { ...cluster.pools, compute: [...cluster.pools.compute, pool.name] };
  return {
    ...document,
    spec: {
      ...document.spec,
      providers: [...providers, { name: 'aws-1', providerType: 'aws', secretRef }],
      nodePools: { ...nodePools, dynamic: [...nodePools.dynamic, pool] },
      kubernetes: { clusters: [{ ...cluster, pools }] },
    },
  };
}
