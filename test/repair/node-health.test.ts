/** Since when a node is unhealthy, and how many checks found it so. */
import { expect, test } from 'vitest';
import type { NodeObservation } from '#domain/drift.ts';
import { nextHealth, observedNodes } from '#domain/repair/node-health.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const state = twoProviderState();
const names = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'workers-bbbbbbb-01', 'basement-01'];
const worker = 'workers-bbbbbbb-01';
const at = (minutes: number): string =>
  new Date(Date.parse('2026-11-20T12:00:00.000Z') + minutes * 60_000).toISOString();
const seen = (...others: readonly NodeObservation[]): readonly NodeObservation[] => [
  ...names.map((node) => ({ node, health: 'healthy' as const })),
  ...others,
];
const down: NodeObservation = { node: worker, health: 'notReady' };

test('a node that several checks find unhealthy is unhealthy since the first of them, or since the time that Kubernetes reports', () => {
  const first = nextHealth([], { state, seen: seen(down), now: at(0) });
  expect(first).toEqual([{ node: worker, health: 'notReady', looks: 1, seenAt: at(0), since: at(0) }]);
  const second = nextHealth(first, { state, seen: seen({ ...down, since: at(-7) }), now: at(10) });
  expect(second).toMatchObject([{ looks: 2, since: at(-7), seenAt: at(10) }]);
  expect(nextHealth(second, { state, seen: seen(), now: at(20) })).toEqual([]);
});

test('a node whose machine is gone in part is known to be ready in Kubernetes', () => {
  const partly: NodeObservation = { node: worker, health: 'gone', ready: true };
  const health = nextHealth([], { state, seen: seen(partly), now: at(0) });
  expect(health).toMatchObject([partly]);
  expect(observedNodes(state, health, new Set()).find(({ node }) => node === worker)).toMatchObject(partly);
});

test('a check that is repeated within a minute counts once', () => {
  const first = nextHealth([], { state, seen: seen(down), now: at(0) });
  expect(nextHealth(first, { state, seen: seen(down), now: at(0.5) })).toMatchObject([{ looks: 1 }]);
});

test('a node that a check says nothing about is unknown, and keeps what was counted before', () => {
  const first = nextHealth([], { state, seen: seen(down), now: at(0) });
  const blind = nextHealth(first, { state, seen: [], now: at(10) });
  expect(blind.map(({ node, health }) => `${node} ${health}`)).toEqual(names.map((name) => `${name} unknown`));
  expect(blind.find(({ node }) => node === worker)).toMatchObject({ looks: 1, since: at(0) });
  const again = nextHealth(blind, { state, seen: seen(down), now: at(20) });
  expect(again).toMatchObject([{ node: worker, looks: 2, since: at(0) }]);
});

test.each([
  ['unknown', ['unknown'], 20, 1],
  ['unknown twice', ['unknown', 'unknown'], 20, 1],
  ['not ready, then unknown', ['notReady', 'unknown'], 0, 2],
  ['healthy', ['healthy'], 20, 1],
] as const)('a node that is not ready after it was %s is so since a check knew it', (_what, before, since, looks) => {
  const earlier = before.reduce<ReturnType<typeof nextHealth>>(
    (known, health, index) => nextHealth(known, { state, seen: seen({ node: worker, health }), now: at(index * 10) }),
    [],
  );
  const now = nextHealth(earlier, { state, seen: seen(down), now: at(20) });
  expect(now).toMatchObject([{ node: worker, health: 'notReady', since: at(since), looks }]);
});

test('a node is unknown since the first check that could not know it', () => {
  const unknown = { state, seen: seen({ node: worker, health: 'unknown' as const }) };
  const first = nextHealth([], { ...unknown, now: at(0) });
  expect(nextHealth(first, { ...unknown, now: at(10) })).toMatchObject([{ since: at(0) }]);
});

test('nodes of load balancers are not in Kubernetes: only a machine that is gone is known of them', () => {
  expect(nextHealth([], { state, seen: seen(), now: at(0) })).toEqual([]);
  const lost = nextHealth([], { state, seen: seen({ node: 'edge-ccccccc-01', health: 'gone' }), now: at(0) });
  expect(lost).toMatchObject([{ node: 'edge-ccccccc-01', health: 'gone', looks: 1 }]);
});

test('the decision about a repair knows the pool, the region and the requests of each node', () => {
  const health = nextHealth([], { state, seen: seen(down), now: at(0) });
  const observed = observedNodes(state, health, new Set([worker]));
  expect(observed.find(({ node }) => node === worker)).toMatchObject({ health: 'notReady', leaving: true, looks: 1 });
  expect(observed.find(({ node }) => node === 'basement-01')).not.toHaveProperty('place');
  expect(observed).toHaveLength(5);
});
