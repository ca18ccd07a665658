/** What the agent does about notices: a cluster in memory that answers as the API server does. */
import { expect, it } from 'vitest';
import type { ActingApi } from '#agent/node-agent.ts';
import { keepNotices } from '#agent/notices/keep-notices.ts';
import type { SaidNotice } from '#domain/node-notice.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

const owner = (kind: string) => ({ ownerReferences: [{ kind, name: 'x', controller: true }] });

/** A pod on a node. */
const pod = (name: string, metadata: object = owner('ReplicaSet'), grace = 30, phase = 'Running') => ({
  metadata: { name, namespace: 'team', ...metadata },
  spec: { nodeName: 'a', terminationGracePeriodSeconds: grace },
  status: { phase },
});

/** A pod of the DaemonSet that said this; undefined: nothing yet. */
const saying = (node: string, said: SaidNotice | string | undefined, more: object = {}) => ({
  metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'kubeloom-notices-aws' }] },
  spec: { nodeName: node },
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        name: 'notices',
        state: { running: { startedAt: '2026-11-01T00:00:00Z' } },
        ...(said !== undefined && {
          lastState: { terminated: { exitCode: 0, message: typeof said === 'string' ? said : JSON.stringify(said) } },
        }),
      },
    ],
    ...more,
  },
});

class Cluster implements ActingApi {
  readonly taints = new Map<string, Taint[]>([
    ['a', [{ key: 'other', effect: 'NoSchedule' }]],
    ['b', []],
  ]);
  pods: ReturnType<typeof pod>[] = [];
  said: ReturnType<typeof saying>[] = [];
  /** Names of pods that a budget holds. */
  readonly held = new Set<string>();
  readonly graces = new Map<string, number | undefined>();
  down = false;
  /** What another client does after a node was read. */
  meanwhile = (): void => undefined;

  async get(path: string): Promise<unknown> {
    if (this.down) throw new Error('the API server answers 500');
    if (path.startsWith('/api/v1/namespaces/kube-system/pods?')) return { items: this.said };
    if (path === '/api/v1/nodes')
      return { items: [...this.taints].map(([name, taints]) => ({ metadata: { name }, spec: { taints } })) };
    const [, node] = /^\/api\/v1\/nodes\/(.+)$/.exec(path) ?? [];
    if (node !== undefined) {
      const read = { metadata: { resourceVersion: this.#version(node) }, spec: { taints: this.taints.get(node) } };
      this.meanwhile();
      return read;
    }
    expect(path).toBe('/api/v1/pods?fieldSelector=spec.nodeName%3Da');
    return { items: this.pods };
  }

  async put(): Promise<void> {
    throw new Error('nothing is put');
  }

  /** As the API server does it: a list takes the place of the one before, and what was read must be what is there. */
  async patch(path: string, body: object): Promise<void> {
    const node = path.replace('/api/v1/nodes/', '');
    const { metadata, spec } = body as { metadata: { resourceVersion: string }; spec: { taints: Taint[] } };
    if (metadata.resourceVersion !== this.#version(node)) throw new Error('the API server answers 409');
    this.taints.set(node, spec.taints);
  }

  #version(node: string): string {
    return Buffer.from(JSON.stringify(this.taints.get(node) ?? []))
      .toString('hex')
      .slice(-40);
  }

  async post(path: string, body: object): Promise<number> {
    const [, name = ''] = /^\/api\/v1\/namespaces\/team\/pods\/([^/]+)\/eviction$/.exec(path) ?? [];
    this.graces.set(
      name,
      (body as { deleteOptions: { gracePeriodSeconds?: number } }).deleteOptions.gracePeriodSeconds,
    );
    if (this.held.has(name)) return 429;
    this.pods = this.pods.filter(({ metadata }) => metadata.name !== name);
    return 201;
  }

  readonly kindOf = (node: string) => this.taints.get(node)?.find(({ key }) => key === 'kubeloom.dev/notice')?.value;
  readonly names = () => this.pods.map(({ metadata }) => metadata.name);
}

/** So many rounds of one agent; returns how often nodes changed. `each` runs before a round. */
async function rounds(
  cluster: Cluster,
  count: number,
  each: (round: number) => void = () => undefined,
): Promise<number> {
  const stop = new AbortController();
  let [round, changes] = [0, 0];
  const acting: ActingApi = {
    get: async (path) => {
      if (path.startsWith('/api/v1/namespaces/')) {
        round += 1;
        if (round === count) stop.abort();
        each(round);
      }
      return cluster.get(path);
    },
    put: () => cluster.put(),
    patch: (path, body) => cluster.patch(path, body),
    post: (path, body) => cluster.post(path, body),
  };
  await keepNotices(acting, {
    everyMs: 0,
    signal: stop.signal,
    say: () => undefined,
    changed: () => {
      changes += 1;
    },
  });
  return changes;
}

it('a node whose machine ends is marked, and its pods leave, apart from those that belong to it', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'ends' }), saying('b', undefined)];
  cluster.pods = [
    pod('web'),
    pod('alone', {}),
    pod('log', owner('DaemonSet')),
    pod('etcd', { ...owner('Node'), annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    pod('done', owner('Job'), 30, 'Succeeded'),
  ];
  expect(await rounds(cluster, 3)).toBe(1);
  expect(cluster.taints.get('a')).toMatchObject([
    { key: 'other' },
    { key: 'kubeloom.dev/notice', value: 'ends', effect: 'NoSchedule', timeAdded: expect.stringMatching(/:\d\dZ$/) },
  ]);
  expect(cluster.taints.get('b')).toEqual([]);
  expect(cluster.names()).toEqual(['log', 'etcd', 'done']);
});

