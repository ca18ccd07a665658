/** Removal of nodes: drains that take long, are held or time out, and how many nodes are drained at once. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlPool, twoProviderFacts, twoProviderState, workerPool } from '#test/rendering/states.ts';
import { type KubectlWorld, kubectlWorld, nodesStage } from '../kubectl-world.ts';
import { aDocument } from '../stage-world.ts';

let world: KubectlWorld;
beforeEach(async () => {
  world = await kubectlWorld();
});
afterEach(() => world.close());

describe('removal of nodes', () => {
  it('a removal continues after a drain timeout, and stops at any other drain error', async () => {
    world.fail('drain', 'basement-01', 'error when waiting for pod "x" terminating: global timeout reached: 3m0s');
    const since = { 'basement-01': new Date(world.ports.clock.now().getTime() - 28 * 60_000).toISOString() };
    await world.shrink(twoProviderState({ pools: [controlPool, workerPool] }), ['basement-01'], since);
    expect((await world.run('nodes')).ok).toBe(true);
    expect(world.calls().find((call) => call.startsWith('drain'))).toContain('--timeout=2m');
    expect((await world.reported()).join()).toContain('DrainTimedOut');
    world.live('basement-01');
    world.fail('drain', 'basement-01', 'error: cannot evict pod as it would violate the pod disruption budget');
    expect((await world.run('nodes')).error).toMatchObject({ code: 'DrainFailed', resource: 'basement-01' });
    expect(existsSync(join(world.cluster, 'nodes', 'basement-01'))).toBe(true);
  });

  it('a drain that takes long lets the waypoint pause: the result says which budget holds which pod', async () => {
    const pods = ['db-0', 'db-1'].map(
      (pod) =>
        `error when evicting pods/"${pod}" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    );
    world.fail('drain', 'basement-01', [...pods, ...pods, 'error: global timeout reached: 3m0s'].join('\n'));
    const budget = (name: string, disruptionsAllowed: number) => ({
      metadata: { name, namespace: 'shop' },
      status: { disruptionsAllowed },
    });
    writeFileSync(join(world.cluster, 'budgets'), JSON.stringify({ items: [budget('db', 0), budget('web', 1)] }));
    await world.shrink(twoProviderState({ pools: [controlPool] }), ['basement-01', 'workers-bbbbbbb-01']);
    const { error } = await world.run('nodes');
    const because = 'the disruption budget shop/db does not allow to evict shop/db-0, shop/db-1';
    expect(error).toMatchObject({ code: 'DrainWaits', retryable: false, waitsFor: [{ node: 'basement-01', because }] });
    expect(error?.message).toBe(`basement-01: ${because}.`);
    expect(existsSync(join(world.cluster, 'nodes', 'basement-01'))).toBe(true);
    expect(existsSync(join(world.cluster, 'nodes', 'workers-bbbbbbb-01'))).toBe(false);
  });

  it('a node that its owner locked is skipped with an event, and the others are removed', async () => {
    world.live('basement-01', { labels: { 'claudie.io/upgrade-lock': 'busy' } });
    await world.shrink(twoProviderState({ pools: [controlPool] }), ['basement-01', 'workers-bbbbbbb-01']);
    expect((await world.run('nodes')).error).toMatchObject({
      class: 'conflict',
      code: 'NodeLocked',
      resource: 'basement-01',
      retryable: false,
      waitsFor: [
        { node: 'basement-01', because: expect.stringContaining('held by the label kubeloom.dev/upgrade-lock') },
      ],
    });
    expect(existsSync(join(world.cluster, 'nodes', 'basement-01'))).toBe(true);
    expect(existsSync(join(world.cluster, 'nodes', 'workers-bbbbbbb-01'))).toBe(false);
  });

  it('each pool drains as many nodes at once as it allows', async () => {
    const names = ['workers-bbbbbbb-01', 'workers-bbbbbbb-02', 'workers-bbbbbbb-03'];
    for (const name of names) world.live(name);
    const pool = { ...workerPool, nodes: names.map((name) => ({ name, privateAddress: '192.168.2.7' })) };
    const work = { patch: [], remove: names, maxUnavailable: 1, maxUnavailableOf: { 'workers-bbbbbbb': 3 } };
    const states = {
      before: twoProviderState({ pools: [controlPool, pool] }),
      target: twoProviderState({ pools: [controlPool] }),
    };
    const verbs = async (changed: { maxUnavailableOf?: Record<string, number> }) => {
      writeFileSync(join(world.cluster, 'calls'), '');
      for (const name of names) world.live(name);
      await world.put(
        aDocument([{ stage: 'nodes', reasons: [], work: { ...work, ...changed } }], states),
        twoProviderFacts,
      );
      expect((await world.run('nodes')).ok).toBe(true);
      return world.calls().map((call) => call.split(' ')[0]);
    };
    const one = ['cordon', 'drain', 'delete'];
    expect(await verbs({ maxUnavailableOf: {} })).toEqual(['get', ...one, ...one, ...one]);
    writeFileSync(join(world.cluster, 'together'), '3');
    expect((await verbs({})).slice(1, 4)).toEqual(['cordon', 'cordon', 'cordon']);
  });

  it.each([
    { maxUnavailable: 1, held: ['01'], removed: [] },
    { maxUnavailable: 2, held: ['01'], removed: ['02', '03'] },
    { maxUnavailable: 2, held: ['01', '02'], removed: [] },
  ])(
    'a node whose drain is held counts as unavailable: with $maxUnavailable at once and $held held, $removed leave',
    async ({ maxUnavailable, held, removed }) => {
      const named = (numbers: readonly string[]) => numbers.map((number) => `workers-bbbbbbb-${number}`);
      const names = named(['01', '02', '03']);
      for (const name of names) world.live(name);
      for (const name of named(held)) world.fail('drain', name, 'error: global timeout reached: 3m0s');
      writeFileSync(join(world.cluster, 'budgets'), JSON.stringify({ items: [] }));
      const pool = { ...workerPool, nodes: names.map((name) => ({ name, privateAddress: '192.168.2.7' })) };
      const before = twoProviderState({ pools: [controlPool, pool] });
      const target = twoProviderState({ pools: [controlPool] });
      await world.put(aDocument([nodesStage([], names, maxUnavailable)], { before, target }), twoProviderFacts);
      const { error } = await world.run('nodes');
      expect(error?.code).toBe('DrainWaits');
      expect(error?.waitsFor?.map(({ node }) => node).sort()).toEqual(named(held));
      const cordoned = world.calls().flatMap((call) => (call.startsWith('cordon') ? [call.split(' ')[1]] : []));
      expect(cordoned.sort()).toEqual([...named(held), ...named(removed)].sort());
      for (const name of named(removed)) expect(existsSync(join(world.cluster, 'nodes', name))).toBe(false);
    },
  );
});
