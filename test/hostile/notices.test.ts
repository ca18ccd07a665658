/** Metadata services of clouds that lie: to a pod without any right, whose words only concern its own node. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { evictPods } from '#agent/notices/evict-pods.ts';
import { markNode } from '#agent/notices/mark-node.ts';
import { metadataService } from '#agent/notices/metadata-service.ts';
import { saidNotices } from '#agent/notices/said-notices.ts';
import { noticeReaders } from '#agent/notices/say-notices.ts';
import { Notice, SaidNotice } from '#domain/node-notice.ts';
import { KubernetesName } from '#domain/observed/kubernetes-texts.ts';
import { brokenJson, type Canary, hostileTexts, liesAbout, obeyedInJson, openCanary } from './lies.ts';
import { type LyingServer, lyingServer, type Spoken } from './lying-server.ts';

let canary: Canary;
let server: LyingServer;
beforeAll(() => {
  canary = openCanary();
});
afterAll(() => {
  expect(canary.sings()).toBe(false);
  canary.remove();
});
beforeEach(async () => {
  server = await lyingServer();
});
afterEach(() => server.close());

type Cloud = keyof typeof noticeReaders;
const token: Spoken = { body: 'AQAEA==' };
const google = { 'Metadata-Flavor': 'Google' };
const meta = 'GET /latest/meta-data';

/** Honest answers of each, and the items that lie. */
const honest: Readonly<Record<Cloud, Readonly<Record<string, Spoken>>>> = {
  aws: {
    'PUT /latest/api/token': token,
    [`${meta}/spot/instance-action`]: { body: '{"action":"terminate","time":"2026-09-18T08:22:00Z"}' },
    [`${meta}/events/recommendations/rebalance`]: { body: '{"noticeTime":"2026-10-27T08:22:00Z"}' },
    [`${meta}/events/maintenance/scheduled`]: {
      body: '[{"NotBefore":"21 Jan 2026 09:00:43 GMT","Code":"system-reboot","State":"active","Description":"x"}]',
    },
  },
  azure: {
    'GET /metadata/instance/compute/name': { body: 'vm-1' },
    'GET /metadata/scheduledevents': {
      body: '{"DocumentIncarnation":1,"Events":[{"EventType":"Reboot","EventStatus":"Scheduled","Resources":["vm-1"],"NotBefore":"Mon, 19 Sep 2026 18:29:47 GMT"}]}',
    },
  },
  gcp: {
    'GET /computeMetadata/v1/instance/preempted': { body: 'TRUE', headers: google },
    'GET /computeMetadata/v1/instance/maintenance-event': { body: 'NONE', headers: google },
  },
};

const clouds = ['aws', 'azure', 'gcp'] as const;
const read = (cloud: Cloud) => noticeReaders[cloud](metadataService(server.url), () => new Date())();

it.each(clouds)('what a metadata service of %s says becomes notices of a closed type, or is refused', async (cloud) => {
  server.answers = honest[cloud];
  expect((await read(cloud)).length).toBeGreaterThan(0);
  for (const [item, answer] of Object.entries(honest[cloud])) {
    const texts = Object.values(hostileTexts(canary.file));
    const lies =
      answer.body?.startsWith('{') || answer.body?.startsWith('[')
        ? liesAbout(JSON.parse(answer.body), canary.file).map(({ value }) => JSON.stringify(value) ?? '')
        : texts;
    for (const body of [...lies, ...Object.values(brokenJson)]) {
      server.answers = { ...honest[cloud], [item]: { ...answer, body } };
      const notices = await read(cloud).catch(() => []);
      for (const notice of notices) expect(Notice.safeParse(notice).success, body.slice(0, 100)).toBe(true);
    }
  }
});

it.each(clouds)('an answer of %s without an end, of another status or to elsewhere is refused', async (cloud) => {
  for (const [item, answer] of Object.entries(honest[cloud])) {
    const others: readonly Spoken[] = [
      { ...answer, body: undefined },
      { ...answer, status: 500 },
      { ...answer, status: 302, headers: { ...answer.headers, location: `${server.url}/latest/api/token` } },
    ];
    for (const other of others) {
      server.answers = { ...honest[cloud], [item]: other };
      await expect(read(cloud), `${item} ${other.status}`).rejects.toThrow();
    }
  }
  expect(server.sent).toBeLessThan(200_000_000);
});

