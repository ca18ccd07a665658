/** Random interleavings of submissions, runs and deletions: together they never take more than a budget has, and nothing of them stays. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ManifestKey } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { costWhen, sumOfAccepted } from '#domain/prices/accepted-cost.ts';
import { type AcceptedCost, mostOf } from '#domain/prices/money.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import { leaseTerm } from '#functions/manifest-store.ts';
import { reachedRecords } from '#functions/pipeline/plans/cluster-plans.ts';
import { planningOf } from '#functions/pipeline/plans/planning.ts';
import { costOfCluster } from '#functions/pipeline/runs/settled-cost.ts';
import { as, bindRoles, callApi } from '#test/api/api-under-test.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { manifestOf } from './harness/manifests.ts';

const budget = 40;
const names = ['a', 'b', 'c', 'd'] as const;
const name = fc.constantFrom(...names);
/** $5 for each machine. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('put' as const), name, workers: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const), name, fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
/** All of a round are in progress at the same time. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

const keyOf = (manifest: string): ManifestKey => ({ namespace: 'team', name: manifest });

/** Every call of a store waits for its turn, which the scheduler draws. */
function drawn(deps: FakeDeps, scheduler: fc.Scheduler): FakeDeps {
  const waiting = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, method) {
        const work: unknown = Reflect.get(target, method);
        if (typeof work !== 'function') return work;
        return async (...given: unknown[]) => {
          await scheduler.schedule(Promise.resolve(), String(method));
          return Reflect.apply(work, target, given);
        };
      },
    });
  const { manifests, clusters, budgets } = deps;
  return { ...deps, manifests: waiting(manifests), clusters: waiting(clusters), budgets: waiting(budgets) };
}

async function act(deps: FakeDeps, { kind: _kind, ...about }: Step): Promise<void> {
  const path = `/v1/manifests/team/${about.name}`;
  if ('workers' in about) {
    const { metadata, ...rest } = manifestOf([{ compute: { work: about.workers } }]);
    const body = { ...rest, metadata: { ...metadata, name: about.name } };
    const { status, text } = await callApi(deps, 'PUT', path, { body, ...as('olga') });
    expect([200, 202, 409], text).toContain(status);
  } else if ('fails' in about) await run(deps, keyOf(about.name), about.fails);
  else expect([200, 202, 404, 409]).toContain((await callApi(deps, 'DELETE', path, as('olga'))).status);
}

/** What a run does to the records. */
async function run(deps: FakeDeps, key: ManifestKey, fails: boolean): Promise<void> {
  const at = deps.clock.now();
  const owner = `run at ${at.toISOString()}`;
  try {
    const taken = await deps.manifests.takeLease(key, owner, leaseTerm(at, 600));
    if (taken === undefined || taken.record.status === 'Done')
      return void (await deps.manifests.releaseLease(key, owner));
    const { fence } = taken.lease;
    const manifest = await deps.manifests.begin(key, fence, at.toISOString());
    const stored = await deps.clusters.list(key);
    const reached = reachedRecords(planningOf(deps, manifest), manifest, stored);
    for (const record of reached) {
      const { current: before = null } = stored.find(({ cluster }) => cluster === record.cluster) ?? {};
      const version = record.version + 1;
      await deps.clusters.put({ ...record, fence, version, current: before, attempted: record.current });
      const current = fails ? before : record.current;
      await deps.clusters.put({ ...record, fence, version: version + 1, current, attempted: null });
      if (current === null) await deps.clusters.remove({ ...record, fence, version: version + 1 });
    }
    if (manifest.deleting && !fails) await deps.manifests.remove(key, fence, manifest.generation);
    else {
      const acceptedCost = sumOfAccepted(reached.map(costOfCluster));
      const also = fails ? {} : { acceptedCost };
      await deps.manifests.settle(key, fence, manifest, fails ? 'Failed' : 'Done', at.toISOString(), also);
    }
    await deps.manifests.releaseLease(key, owner);
  } catch (error) {
    const isLate = ['NotFound', 'LeaseLost', 'VersionConflict'] as const;
    if (!isLate.some((late) => isPipelineError(error, late))) throw error;
    await deps.manifests.releaseLease(key, owner);
  }
}

const dollars = ({ amounts }: AcceptedCost): number => amounts.find(({ currency }) => currency === 'USD')?.amount ?? 0;

/** Dollars that exist, and those that exist or that what was accepted leads to. */
async function taken(deps: FakeDeps): Promise<{ readonly existing: number; readonly accepted: number }> {
  const { items } = await deps.manifests.listHeads(undefined, 100);
  const costs = items.map(async (head) => {
    const records = await deps.clusters.list(head);
    const states = records.map(({ cluster, current, attempted }) => ({ cluster, before: current, after: attempted }));
    const cost = costOfMonth(states);
    const existing = costWhen('before', cost);
    const all = [existing, head.acceptedCost, costWhen('after', cost)];
    return { existing: dollars(existing), accepted: dollars(mostOf(all)) };
  });
  const all = await Promise.all(costs);
  const sum = (of: 'existing' | 'accepted') => all.reduce((total, one) => total + one[of], 0);
  return { existing: sum('existing'), accepted: sum('accepted') };
}

test('no interleaving of submissions, runs and deletions takes more than the budget, and in the end only what exists is taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, all) => {
      process.env.KUBELOOM_LOG = 'none';
      const deps = fakeDeps({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_BUDGETS: `team=${budget}USD` });
      await bindRoles(deps, 'team', { operator: 'olga' });
      const turns = drawn(deps, scheduler);
      for (const round of all) {
        await scheduler.waitFor(Promise.all(round.map((one) => act(turns, one))));
        expect((await taken(deps)).accepted).toBeLessThanOrEqual(budget);
      }
      for (const each of names) await run(deps, keyOf(each), false);
      const { existing, accepted } = await taken(deps);
      expect(accepted).toBe(existing);
      for (const each of names) {
        await callApi(deps, 'DELETE', `/v1/manifests/team/${each}`, as('olga'));
        await run(deps, keyOf(each), false);
      }
      expect((await taken(deps)).accepted).toBe(0);
    }),
    { numRuns: propertyRuns(200) },
  );
}, 300_000);
