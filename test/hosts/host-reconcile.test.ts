/** What the runner asks before each apply: is Terraform's state true? */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, HostWorkshop, isRoot, outcomeOf } from './host-workshop.ts';

describe.runIf(isRoot)('reconcile', () => {
  const workshop = new HostWorkshop();
  const site = workshop.site('east');
  const faults = join(workshop.stateDirectory, 'faults');
  const reconcile = async (state: Record<string, string>): Promise<unknown> =>
    JSON.parse(await workshop.must(['reconcile', ...site], JSON.stringify(state)));
  beforeEach(async () => {
    await workshop.must(['gc', '--all']);
    await workshop.must(['site-up', ...site, '--region', 'north']);
  });
  afterAll(async () => await workshop.close());

  test('reconcile reports nothing when state and machine agree', async () => {
    await workshop.must(['up', ...site, '--host', 'a-01', '--id', 'one']);
    expect(await reconcile({ 'a-01': 'one' })).toEqual({ replace: [], removed: [] });
    expect((await workshop.host('a-01')).state).toBe('running');
  });

  test('reconcile names hosts of the state that are absent, dead or of another id', async () => {
    for (const name of ['dead-01', 'other-01', 'fine-01']) {
      await workshop.must(['up', ...site, '--host', name, '--id', name]);
    }
    await workshop.must(['kill', ...site, '--host', 'dead-01']);
    const state = { 'absent-01': 'x', 'dead-01': 'dead-01', 'other-01': 'new', 'fine-01': 'fine-01' };
    expect(await reconcile(state)).toEqual({ replace: ['absent-01', 'dead-01', 'other-01'], removed: [] });
  });

  test('reconcile removes hosts that the state does not have', async () => {
    await workshop.must(['up', ...site, '--host', 'a-01', '--id', 'one']);
    await workshop.must(['up', ...site, '--host', 'b-01', '--id', 'two']);
    expect(await reconcile({ 'a-01': 'one' })).toEqual({ replace: [], removed: ['b-01'] });
    expect((await workshop.status()).map((host) => host.host)).toEqual(['a-01']);
  });

  test('reconcile waits for a provisioner that is still at work, and then removes its host', async () => {
    mkdirSync(faults, { recursive: true });
    writeFileSync(join(faults, 'late-01'), 'slow 1');
    const late = workshop.start(['up', ...site, '--host', 'late-01', '--id', 'l']);
    const ended = outcomeOf(late);
    await eventually('it is at work', async () => (await workshop.status()).some((it) => it.host === 'late-01'));
    expect(await reconcile({})).toEqual({ replace: [], removed: ['late-01'] });
    await ended;
    expect(await workshop.status()).toEqual([]);
  });

  test('reconcile repairs the site of hosts in the state, so that a replacement finds its network', async () => {
    await workshop.must(['up', ...site, '--host', 'a-01', '--id', 'one']);
    rmSync(workshop.stateDirectory, { recursive: true });
    expect(await reconcile({ 'a-01': 'one' })).toEqual({ replace: ['a-01'], removed: [] });
    await workshop.must(['up', ...site, '--host', 'a-01', '--id', 'two']);
    expect(await workshop.ssh('a-01', 'hostname')).toBe('a-01');
  });

  test('reconcile creates nothing when neither state nor machine has a host', async () => {
    await workshop.must(['gc', '--all']);
    expect(await reconcile({})).toEqual({ replace: [], removed: [] });
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  test('reconcile refuses input that is not a map of ids', async () => {
    const { code, stderr } = await workshop.run(['reconcile', ...site], '["a-01"]');
    expect(code).toBe(2);
    expect(stderr).toContain('stdin must be a JSON object');
  });
});
