/** The machine of the control node that is the API endpoint is lost. */
import { describe, expect, it } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { repairWaypoints } from '#domain/planning/work/repair-plans.ts';
import { controlPool, twoProviderState } from '#test/rendering/states.ts';

function controls(count: number): ClusterState {
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `control-aaaaaaa-0${index + 1}`,
    privateAddress: `192.168.2.1${index}`,
  }));
  const { pools } = twoProviderState();
  return twoProviderState({
    apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' },
    loadBalancers: [],
    pools: [{ ...controlPool, nodes }, ...pools.slice(1)],
  });
}
const lost = (node: string): DriftItem => ({
  kind: 'machine',
  where: { node, provider: 'hz-prod' },
  message: 'gone',
  repairable: true,
  gone: true,
});

describe('a lost API endpoint', () => {
  it('a different control node becomes the endpoint before the lost one is replaced', () => {
    const [move, repair, ...more] = repairWaypoints(controls(3), [lost('control-aaaaaaa-01')]);
    expect(move).toMatchObject({
      direction: 'move',
      target: { apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-02' } },
      changes: [{ kind: 'ApiEndpointMoved' }],
    });
    expect(move?.stages.map(({ stage }) => stage)).toEqual(['configuration', 'nodes']);
    expect(move?.stages[0]?.work).toMatchObject({
      endpoint: ['control-aaaaaaa-02', 'control-aaaaaaa-03', 'workers-bbbbbbb-01', 'basement-01'],
    });
    expect(repair).toMatchObject({ direction: 'repair', target: move?.target });
    expect(repair?.stages.map(({ stage }) => stage)).toContain('kubernetes');
    expect(more).toEqual([]);
  });

  const notReady = (node: string): DriftItem => ({
    kind: 'node',
    where: { node },
    message: `${node} is not ready`,
    repairable: true,
  });
  const older = (node: string): DriftItem => ({ ...notReady(node), kind: 'version' });

  it('a control node that is not ready does not become the endpoint, one of an older version may', () => {
    const [second, third] = ['control-aaaaaaa-02', 'control-aaaaaaa-03'];
    const chosen = (...items: readonly DriftItem[]) =>
      repairWaypoints(controls(3), [lost('control-aaaaaaa-01'), ...items])[0];
    expect(chosen(notReady(second))?.target?.apiEndpoint).toMatchObject({ node: third });
    expect(chosen(notReady(second), older(third))?.target?.apiEndpoint).toMatchObject({ node: third });
    expect(chosen(notReady(second), notReady(third))?.direction).toBe('repair');
  });

  it('the repair alone is left once the endpoint has moved', () => {
    const moved: ClusterState = { ...controls(3), apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-02' } };
    expect(repairWaypoints(moved, [lost('control-aaaaaaa-01')]).map(({ direction }) => direction)).toEqual(['repair']);
  });

  it('an interrupted move away from a lost endpoint continues', () => {
    const current = controls(3);
    const attempted: ClusterState = { ...current, apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-02' } };
    const options = { maxUnavailable: 1, repair: [lost('control-aaaaaaa-01')] };
    const { waypoints } = planClusterPath({ cluster: current.id, current, attempted, desired: current, options });
    expect(waypoints.map(({ direction }) => direction)).toEqual(['move', 'repair']);
  });

  it.each([1, 2])('nothing moves when %i control nodes have lost their quorum', (count) => {
    const path = repairWaypoints(controls(count), [lost('control-aaaaaaa-01')]);
    expect(path.map(({ direction }) => direction)).toEqual(['repair']);
  });

  it('nothing moves when the machine of the endpoint exists and differs', () => {
    const { gone: _gone, ...differs } = lost('control-aaaaaaa-01');
    expect(repairWaypoints(controls(3), [differs]).map(({ direction }) => direction)).toEqual(['repair']);
  });

  it('nothing moves when another node is lost', () => {
    const path = repairWaypoints(controls(3), [lost('control-aaaaaaa-03')]);
    expect(path.map(({ direction }) => direction)).toEqual(['repair']);
  });
});
