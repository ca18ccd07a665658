/** Demand, the requests in addition to a manifest: when it is reached, and how plans fulfil it. */
import { describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { type Demand, noDemand, openDemand, sizesOf, withoutFailed } from '#domain/demand.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';
import { pathText } from './planned.ts';

const at = '2026-11-23T03:00:00.000Z';
const scaled = (min: number, max: number): ManifestSpec => ({
  dynamic: [control(1), compute(0, { autoscaler: { min, max } })],
});
const bounds = { compute: { min: 1, max: 5 } };
const three = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(3)] }) });
const current = desiredOf({ manifest: manifestOf(scaled(1, 5)), current: three, ids: 'y' });
const nodesOf = (state: ClusterState, pool = 'compute') =>
  state.pools.find(({ name }) => name === pool)?.nodes.map(({ name }) => name) ?? [];
const [first = '', second = ''] = nodesOf(current);

const sized = (count: number): Demand => ({ ...noDemand, sizes: { compute: { count, at, by: 'ann' } } });
const replacing = (...nodes: string[]): Demand => ({
  ...noDemand,
  replace: nodes.map((node) => ({ node, because: 'it hangs', at, by: 'healing' })),
});

/** The path that a demand leads to, and the demand that is left at its end. */
function served(demand: Demand, spec = scaled(1, 5), from = current) {
  const manifest = manifestOf(spec);
  const open = openDemand(demand, { current: from, attempted: null, bounds });
  const leaving = open.replace.map(({ node }) => node);
  const desired = desiredOf({ manifest, current: from, leaving, sizes: sizesOf(open), ids: 'z' });
  const plan = planClusterPath({ cluster: 'c', current: from, attempted: null, desired });
  const left = openDemand(open, { current: desired, attempted: null, bounds });
  return { path: pathText(plan).map((text) => text.split(':')[0]), refusals: plan.refusals, desired, left };
}

describe('plans with a demand', () => {
  test.each([
    { title: 'a pool grows to the size that is asked for', demand: sized(5), path: ['grow'], nodes: 5 },
    { title: 'a pool shrinks to the size that is asked for', demand: sized(1), path: ['shrink'], nodes: 1 },
    { title: 'a size above the bounds is the most', demand: sized(9), path: ['grow'], nodes: 5 },
    { title: 'a size below the bounds is the fewest', demand: sized(0), path: ['shrink'], nodes: 1 },
    { title: 'a size that the pool has changes nothing', demand: sized(3), path: [], nodes: 3 },
    {
      title: 'a replaced node makes room for another one first',
      demand: replacing(first),
      path: ['grow', 'shrink'],
      nodes: 3,
    },
    {
      title: 'all nodes of a pool can be replaced at once',
      demand: replacing(...nodesOf(current)),
      path: ['grow', 'shrink'],
      nodes: 3,
    },
    {
      title: 'a node that leaves with its place is only removed',
      demand: { ...sized(2), replace: replacing(first).replace },
      path: ['shrink'],
      nodes: 2,
    },
  ])('$title', ({ demand, path, nodes }) => {
    const plan = served(demand);
    expect(plan.path).toEqual(path);
    expect(nodesOf(plan.desired)).toHaveLength(nodes);
    for (const { node } of demand.replace) expect(nodesOf(plan.desired)).not.toContain(node);
    expect(plan.left).toEqual(noDemand);
  });

  test('a pool with a fixed count ignores a requested size, which is removed from the demand', () => {
    const fixed = { dynamic: [control(1), compute(3)] };
    const open = openDemand(sized(5), { current, attempted: null, bounds: {} });
    expect(open).toEqual(noDemand);
    expect(served(noDemand, fixed).desired.pools[1]?.nodes).toHaveLength(3);
  });

  test('a replaced control node leaves only after another one has joined', () => {
    const spec = { dynamic: [control(3), compute(2)] };
    const before = desiredOf({ manifest: manifestOf(spec) });
    const [brain = ''] = nodesOf(before, 'control');
    const plan = served(replacing(brain), spec, before);
    expect(plan.path).toEqual(['grow', 'move', 'shrink']);
    expect(nodesOf(plan.desired, 'control')).toHaveLength(3);
    expect(plan.refusals).toEqual([]);
  });

  test('a node of a protected pool is not replaced', () => {
    const spec = { dynamic: [control(1), compute(3, { protect: true })] };
    const before = desiredOf({ manifest: manifestOf(spec) });
    const plan = served(replacing(nodesOf(before)[0] ?? ''), spec, before);
    expect(plan.refusals.map(({ reason }) => reason).join()).toContain('is protected');
  });

  test('a replacement keeps the number of its pool while its node is there, at every step on the way', () => {
    const open = openDemand(replacing(first), { current, attempted: null, bounds });
    expect(open.sizes).toEqual({ compute: { count: 3, at, by: 'healing', kept: true } });
    const added = { ...current, pools: current.pools.map((pool) => ({ ...pool, nodes: [...pool.nodes] })) };
    added.pools[1]?.nodes.push({ name: 'compute-new', privateAddress: '192.168.2.99' });
    expect(openDemand(open, { current: added, attempted: null, bounds })).toEqual(open);
    expect(openDemand(open, { current, attempted: added, bounds })).toEqual(open);
  });

  test('a replacement of a missing or static node is removed from the demand', () => {
    const rack = { static: [{ name: 'rack', endpoints: ['203.0.113.1'] }], dynamic: [control(1)], compute: ['rack'] };
    const racked = desiredOf({ manifest: manifestOf(rack) });
    expect(openDemand(replacing('gone-01'), { current, attempted: null, bounds })).toEqual(noDemand);
    expect(openDemand(replacing('rack-01'), { current: racked, attempted: null, bounds: {} })).toEqual(noDemand);
  });

  test('a size of a pool that does not exist yet waits for it', () => {
    const asked = { ...noDemand, sizes: { other: { count: 2, at, by: 'ann' } } };
    const open = openDemand(asked, { current, attempted: null, bounds: { other: { min: 0, max: 3 } } });
    expect(open).toEqual(asked);
  });
});

