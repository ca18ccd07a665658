/** Which unhealthy nodes are replaced, and why others are not. */
import { describe, expect, test } from 'vitest';
import { assessRepair } from '#domain/repair/assess-repair.ts';
import type { ObservedNode, RepairLedger, RepairPolicy } from '#domain/repair/observed-node.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const minutesAgo = (minutes: number): string => new Date(now.getTime() - minutes * 60_000).toISOString();

const policy: RepairPolicy = {
  onUnhealthy: 'replace',
  after: 10,
  looks: 2,
  startAfter: 20,
  atOnce: 1,
  perHour: 2,
  maxUnhealthy: 40,
};
const nothingSpent: RepairLedger = { replaced: [], installation: { left: 10, freeAt: minutesAgo(-60) } };

const node = (name: string, change: Partial<ObservedNode> = {}): ObservedNode => ({
  node: name,
  pool: 'work',
  role: 'compute',
  place: { provider: 'cloud', region: 'fra' },
  protect: false,
  locked: false,
  health: 'healthy',
  looks: 0,
  ...change,
});
const down = { health: 'notReady', since: minutesAgo(11), looks: 2 } as const;

/** Six workers, of which the first `count` are down, and what is different about these. */
function workers(count: number, change: Partial<ObservedNode> = {}): readonly ObservedNode[] {
  return Array.from({ length: 6 }, (_, at) => node(`work-${at}`, at < count ? { ...down, ...change } : {}));
}
const controls = (healthy: number, of: number): readonly ObservedNode[] =>
  Array.from({ length: of }, (_, at) =>
    node(`control-${at}`, {
      pool: 'control',
      role: 'control',
      place: { provider: `cloud-${at}`, region: 'fra' },
      ...(at >= healthy && down),
    }),
  );

const assess = (
  observed: readonly ObservedNode[],
  change: Partial<RepairPolicy> = {},
  ledger: Partial<RepairLedger> = {},
) =>
  assessRepair({
    observed,
    now,
    ledger: { ...nothingSpent, ...ledger },
    policies: { work: { ...policy, ...change }, control: { ...policy, ...change } },
  });

test('a node that is not ready for long enough in two checks is replaced', () => {
  expect(assess(workers(1))).toEqual({
    replace: [{ node: 'work-0', because: 'not ready for 11 min', how: 'replace' }],
    refused: [],
  });
});

test('a node whose machine is gone is replaced, too', () => {
  expect(assess(workers(1, { health: 'gone' })).replace).toMatchObject([{ because: 'its machine is gone' }]);
});

test('a node that Kubernetes reports as ready is not replaced, though a part of its machine is gone', () => {
  const partly = { health: 'gone', ready: true } as const;
  const { replace, refused } = assess(workers(1, { ...partly, looks: 1 }));
  expect(replace).toEqual([]);
  expect(refused).toMatchObject([{ because: expect.stringContaining('ready'), until: minutesAgo(-15) }]);
  // A person has to look: more checks would find the same.
  expect(assess(workers(1, partly)).refused[0]).not.toHaveProperty('until');
  expect(assess(workers(1, partly), { onUnhealthy: 'recreate' }).replace).toMatchObject([{ how: 'recreate' }]);
});

test('nothing is replaced where every node is healthy', () => {
  expect(assess(workers(0))).toEqual({ replace: [], refused: [] });
});

test('a node whose replacement is requested already is not requested again', () => {
  expect(assess(workers(1, { leaving: true }))).toEqual({ replace: [], refused: [] });
});

