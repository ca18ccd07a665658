/** 1,000 machines in 20 groups in 4 regions: what a check for drift makes of many that are gone at once. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

const repair = { onUnhealthy: 'replace', after: '10m', startAfter: '20m' };

function documentOf(): unknown {
  const groups = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => {
      const providerSpec = { name: 'sim-1', region: `region-${index % 4}` };
      return [`group-${index}`, { ...leaf, size: 50, providerSpec, health: [{ tcp: { port: 80 } }], repair }];
    }),
  );
  const document = groupsWith(groups, { driftChecks: { interval: '30m' }, network: '192.168.0.0/16' });
  const verdict = validateMachineGroups(
    { ...document, metadata: { name: 'shop', namespace: 'team' } },
    { readObjects },
  );
  if (verdict.document === undefined) throw new Error(JSON.stringify(verdict.faults));
  return verdict.document;
}

describe('1,000 machines in 20 groups', () => {
  const pipeline = new Pipeline();
  let before: readonly string[];

  const everyHalfHour = (times: number) => pass(pipeline, times * 30, 30);

  beforeAll(async () => {
    await pipeline.apply(documentOf());
    before = await pipeline.nodes('shop');
  });

  it('a run creates a thousand machines', async () => {
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    expect(before).toHaveLength(1000);
  });

  it('hazard 5: where 40 % of the machines of one region are gone at once nothing is replaced, and the outage is named', async () => {
    // 20 of each group of the region: no group of its own is beyond its `maxUnhealthy`.
    const gone = before.filter((name) => /^group-(0|4|8|12|16)-\w+-(0[1-9]|1\d|20)$/.test(name));
    expect(gone).toHaveLength(100);
    for (const name of gone) pipeline.runner.health.set(name, 'gone');
    await everyHalfHour(4);
    expect(await pipeline.nodes('shop')).toEqual(before);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toEqual([]);
    expect(await eventsOf(pipeline, 'OutageSuspected')).toEqual([
      '100 of 250 nodes of sim-1 in region-0 are down at once: that is an outage, and new machines would not help; nothing is replaced',
    ]);
  });

  it('KA-10: after the outage a single machine that is gone is replaced', async () => {
    pipeline.runner.health.clear();
    await everyHalfHour(2);
    const [lost = ''] = before;
    pipeline.runner.health.set(lost, 'gone');
    await everyHalfHour(3);
    const after = await pipeline.nodes('shop');
    expect(after).toHaveLength(1000);
    expect(after).not.toContain(lost);
    expect(await eventsOf(pipeline, 'NodeReplaced')).toHaveLength(1);
  });
});