describe('switching autoscaling on and off', () => {
  const count = (number: number): ManifestSpec => ({ dynamic: [control(1), compute(number)] });
  test.each([
    { title: 'a fixed pool becomes autoscaled', from: three, to: scaled(1, 5), path: ['settle'], nodes: 3 },
    { title: 'an autoscaled pool becomes fixed', from: current, to: count(3), path: ['settle'], nodes: 3 },
    { title: 'min and max change around the number', from: current, to: scaled(3, 9), path: ['settle'], nodes: 3 },
    {
      title: 'a min above the number grows the pool',
      from: current,
      to: scaled(4, 9),
      path: ['grow', 'settle'],
      nodes: 4,
    },
  ])('$title', ({ from, to, path, nodes }) => {
    const plan = served(noDemand, to, from);
    expect(plan.path).toEqual(path);
    expect(nodesOf(plan.desired)).toHaveLength(nodes);
    if (nodes === 3) expect(nodesOf(plan.desired)).toEqual(nodesOf(from));
  });

  test('an autoscaled pool whose templates change keeps its number', () => {
    const manifest = manifestOf(scaled(1, 5));
    const desired = desiredOf({ manifest, current, templates: { 'aws-1': 'git@2' }, ids: 'z' });
    expect(desired.pools[1]?.id).not.toBe(current.pools[1]?.id);
    expect(nodesOf(desired)).toHaveLength(3);
  });
});

describe('a grow that failed', () => {
  const failure = { at, class: 'capacity', code: 'OutOfStock', message: 'none left' } as const;
  const to = served(sized(5)).desired;

  test('a size whose grow failed is removed from the demand and recorded as failed', () => {
    const demand = sized(5);
    expect(withoutFailed(demand, { served: demand, from: current, to, failure })).toEqual({
      ...noDemand,
      failures: { compute: { ...failure, count: 5 } },
    });
  });

  test('a replacement whose grow failed is removed from the demand, with the node count that it kept', () => {
    const open = openDemand(replacing(first, second), { current, attempted: null, bounds });
    const left = withoutFailed(open, { served: open, from: current, to, failure });
    expect(left).toMatchObject({ sizes: {}, replace: [] });
  });

  test('later requests, and requests that the failed grow did not serve, stay in the demand', () => {
    const newer = sized(4);
    expect(withoutFailed(newer, { served: sized(5), from: current, to, failure })).toEqual(newer);
    const other = { ...noDemand, sizes: { other: { count: 2, at, by: 'ann' } } };
    expect(withoutFailed(other, { served: other, from: current, to, failure })).toEqual(other);
  });
});
