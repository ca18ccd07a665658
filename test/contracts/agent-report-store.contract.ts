/** What every `AgentReportStore` promises. */
import { describe, expect, it } from 'vitest';
import type { AgentReport } from '#contracts/agent.ts';
import type { AgentReportStore } from '#functions/cluster-stores.ts';

const key = { namespace: 'team', name: 'shop' };
const report = (at: string): AgentReport => ({
  schema: 2,
  at,
  unwell: [{ node: 'work-01', health: 'notReady', since: at }],
  capacity: { work: { cpu: '4', memory: '16Gi' } },
});

export function agentReportStoreContract(name: string, make: () => AgentReportStore): void {
  describe(`AgentReportStore (${name})`, () => {
    it('the last report of a cluster is kept, and those of other clusters and manifests are apart', async () => {
      const store = make();
      expect(await store.get(key, 'web')).toBeUndefined();
      await store.put(key, 'web', report('2026-11-01T00:00:00.000Z'));
      await store.put(key, 'web', report('2026-11-02T00:00:00.000Z'));
      await store.put(key, 'data', report('2026-11-03T00:00:00.000Z'));
      expect(await store.get(key, 'web')).toEqual(report('2026-11-02T00:00:00.000Z'));
      expect((await store.get(key, 'data'))?.at).toBe('2026-11-03T00:00:00.000Z');
      expect(await store.get({ ...key, name: 'other' }, 'web')).toBeUndefined();
    });
  });
}