describe('what stays', () => {
  const cases: readonly (readonly [
    string,
    readonly ObservedNode[],
    Partial<RepairPolicy>,
    string,
    string | undefined,
  ])[] = [
    ['whose state is not known', workers(1, { health: 'unknown' }), {}, 'not known', minutesAgo(-15)],
    ['of a pool that is only reported', workers(1), { onUnhealthy: 'report' }, 'report only', undefined],
    ['of a protected pool', workers(1, { protect: true }), {}, 'protected', undefined],
    ['with a lock', workers(1, { locked: true }), {}, 'upgrade-lock', minutesAgo(-15)],
    ['that is unhealthy for a short time', workers(1, { since: minutesAgo(4) }), {}, 'after 10 min', minutesAgo(-6)],
    ['that one check found', workers(1, { looks: 1 }), {}, 'another check', now.toISOString()],
    ['that is new', workers(1, { createdAt: minutesAgo(12) }), {}, '20 min to become ready', minutesAgo(-8)],
    ['whose machine exists, where only gone ones are', workers(1), { onUnhealthy: 'recreate' }, 'exists', undefined],
  ];
  test.each(cases)('a node %s is not replaced, and the reason is given', (_what, observed, change, because, until) => {
    const { replace, refused } = assess(observed, change);
    expect(replace).toEqual([]);
    expect(refused).toEqual([
      { node: 'work-0', because: expect.stringContaining(because), ...(until !== undefined && { until }) },
    ]);
  });

  test.each([
    [4, 15],
    [60, 60],
    [7200, 360],
  ])('a problem that has lasted for %i min is checked again after %i min', (lasted, pause) => {
    const { refused } = assess(workers(1, { health: 'unknown', since: minutesAgo(lasted) }));
    expect(refused).toMatchObject([{ until: minutesAgo(-pause) }]);
  });

  test('a node whose state is not known waits for the next check, where only gone machines are recreated', () => {
    const { refused } = assess(workers(1, { health: 'unknown' }), { onUnhealthy: 'recreate' });
    expect(refused).toEqual([{ node: 'work-0', because: 'its state is not known' }]);
  });

  test('a check by a person is reported as such, and not as configured in the manifest', () => {
    const { refused } = assess(workers(1), { onUnhealthy: 'report', onRequest: true });
    expect(refused).toMatchObject([{ because: 'this check was asked for, and such a check replaces nothing' }]);
  });

  test('a machine of the user is never replaced: the reason says what to do', () => {
    const { place: _place, ...own } = node('own-01', { pool: 'own', ...down });
    expect(assess([own, ...workers(0)])).toMatchObject({
      replace: [],
      refused: [{ node: 'own-01', because: expect.stringContaining('restart it, or remove it from the manifest') }],
    });
  });
});

describe('many at once', () => {
  test('half of a region that is down is an outage: it is named, and nothing is replaced', () => {
    const { replace, refused, outage } = assess(workers(4));
    expect(replace).toEqual([]);
    expect(outage).toMatchObject({
      provider: 'cloud',
      region: 'fra',
      of: 6,
      nodes: ['work-0', 'work-1', 'work-2', 'work-3'],
    });
    expect(refused).toHaveLength(4);
    expect(refused[0]?.because).toBe(
      '4 of 6 nodes of cloud in fra are down at once: that is an outage, and new machines would not help',
    );
  });

  test('what could not be checked is not called down: nothing is replaced, and the reason says so', () => {
    const unknown = { health: 'unknown', looks: 0 } as const;
    const observed = workers(3).map((one, at) =>
      at === 0 ? { ...one, ...down, health: 'gone' as const } : at < 3 ? { ...one, ...unknown } : one,
    );
    const { replace, refused, outage } = assess(observed);
    expect({ replace, outage }).toEqual({ replace: [], outage: undefined });
    expect(refused.find((one) => one.node === 'work-0')?.because).toBe(
      '1 of 6 nodes of cloud in fra is down, and 2 could not be checked: that may be an outage, in which new machines would not help',
    );
    expect(refused.map(({ because }) => because).join()).not.toMatch(/[23] of 6 nodes of cloud in fra are down/);
  });

  test('an outage is as large as what is known to be down', () => {
    const observed = workers(5).map((one, at) => (at < 2 ? { ...one, health: 'unknown' as const } : one));
    expect(assess(observed).outage).toMatchObject({ nodes: ['work-2', 'work-3', 'work-4'], unknown: 2, of: 6 });
  });

  test('nodes that could not be checked are counted apart from unhealthy ones of the pool', () => {
    const observed = workers(3).map((one, at) => ({
      ...one,
      place: { provider: `cloud-${at}`, region: 'fra' },
      ...(at > 0 && at < 3 && { health: 'unknown' as const }),
    }));
    expect(assess(observed).refused[0]?.because).toBe(
      '3 of 6 nodes of pool work are unhealthy or could not be checked (2), more than 40 %',
    );
  });

  test('an outage of one region keeps the nodes of other regions, too', () => {
    const far = [0, 1, 2, 3].map((at) =>
      node(`far-${at}`, { pool: 'far', place: { provider: 'other', region: 'fra' } }),
    );
    const [first, ...rest] = far;
    const observed = [...workers(4), ...(first ? [{ ...first, ...down, pool: 'work' }] : []), ...rest];
    expect(assess(observed)).toMatchObject({ replace: [], outage: { provider: 'cloud' } });
  });

  test('more unhealthy nodes than the pool may have are not replaced', () => {
    const spread = workers(3).map((one, at) => ({ ...one, place: { provider: `cloud-${at}`, region: 'fra' } }));
    const { replace, refused, outage } = assess(spread);
    expect({ replace, outage }).toEqual({ replace: [], outage: undefined });
    expect(refused[0]?.because).toBe('3 of 6 nodes of pool work are unhealthy, more than 40 %');
  });

  test('one node may always be unhealthy, however small its pool is', () => {
    const [only] = workers(1);
    expect(assess(only ? [only] : []).replace).toHaveLength(1);
  });

  test('the next node is replaced when the replacement of the last one is ready', () => {
    const two = workers(2);
    expect(assess(two).replace.map(({ node: name }) => name)).toEqual(['work-0']);
    expect(assess(two).refused[0]?.because).toBe('the replacement of work-0 is not ready yet');
    const leaving = two.map((one, at) => (at === 0 ? { ...one, leaving: true } : one));
    expect(assess(leaving)).toMatchObject({ replace: [], refused: [{ node: 'work-1' }] });
    const joining = [...workers(1), node('work-9', { ...down, since: minutesAgo(3), createdAt: minutesAgo(3) })];
    expect(assess(joining).replace).toEqual([]);
    expect(assess(two, { atOnce: 2 }).replace).toHaveLength(2);
  });

  test('the node that has been unhealthy for the longest time is replaced first', () => {
    const observed = workers(2).map((one) => (one.node === 'work-1' ? { ...one, since: minutesAgo(50) } : one));
    expect(assess(observed).replace).toMatchObject([{ node: 'work-1' }]);
  });
});

