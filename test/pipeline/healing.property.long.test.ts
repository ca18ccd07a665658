/** Random histories of a cluster in the whole pipeline: checks, decisions, budgets, demand, planner and stages, hour after hour. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeRepair } from '#domain/manifest/schema/node-repair.ts';
import type { NodeHealth } from '#domain/repair/observed-node.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const hour = 3_600_000;
const sizes = { control: fc.constantFrom(1, 3), work: fc.integer({ min: 2, max: 6 }) };
const policy = fc.record({
  after: fc.constantFrom('5m', '15m'),
  atOnce: fc.integer({ min: 1, max: 2 }),
  perHour: fc.integer({ min: 1, max: 3 }),
  maxUnhealthy: fc.constantFrom('20%', '40%', '100%'),
});

/** What happens before the next ticks: nodes by their place change their health, and a stage of the next run may fail. */
const steps = fc.array(
  fc.record({
    ticks: fc.integer({ min: 1, max: 9 }),
    changes: fc.array(
      fc.tuple(fc.nat(20), fc.constantFrom<NodeHealth>('healthy', 'notReady', 'notReady', 'gone', 'unknown')),
      { maxLength: 2 },
    ),
    fault: fc.option(fc.constantFrom('infrastructure', 'kubernetes'), { freq: 8 }),
  }),
  { minLength: 3, maxLength: 12 },
);
const histories = fc.record({ ...sizes, policy, perHourOfAll: fc.integer({ min: 0, max: 3 }), steps });
type History = typeof histories extends fc.Arbitrary<infer One> ? One : never;

async function existing({ control, work, policy: bounds, perHourOfAll }: History): Promise<Pipeline> {
  const pipeline = new Pipeline({ KUBELOOM_REPAIRS_PER_HOUR: String(perHourOfAll) });
  const { spec, ...rest } = manifestOf([{ control, compute: { work } }]);
  const dynamic = spec.nodePools.dynamic.map((pool) => ({
    ...pool,
    providerSpec: { ...pool.providerSpec, region: pool.name },
    repair: NodeRepair.parse({ onUnhealthy: 'replace', ...bounds }),
  }));
  const driftChecks = { interval: '30m', onDrift: 'report' as const };
  await pipeline.apply({ ...rest, spec: { ...spec, nodePools: { ...spec.nodePools, dynamic }, driftChecks } });
  return pipeline;
}

interface Replaced {
  readonly node: string;
  readonly at: number;
}

async function replacedBy(pipeline: Pipeline): Promise<readonly Replaced[]> {
  const events = (await pipeline.events()).filter(({ kind }) => kind === 'NodeReplaced');
  return events.map(({ node = '', at }) => ({ node, at: Date.parse(at) }));
}

test('no history of checks, faults and runs replaces more than policies, budgets and quorum allow, nor loses a node', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { control, work, policy: bounds, perHourOfAll } = history;
      const pipeline = await existing(history);
      const { health } = pipeline.runner;
      for (const { ticks, changes, fault } of history.steps) {
        const names = await pipeline.nodes();
        for (const [place, state] of changes) health.set(names[place % names.length] ?? '', state);
        if (fault) pipeline.runner.trouble(fault as 'infrastructure', 'capacity');
        for (let tick = 0; tick < ticks; tick++) {
          const before = await pipeline.nodes();
          const known = await replacedBy(pipeline);
          pipeline.deps.clock.advance(300);
          await pipeline.invoke('tick', {});
          await pipeline.settle();
          const all = await replacedBy(pipeline);
          const chosen = all.filter((one) => !known.some(({ node, at }) => node === one.node && at === one.at));
          const after = await pipeline.nodes();
          // Only what was chosen may leave, and for each that leaves one has come.
          expect(after).toHaveLength(control + work);
          expect(chosen.map(({ node }) => node)).toEqual(
            expect.arrayContaining(before.filter((name) => !after.includes(name))),
          );
          // Never an unknown, nor a healthy one.
          for (const { node } of chosen) expect(['notReady', 'gone']).toContain(health.get(node));
          const pools = Map.groupBy(all, ({ node }) => (node.includes('-control-') ? 'control' : 'work'));
          for (const [pool, mine] of pools) {
            expect(chosen.filter((one) => mine.includes(one)).length).toBeLessThanOrEqual(bounds.atOnce);
            for (const { at } of mine) {
              const within = (length: number) => mine.filter((one) => one.at > at - length && one.at <= at).length;
              expect(within(hour)).toBeLessThanOrEqual(bounds.perHour);
              const size = pool === 'control' ? control : work;
              expect(within(24 * hour)).toBeLessThanOrEqual(Math.max(bounds.perHour, size));
            }
          }
          for (const ofHour of Map.groupBy(all, ({ at }) => Math.floor(at / hour)).values())
            expect(ofHour.length).toBeLessThanOrEqual(perHourOfAll);
          // Never the last control node: the others have the quorum.
          const controls = chosen.filter(({ node }) => node.includes('-control-'));
          expect(controls.length).toBeLessThanOrEqual(1);
          if (controls.length > 0) {
            const healthy = before.filter(
              (name) => name.includes('-control-') && (health.get(name) ?? 'healthy') === 'healthy',
            );
            expect(healthy.length).toBeGreaterThan(control / 2);
          }
        }
      }
      const targets = pipeline.runner.documents.flatMap(({ target }) => (target ? [target] : []));
      for (const { pools } of targets)
        expect(
          pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes).length,
        ).toBeGreaterThanOrEqual(control);
    }),
    { numRuns: propertyRuns(100) },
  );
});
