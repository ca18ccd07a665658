/** When the agent of a cluster reports its nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ClusterApi, keepLooking } from '#agent/node-agent.ts';
import type { AgentHealth } from '#contracts/agent.ts';
import { servingRequest } from '#test/kubernetes/certificates-contract.ts';

type Status = 'True' | 'False';

const node = (name: string, ready: Status, since = '2026-11-01T00:00:00Z') => ({
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: since }] },
});

/** Rounds in which the cluster has these nodes, one after the other, until they are over; what each of them reported. */
async function rounds(
  lists: readonly (readonly ReturnType<typeof node>[] | 'down')[],
  {
    heartbeatMs,
    refuse = () => false,
    requests = () => ({ items: [] }),
  }: {
    readonly heartbeatMs: number;
    readonly refuse?: (round: number) => boolean;
    /** Those for certificates. */
    readonly requests?: () => object;
  },
): Promise<readonly (readonly string[])[]> {
  const stop = new AbortController();
  const reported: string[][] = lists.map(() => []);
  let round = -1;
  const cluster: ClusterApi = {
    get: async (path) => {
      if (path !== '/api/v1/nodes') return requests();
      round += 1;
      if (round === lists.length - 1) stop.abort();
      const items = lists[round];
      if (items === 'down') throw new Error('connection refused');
      return { items };
    },
    put: async () => undefined,
  };
  const report = async ({ nodes }: AgentHealth) => {
    if (refuse(round)) throw new Error('the API is down');
    reported[round]?.push(...nodes.map(({ name, ready }) => `${name} ${ready}`));
    return [];
  };
  await keepLooking({ report }, cluster, {
    everyMs: 0,
    heartbeatMs,
    unwellMs: 0,
    openMs: 0,
    signal: stop.signal,
    say: () => undefined,
  });
  return reported;
}

const well = [node('a', 'True'), node('b', 'True')];
const ill = [node('a', 'True'), node('b', 'False')];
const hour = 3_600_000;

it('nodes are reported at first, when one changes, comes or goes, and not while they are the same', async () => {
  expect(await rounds([well, well, ill, ill, well, [node('a', 'True')]], { heartbeatMs: hour })).toEqual([
    ['a True', 'b True'],
    [],
    ['a True', 'b False'],
    [],
    ['a True', 'b True'],
    ['a True'],
  ]);
});

it('nodes that do not change are reported again after the heartbeat', async () => {
  expect(await rounds([well, well, well], { heartbeatMs: 0 })).toEqual(Array(3).fill(['a True', 'b True']));
});

it('what the API did not take is reported in the next round, and a cluster that does not answer ends nothing', async () => {
  const reported = await rounds([well, 'down', ill, ill, ill], { heartbeatMs: hour, refuse: (round) => round === 2 });
  expect(reported.map((one) => one.length)).toEqual([2, 0, 0, 2, 0]);
});

it('a node that stopped being ready lately is reported again soon: its replacement waits for that', async () => {
  const failed = [node('a', 'False', new Date(Date.now() - 60_000).toISOString())];
  expect(await rounds([failed, failed, failed], { heartbeatMs: hour })).toEqual(Array(3).fill(['a False']));
  expect(await rounds([ill, ill, ill], { heartbeatMs: hour }), 'long ago').toEqual([['a True', 'b False'], [], []]);
});

it('nodes are reported although requests for certificates cannot be listed', async () => {
  const requests = () => {
    throw new Error('403');
  };
  const reported = await rounds([well, well, ill], { heartbeatMs: hour, requests });
  expect(reported.map((one) => one.length)).toEqual([2, 0, 2]);
});

it('nodes are reported again while a request that may not be approved is open: its node may have become known', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-csr-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const request = servingRequest(directory, { name: 'csr-1', who: 'a', names: 'IP:192.168.2.1' });
  const reported = await rounds([well, well], { heartbeatMs: hour, requests: () => ({ items: [request] }) });
  expect(reported.at(-1)).toEqual(['a True', 'b True']);
});
