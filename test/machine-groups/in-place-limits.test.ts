/** How many machines `update: inPlace` may stop at once, and which it may not touch. */
import { describe, expect, it } from 'vitest';
import { allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { leaf, stateOf } from './groups.ts';

const inPlace = { ...leaf, boot: ['true'], update: 'inPlace' };

const planOf = (current: ClusterState, desired: ClusterState, attempted: ClusterState | null = null) =>
  planClusterPath({ cluster: 'c', current, attempted, desired });

/** Per waypoint the groups of the machines that restart, one word for each machine. */
function restartsOf(current: ClusterState, desired: ClusterState): readonly string[] {
  const { waypoints, refusals } = planOf(current, desired);
  expect(refusals).toEqual([]);
  const groups = new Map(allPools(desired).flatMap(({ name, nodes }) => nodes.map((node) => [node.name, name])));
  return waypoints.map(({ stages }) =>
    stages
      .flatMap((stage) => (stage.stage === 'configuration' ? (stage.work.restarted ?? []) : []))
      .map((name) => groups.get(name))
      .join(' '),
  );
}

describe('machines that are changed in place', () => {
  const dns = { dnsZone: 'a.test', provider: 'sim-1' };
  const roles = [{ name: 'http', protocol: 'tcp', port: 80, targetPort: 80, targetPools: ['web'] }];
  const spec = { loadBalancers: { roles, clusters: [{ name: 'lb', roles: ['http'], dns, pools: ['edge'] }] } };
  const withEdge = (edge: object, current: ClusterState | null = null) =>
    stateOf({ web: leaf, edge: { ...inPlace, size: 3, ...edge } }, current, spec);

  it.each([
    ['another server type', {}, { serverType: 'u' }],
    ['a larger disk', { storageDiskSize: 50 }, { storageDiskSize: 60 }],
  ])('machines of a load balancer do not get %s in place: all of them would stop at once', (_what, has, change) => {
    const current = withEdge(has);
    const after = withEdge({ ...has, ...change }, current);
    expect(planOf(current, after)).toMatchObject({
      waypoints: [],
      refusals: [{ reason: expect.stringContaining('edge'), fix: expect.stringContaining('update: surge') }],
    });
  });

  it('two groups never restart in the same waypoint', () => {
    const groups = (serverType: string, size: number) => ({
      a: { ...inPlace, size, serverType },
      b: { ...inPlace, size, serverType },
    });
    const one = stateOf(groups('t', 1));
    expect(restartsOf(one, stateOf(groups('u', 1), one))).toEqual(['a', 'b']);
    const two = stateOf(groups('t', 2));
    expect(restartsOf(two, stateOf(groups('u', 2), two))).toEqual(['a', 'a', 'b', 'b']);
  });

  describe('large groups', () => {
    const groups = (sizes: Readonly<Record<string, number>>, change: object = {}) =>
      Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, { ...inPlace, size, ...change }]));

    it('no more than maxUnavailable machines restart at once, however large the group', () => {
      const current = stateOf(groups({ web: 100 }));
      const rounds = restartsOf(current, stateOf(groups({ web: 100 }, { serverType: 'u' }), current));
      expect(rounds).toEqual(Array.from({ length: 100 }, () => 'web'));
    });

    it.each([
      ['one group', { web: 201 }, 'takes 201 rounds of maxUnavailable machines ("web" 201)', 'maxUnavailable of 3'],
      ['groups together', { a: 60, b: 50 }, 'takes 110 rounds', 'one group after another'],
    ])('a change that takes more rounds than a run has is refused: %s', (_what, sizes, reason, fix) => {
      const current = stateOf(groups(sizes));
      const after = stateOf(groups(sizes, { serverType: 'u' }), current);
      expect(planOf(current, after)).toMatchObject({
        waypoints: [],
        refusals: [{ reason: expect.stringContaining(reason), fix: expect.stringContaining(fix) }],
      });
    });

    it('the maxUnavailable that the refusal suggests is accepted', () => {
      const current = stateOf(groups({ web: 201 }, { maxUnavailable: 3 }));
      const after = stateOf(groups({ web: 201 }, { maxUnavailable: 3, serverType: 'u' }), current);
      expect(restartsOf(current, after)).toHaveLength(67);
    });

    it('many groups that are replaced share the waypoints of a run', () => {
      const many = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`g${at}`, 20]));
      const replace = { update: 'replace', image: 'i' };
      const current = stateOf(groups(many, replace));
      const after = stateOf(groups(many, { ...replace, image: 'j' }), current);
      const { waypoints, refusals } = planOf(current, after);
      expect(refusals).toEqual([]);
      expect(waypoints.length).toBeLessThan(180);
    });
  });

  it('machines that are added at the same time are made with the new server type', () => {
    const current = stateOf({ web: { ...inPlace, size: 1 } });
    const after = stateOf({ web: { ...inPlace, size: 2, serverType: 'u' } }, current);
    const [grown, ...rounds] = planOf(current, after).waypoints.map(({ target }) => target?.pools[0]);
    expect(grown).toMatchObject({ source: { serverType: 't' }, nodes: [{}, { serverType: 'u' }] });
    expect(grown?.nodes[0]).not.toHaveProperty('serverType');
    expect(rounds).toEqual(after.pools);
  });
});

describe('a data disk that was made larger by a run that failed', () => {
  /** A cloud that grows disks. */
  const onAws = (pool: NodePoolState): NodePoolState =>
    pool.source.kind === 'static'
      ? pool
      : { ...pool, source: { ...pool.source, provider: { ...pool.source.provider, type: 'aws' } } };
  const withDisk = (storageDiskSize: number, current: ClusterState | null = null): ClusterState => {
    const state = stateOf({ web: { ...inPlace, storageDiskSize } }, current);
    return { ...state, pools: state.pools.map(onAws) };
  };
  const current = withDisk(60);
  const attempted = withDisk(100, current);

  it.each([60, 80])('shrinking a disk to %d GB is refused', (size) => {
    expect(planOf(current, withDisk(size, current), attempted)).toMatchObject({
      waypoints: [],
      refusals: [{ reason: expect.stringContaining('100 GB'), fix: expect.stringContaining('100 GB or more') }],
    });
  });

  it.each([100, 120])('the disk may become as large as was tried, or larger: %d GB', (size) => {
    const { waypoints, refusals } = planOf(current, withDisk(size, current), attempted);
    expect(refusals).toEqual([]);
    expect(waypoints).toHaveLength(1);
  });
});
