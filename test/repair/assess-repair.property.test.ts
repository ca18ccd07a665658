/** Random histories of a cluster whose nodes fail, return and are replaced, hour after hour. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assessRepair } from '#domain/repair/assess-repair.ts';
import type { NodeHealth, ObservedNode, RepairPolicy, Replacement } from '#domain/repair/observed-node.ts';
import { propertyRuns } from '#test/property-runs.ts';

const minute = 60_000;
const start = Date.parse('2026-11-20T00:00:00.000Z');
const at = (minutes: number): string => new Date(start + minutes * minute).toISOString();

interface Pool {
  readonly name: string;
  readonly role: ObservedNode['role'];
  readonly provider: string | undefined;
  readonly size: number;
  readonly policy: RepairPolicy;
  readonly protect: boolean;
}

const policies: fc.Arbitrary<RepairPolicy> = fc.record({
  onUnhealthy: fc.constantFrom('report', 'recreate', 'replace', 'replace'),
  after: fc.integer({ min: 0, max: 30 }),
  looks: fc.integer({ min: 1, max: 2 }),
  startAfter: fc.integer({ min: 0, max: 40 }),
  atOnce: fc.integer({ min: 1, max: 3 }),
  perHour: fc.integer({ min: 1, max: 4 }),
  maxUnhealthy: fc.integer({ min: 1, max: 100 }),
});

const pools = (role: ObservedNode['role'], name: string): fc.Arbitrary<Pool> =>
  fc.record({
    name: fc.constant(name),
    role: fc.constant(role),
    provider: fc.constantFrom('a', 'b', undefined),
    size: fc.integer({ min: 1, max: 5 }),
    policy: policies,
    protect: fc.boolean(),
  });

/** What happens before one check: minutes pass, and nodes (by their place) change their health. */
const steps = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 45 }),
    changes: fc.array(
      fc.tuple(fc.nat(20), fc.constantFrom<NodeHealth>('healthy', 'notReady', 'notReady', 'gone', 'unknown')),
      { maxLength: 3 },
    ),
    locks: fc.array(fc.nat(20), { maxLength: 1 }),
    /** Replacements that were requested are done. */
    replaced: fc.boolean(),
    installationLeft: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 5, maxLength: 30 },
);

/** Checks every decision with `check`; nodes of replaced machines get new names. */
function live(
  plan: readonly Pool[],
  history: readonly (typeof steps extends fc.Arbitrary<infer All> ? All : never)[number][],
  check: (before: {
    readonly observed: readonly ObservedNode[];
    readonly replaced: readonly Replacement[];
    readonly now: Date;
    readonly left: number;
    readonly decision: ReturnType<typeof assessRepair>;
  }) => void,
): void {
  let count = 0;
  const fresh = (pool: Pool, createdAt?: string): ObservedNode => ({
    node: `${pool.name}-${count++}`,
    pool: pool.name,
    role: pool.role,
    protect: pool.protect,
    locked: false,
    ...(pool.provider !== undefined && { place: { provider: pool.provider, region: 'x' } }),
    health: 'healthy',
    looks: 0,
    ...(createdAt !== undefined && { createdAt }),
  });
  let observed: readonly ObservedNode[] = plan.flatMap((pool) => Array.from({ length: pool.size }, () => fresh(pool)));
  let replaced: readonly Replacement[] = [];
  let minutes = 0;
  for (const step of history) {
    minutes += step.minutes;
    const time = at(minutes);
    const changes = new Map(step.changes.map(([place, health]) => [place % observed.length, health]));
    const locks = new Set(step.locks.map((place) => place % observed.length));
    observed = observed.map((node, place) => {
      const health = changes.get(place) ?? node.health;
      const { since: _since, ...rest } = { ...node, health, locked: locks.has(place) };
      if (health === 'healthy') return { ...rest, looks: 0 };
      const since = node.health === 'healthy' ? time : node.since;
      return { ...rest, looks: node.looks + 1, ...(since !== undefined && { since }) };
    });
    if (step.replaced) {
      observed = observed.map((node) => {
        const pool = plan.find(({ name }) => name === node.pool);
        return node.leaving && pool ? fresh(pool, time) : node;
      });
    }
    const now = new Date(time);
    const left = step.installationLeft;
    const decision = assessRepair({
      observed,
      now,
      policies: Object.fromEntries(plan.map(({ name, policy }) => [name, policy])),
      ledger: { replaced, installation: { left, freeAt: at(minutes + 60) } },
    });
    check({ observed, replaced, now, left, decision });
    const names = new Set(decision.replace.map(({ node }) => node));
    replaced = [
      ...replaced,
      ...observed.filter(({ node }) => names.has(node)).map(({ node, pool }) => ({ node, pool, at: time })),
    ];
    observed = observed.map((node) => (names.has(node.node) ? { ...node, leaving: true } : node));
  }
}

const clusters = fc.tuple(pools('control', 'c'), pools('control', 'd'), pools('compute', 'w'), pools('compute', 'x'));

test('no history replaces more than the policies, the budgets and the quorum allow', () => {
  fc.assert(
    fc.property(clusters, steps, (plan, history) => {
      live(plan, history, ({ observed, replaced, now, left, decision }) => {
        const { replace, refused, outage } = decision;
        const names = new Set(replace.map(({ node }) => node));
        const chosen = observed.filter(({ node }) => names.has(node));
        // Never an unknown, a healthy, a locked or a protected node, nor a machine of the user.
        for (const node of chosen) {
          expect(['notReady', 'gone']).toContain(node.health);
          expect(node).toMatchObject({ locked: false, protect: false, place: expect.anything() });
          expect(node.leaving ?? false).toBe(false);
        }
        // An outage replaces nothing.
        if (outage) expect(replace).toEqual([]);
        expect(replace.length).toBeLessThanOrEqual(left);
        for (const { name, policy, size } of plan) {
          const mine = chosen.filter(({ pool }) => pool === name);
          const leaving = observed.filter(({ pool, leaving: going }) => pool === name && going);
          if (mine.length > 0) {
            expect(policy.onUnhealthy).not.toBe('report');
            expect(mine.length + leaving.length).toBeLessThanOrEqual(policy.atOnce);
          }
          const within = (hours: number) =>
            replaced.filter((one) => one.pool === name && Date.parse(one.at) > now.getTime() - hours * 60 * minute);
          if (mine.length > 0) {
            expect(within(1).length + mine.length).toBeLessThanOrEqual(policy.perHour);
            expect(within(24).length + mine.length).toBeLessThanOrEqual(Math.max(policy.perHour, size));
          }
        }
        // Never the last control node: the others have the quorum without those that leave.
        const control = observed.filter(({ role }) => role === 'control');
        if (chosen.some(({ role }) => role === 'control')) {
          const leaving = control.filter(({ node, leaving: going }) => names.has(node) || going);
          const healthy = control.filter(({ node, health }) => health === 'healthy' && !names.has(node));
          expect(leaving).toHaveLength(1);
          expect(healthy.length).toBeGreaterThan(control.length / 2);
        }
        // Every unhealthy node is replaced or has a reason, never both.
        const open = observed.filter(({ health, leaving }) => health !== 'healthy' && !leaving).map(({ node }) => node);
        expect([...names, ...refused.map(({ node }) => node)].toSorted()).toEqual(open.toSorted());
        for (const { until } of refused) if (until) expect(Date.parse(until)).toBeGreaterThanOrEqual(now.getTime());
      });
    }),
    { numRuns: propertyRuns(2000) },
  );
});