it('a service that never answers is given up', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const ask = metadataService(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  await expect(ask('/x', { timeoutMs: 50 })).rejects.toThrow('timeout');
});

it('another service than that of Google is not believed', async () => {
  server.answers = { 'GET /computeMetadata/v1/instance/preempted': { body: 'TRUE' } };
  await expect(read('gcp')).rejects.toThrow('another service');
});

describe('a kubelet that lies about the pods of its node', () => {
  const pod = (node: string, message: string) => ({
    metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'kubeloom-notices-aws' }] },
    spec: { nodeName: node },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'notices', state: {}, lastState: { terminated: { message } } }],
    },
  });
  const honestPod = pod('other', '{"kind":"pauses"}');

  it('what it says is about its own node, of a closed type, and hides no other node', () => {
    const sample = pod('a', '{"kind":"ends","by":"2026-09-18T08:22:00Z"}');
    expect(saidNotices({ items: [sample] })).toEqual(new Map([['a', { kind: 'ends', by: '2026-09-18T08:22:00Z' }]]));
    for (const { title, value } of liesAbout(sample, canary.file)) {
      const said = saidNotices({ items: [value, honestPod] });
      expect(said.get('other'), title).toEqual({ kind: 'pauses' });
      for (const [node, notice] of said) {
        expect(KubernetesName.safeParse(node).success, title).toBe(true);
        expect(SaidNotice.safeParse(notice).success, title).toBe(true);
      }
    }
    for (const text of [...Object.values(hostileTexts(canary.file)), ...Object.values(brokenJson)])
      expect(saidNotices({ items: [pod('a', text), honestPod] })).toEqual(new Map([['other', { kind: 'pauses' }]]));
    expect(() => saidNotices({ items: 'x' })).toThrow();
    expect(() => saidNotices(null)).toThrow();
  });

  it('pods that lie are asked to leave by a path of their own, or stay', async () => {
    const sample = {
      metadata: { name: 'web', namespace: 'team', ownerReferences: [{ kind: 'ReplicaSet', controller: true }] },
      spec: { terminationGracePeriodSeconds: 600 },
      status: { phase: 'Running' },
    };
    for (const { title, value } of liesAbout(sample, canary.file)) {
      const paths: string[] = [];
      const cluster = {
        get: async () => ({ items: [value, sample] }),
        post: async (path: string) => {
          paths.push(path);
          return 201;
        },
      };
      await evictPods(cluster, 'a', { kind: 'ends' }, new Date());
      expect(paths, title).toContain('/api/v1/namespaces/team/pods/web/eviction');
      for (const path of paths)
        expect(path, title).toMatch(/^\/api\/v1\/namespaces\/[a-z0-9.-]+\/pods\/[a-z0-9.-]+\/eviction$/);
    }
  });

  it('taints of a node that lies are written back as they were read, or the node is left alone', async () => {
    const taint = { key: 'gpu', value: 'only', effect: 'NoSchedule', timeAdded: '2026-11-01T00:00:00Z' };
    const sample = { metadata: { resourceVersion: '7' }, spec: { taints: [taint] } };
    const markedAs = async (read: unknown) => {
      const written: object[] = [];
      const patch = async (_: string, body: object) => void written.push(body);
      await markNode({ get: async () => read, patch }, 'a', 'ends', new Date(0)).catch(() => undefined);
      return written;
    };
    const own = { key: 'kubeloom.dev/notice', value: 'ends', effect: 'NoSchedule', timeAdded: '1970-01-01T00:00:00Z' };
    expect(await markedAs(sample)).toEqual([{ ...sample, spec: { taints: [taint, own] } }]);
    for (const { title, value } of liesAbout(sample, canary.file)) {
      const written = await markedAs(value);
      expect(JSON.stringify(written), title).not.toMatch(obeyedInJson);
      if (written.length > 0) expect(JSON.stringify(written), title).toContain('kubeloom.dev/notice');
    }
  });
});
