/** Nodes whose cloud takes their machines: replaced at once, within the limits of all repairs. */
import { expect, test } from 'vitest';
import { assessRepair } from '#domain/repair/assess-repair.ts';
import type { ObservedNode, RepairPolicy } from '#domain/repair/observed-node.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const policy: RepairPolicy = {
  onUnhealthy: 'replace',
  after: 10,
  looks: 2,
  startAfter: 20,
  atOnce: 1,
  perHour: 2,
  maxUnhealthy: 40,
};

/** The first of six is new, and its cloud ends its machine. */
function workers(change: Partial<ObservedNode> = {}, last: Partial<ObservedNode> = {}): readonly ObservedNode[] {
  const createdAt = new Date(now.getTime() - 60_000).toISOString();
  return Array.from({ length: 6 }, (_, at) => ({
    node: `work-${at}`,
    pool: 'work',
    role: 'compute',
    place: { provider: 'cloud', region: 'fra' },
    protect: false,
    locked: false,
    health: 'healthy',
    looks: 0,
    ...(at === 0 && { notice: 'ends', createdAt, ...change }),
    ...(at === 5 && last),
  }));
}

const assess = (observed: readonly ObservedNode[], change: Partial<RepairPolicy> = {}, left = 10) =>
  assessRepair({
    observed,
    now,
    ledger: { replaced: [], installation: { left, freeAt: now.toISOString() } },
    policies: { work: { ...policy, ...change } },
  });

test('a node whose cloud takes its machine is replaced at once, though it is ready and new', () => {
  const replace = [{ node: 'work-0', because: 'its cloud ends its machine', how: 'replace' }];
  expect(assess(workers())).toEqual({ replace, refused: [] });
});

test.each<[string, readonly ObservedNode[], Partial<RepairPolicy>]>([
  ['its state is not known', workers({ health: 'unknown' }), {}],
  ['the manifest says to report only', workers(), { onUnhealthy: 'report' }],
  ['its machine exists, and its pool has no `repair`', workers(), { onUnhealthy: 'recreate' }],
  ['pool work is protected', workers({ protect: true }), {}],
  ['it has the label upgrade-lock', workers({ locked: true }), {}],
  ['the replacement of work-5 is not ready yet', workers({}, { leaving: true }), {}],
  ['no quorum', workers({ role: 'control' }), {}],
])('a node whose cloud takes its machine is not replaced where %s', (because, observed, change) => {
  const { replace, refused } = assess(observed, change);
  expect(replace).toEqual([]);
  expect(refused).toMatchObject([{ node: 'work-0', because: expect.stringContaining(because) }]);
});

test('a node whose cloud takes its machine is not replaced when the budget of the installation is used up', () => {
  expect(assess(workers(), {}, 0).replace).toEqual([]);
});