describe('budgets', () => {
  const replaced = (...minutes: readonly number[]) => ({
    replaced: minutes.map((ago, at) => ({ node: `old-${at}`, pool: 'work', at: minutesAgo(ago) })),
  });

  test('a pool that has used its budget is refused until it is free again', () => {
    const { replace, refused } = assess(workers(1), {}, replaced(50, 20));
    expect(replace).toEqual([]);
    expect(refused).toEqual([
      { node: 'work-0', because: 'pool work has had 2 replacements within an hour', until: minutesAgo(-10) },
    ]);
    expect(assess(workers(1), {}, replaced(61, 20)).replace).toHaveLength(1);
  });

  test('a pool is not replaced more than once completely within a day', () => {
    const { refused } = assess(workers(1), {}, replaced(800, 700, 600, 500, 400, 300));
    expect(refused).toMatchObject([
      { because: 'pool work has had 6 replacements within a day', until: minutesAgo(-640) },
    ]);
  });

  test('the budget of the installation holds for all its clusters', () => {
    const freeAt = minutesAgo(-30);
    const { replace, refused } = assess(workers(1), {}, { installation: { left: 0, freeAt } });
    expect(replace).toEqual([]);
    expect(refused).toMatchObject([{ because: expect.stringContaining('the installation'), until: freeAt }]);
  });

  test('one decision does not go beyond a budget either', () => {
    const { replace, refused } = assess(workers(2), { atOnce: 9, perHour: 1 });
    expect({ replaced: replace.length, refused: refused.length }).toEqual({ replaced: 1, refused: 1 });
  });
});

describe('the control plane', () => {
  test('one of three control nodes is replaced', () => {
    expect(assess(controls(2, 3)).replace).toMatchObject([{ node: 'control-2' }]);
  });

  test.each([
    [1, 3],
    [0, 1],
    [1, 2],
    [2, 4],
  ])('nothing is replaced when %i of %i control nodes are healthy', (healthy, of) => {
    const { replace, refused } = assess(controls(healthy, of), { atOnce: 9, maxUnhealthy: 100 });
    expect(replace).toEqual([]);
    expect(refused[0]?.because).toContain('has no quorum without it');
  });

  test('control nodes are replaced one after the other, whatever their pools allow', () => {
    const { replace, refused } = assess(controls(3, 5), { atOnce: 9, maxUnhealthy: 100 });
    expect(replace).toHaveLength(1);
    expect(refused).toMatchObject([{ because: 'control node control-3 is being replaced' }]);
  });
});