it('a node that comes back keeps pods without a controller, and is given back when the notice is over', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'returns' })];
  cluster.pods = [pod('web'), pod('alone', {})];
  const changes = await rounds(cluster, 4, (round) => {
    if (round === 3) cluster.said = [saying('a', { kind: 'none' })];
  });
  expect(changes).toBe(2);
  expect(cluster.taints.get('a')).toEqual([{ key: 'other', effect: 'NoSchedule' }]);
  expect(cluster.names()).toEqual(['alone']);
});

it.each(['atRisk', 'pauses'] as const)('a node with the notice %s is marked, and keeps its pods', async (kind) => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind })];
  cluster.pods = [pod('web')];
  await rounds(cluster, 2);
  expect(cluster.kindOf('a')).toBe(kind);
  expect(cluster.names()).toEqual(['web']);
});

it('a pod that a disruption budget holds is asked for again until it may leave', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'ends' })];
  cluster.pods = [pod('web'), pod('db')];
  cluster.held.add('db');
  await rounds(cluster, 4, (round) => {
    if (round === 3) {
      expect(cluster.names()).toEqual(['db']);
      cluster.held.clear();
    }
  });
  expect(cluster.names()).toEqual([]);
});

it('a pod that wants more time than the machine has gets what is left', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'ends', by: new Date(Date.now() + 60_000).toISOString() })];
  cluster.pods = [pod('short', owner('ReplicaSet'), 10), pod('long', owner('StatefulSet'), 600)];
  await rounds(cluster, 2);
  expect(cluster.graces.get('short')).toBeUndefined();
  expect(cluster.graces.get('long')).toBeGreaterThan(40);
  expect(cluster.graces.get('long')).toBeLessThanOrEqual(55);
});

it('an agent that starts again gives back what an earlier one marked, and leaves what a person marked', async () => {
  const cluster = new Cluster();
  const taint = { key: 'kubeloom.dev/notice', value: 'pauses', effect: 'NoSchedule' };
  cluster.taints.set('a', [{ ...taint, timeAdded: '2026-11-01T00:00:00Z' }]).set('b', [taint]);
  cluster.said = [saying('a', { kind: 'none' }), saying('b', { kind: 'none' })];
  await rounds(cluster, 2);
  expect([cluster.kindOf('a'), cluster.kindOf('b')]).toEqual([undefined, 'pauses']);
});

it.each<[string, ReturnType<typeof saying>]>([
  ['a container that died without last words', saying('a', '')],
  ['last words that are no notice', saying('a', '{"kind":"none","node":"b"}')],
  ['a pod that is not ready, and never ended', saying('a', undefined, { conditions: [] })],
])('%s takes nothing back', async (_, unsure) => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'pauses' })];
  await rounds(cluster, 3, (round) => {
    if (round === 2) cluster.said = [unsure];
  });
  expect(cluster.kindOf('a')).toBe('pauses');
});

it('a taint that someone sets at the same moment stays', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'pauses' })];
  cluster.meanwhile = () => {
    cluster.meanwhile = () => undefined;
    cluster.taints.set('a', [{ key: 'meanwhile', effect: 'NoExecute' }]);
  };
  expect(await rounds(cluster, 3)).toBe(1);
  expect(cluster.taints.get('a')?.map(({ key }) => key)).toEqual(['meanwhile', 'kubeloom.dev/notice']);
});

it('an API server that does not answer takes nothing back', async () => {
  const cluster = new Cluster();
  cluster.said = [saying('a', { kind: 'pauses' })];
  await rounds(cluster, 4, (round) => {
    cluster.down = round > 1;
  });
  expect(cluster.kindOf('a')).toBe('pauses');
});

it('a pod of another owner, as a kubelet makes them itself, says nothing', async () => {
  const cluster = new Cluster();
  const lie = saying('a', { kind: 'ends' });
  cluster.said = [{ ...lie, metadata: { ownerReferences: [{ kind: 'Node', name: 'kubeloom-notices-aws' }] } }];
  expect(await rounds(cluster, 2)).toBe(0);
});
