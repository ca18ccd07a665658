/** After a repair, or a check that decides nothing: nodes that are back are no longer shown as gone. */
import { describe, expect, test } from 'vitest';
import type { ClusterDrift, NodeHealthRecord } from '#domain/drift.ts';
import { withoutRecreated, withSeenHealthy } from '#domain/repair/after-repair.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const state = twoProviderState();
const at = '2026-11-20T12:00:00.000Z';
const row = (node: string, health: NodeHealthRecord['health'] = 'gone'): NodeHealthRecord => ({
  node,
  health,
  looks: 2,
  seenAt: at,
  since: at,
});
const [first, second] = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];
const drift = (change: Partial<ClusterDrift>): ClusterDrift => ({
  checkedAt: at,
  runId: 'shop-g1-a1',
  items: [],
  unchecked: [],
  outcome: 'x',
  ...change,
});
const machine = (node: string, gone: boolean) => ({
  kind: 'machine' as const,
  where: { node },
  message: `${node} is gone`,
  repairable: true,
  ...(gone && { gone: true as const }),
});

describe('nodes that are back', () => {
  test('a node whose machine a repair recreated is not shown as gone any more, and others stay', () => {
    const items = [machine(first, true), machine(second, false)];
    const repair = { state: 'made' as const, runId: 'shop-g1-a1', at, items };
    const before = drift({ health: [row(first), row(second, 'notReady')], repair });
    expect(withoutRecreated(before, state)).toEqual({ ...before, health: [row(second, 'notReady')] });
  });

  test('an outage of which nothing is left is over, and one of which enough is left lasts', () => {
    const outage = '2 of 3 nodes of hz-prod are down';
    const health = [row(first), row(second)];
    const seen = (...names: readonly string[]) => names.map((node) => ({ node, health: 'healthy' as const }));
    expect(withSeenHealthy({ health, outage }, { state, seen: seen(first, second) })).toEqual({});
    expect(withSeenHealthy({ health, outage }, { state, seen: seen(first) })).toEqual({ health: [row(second)] });
    expect(withSeenHealthy({ health, outage }, { state, seen: [] })).toEqual({ health, outage });
  });

  test('a node that a check could not see, or sees as unhealthy, stays what it was', () => {
    const health = [row(first), row(second, 'notReady')];
    const seen = [
      { node: first, health: 'unknown' as const },
      { node: second, health: 'gone' as const },
    ];
    expect(withSeenHealthy({ health }, { state, seen })).toEqual({ health });
  });
});
