/** What the real API server and kubelets make of the nodes stage: labels, taints, locks, drains within a budget; and the proxy. */
import { describe, expect, it } from 'vitest';
import type { NodeRow } from '#contracts/api-bodies.ts';
import { newest } from '#local/kubernetes/versions.ts';
import { grown, type Manifest, realCluster, two } from './real-cluster.ts';

const changed = async (change: (manifest: Manifest) => void): Promise<Manifest> => {
  const manifest = await grown(newest);
  change(manifest);
  return manifest;
};

describe('nodes of real Kubernetes', () => {
  const cluster = realCluster(() => grown(newest));

  async function nodeOf(pool: string): Promise<NodeRow> {
    const node = (await cluster.cluster()).nodes.find((row) => row.pool === pool);
    if (node === undefined) throw new Error(`there is no node in ${pool}`);
    return node;
  }
  /** A field of a node as the API has it: `.metadata.labels`. */
  const fieldOf = async (pool: string, path: string) =>
    JSON.parse((await cluster.kubectl('get', 'node', (await nodeOf(pool)).name, '-o', `jsonpath={${path}}`)) || 'null');

  it('every kubelet has a certificate that the cluster has signed', async () => {
    const { items } = JSON.parse(await cluster.kubectl('get', 'csr', '-o', 'json'));
    const issued = items.filter(({ status }: { status: { certificate?: string } }) => status.certificate !== undefined);
    expect(issued.length).toBe(items.length);
    expect(items.length).toBeGreaterThanOrEqual(3);
  });

  it('a person is a user of the cluster for a while, with the rights of the role and no others', async () => {
    const viewer = await cluster.issued('view', 600);
    expect(viewer.until.getTime() - Date.now()).toBeLessThanOrEqual(600_000);
    expect(viewer.until.getTime() - Date.now()).toBeGreaterThan(300_000);
    expect(await viewer.kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('kubeloom:local');
    const rights = ['get pods', 'create pods', 'get secrets', 'get nodes'];
    const answers = async ({ kubectl }: typeof viewer) => {
      const output: string[] = [];
      for (const right of rights) output.push(await kubectl('auth', 'can-i', ...right.split(' ')));
      return output;
    };
    expect(await answers(viewer)).toEqual(['yes', 'no', 'no', 'no']);
    expect(await answers(await cluster.issued('edit', 600))).toEqual(['yes', 'yes', 'yes', 'no']);
    expect(await answers(await cluster.issued('admin', 3600))).toEqual(['yes', 'yes', 'yes', 'yes']);
    expect(await cluster.kubectl('get', 'csr', '-o', 'name')).not.toContain('/kubeloom-');
    expect((await cluster.events()).join('\n')).toMatch(
      /kubeconfig of \S+ with the role view, valid until .* issued for local from 127/,
    );
  });

  it('labels, annotations and taints are set and taken away, and those of others stay', async () => {
    const { name } = await nodeOf('compute-1');
    await cluster.kubectl('label', 'node', name, 'example.com/own=yes');
    await cluster.kubectl('taint', 'node', name, 'example.com/own=yes:PreferNoSchedule');
    const own = { key: 'example.com/own', value: 'yes', effect: 'PreferNoSchedule' };
    const given = { key: 'example.com/given', value: 'yes', effect: 'NoSchedule' };
    await cluster.apply(
      await changed(({ spec }) => {
        const pool = spec.nodePools.dynamic.find((candidate) => candidate.name === 'compute-1');
        Object.assign(pool ?? {}, {
          labels: { 'example.com/given': 'yes' },
          annotations: { 'example.com/note': 'a b' },
        });
        Object.assign(pool ?? {}, { taints: [given] });
      }),
    );
    expect(await fieldOf('compute-1', '.metadata.labels')).toMatchObject({
      'example.com/given': 'yes',
      'example.com/own': 'yes',
    });
    expect(await fieldOf('compute-1', '.metadata.annotations')).toMatchObject({ 'example.com/note': 'a b' });
    expect(await fieldOf('compute-1', '.spec.taints')).toEqual(expect.arrayContaining([own, given]));

    await cluster.apply(await grown(newest));
    const labels = await fieldOf('compute-1', '.metadata.labels');
    expect(labels).toMatchObject({ 'example.com/own': 'yes', example: 'two-providers' });
    expect(labels).not.toHaveProperty(['example.com/given']);
    expect(await fieldOf('compute-1', '.metadata.annotations')).not.toHaveProperty(['example.com/note']);
    expect(await fieldOf('compute-1', '.spec.taints')).toEqual([own]);
    await cluster.kubectl('taint', 'node', name, 'example.com/own-');
  });

  it('an installation proxy that does not answer is never used for requests to the cluster itself', async () => {
    // The router of its site: it refuses every connection at once.
    const router = await cluster.ask(await nodeOf('compute-3'), "ip route show default | cut -d' ' -f3");
    const proxy = `http://${router.trim()}:9`;
    await cluster.apply(
      await changed(({ spec }) => {
        spec.kubernetes.clusters[0].installationProxy = { mode: 'on', endpoint: proxy };
      }),
    );
    const environment = async () =>
      cluster.ask(
        await nodeOf('compute-3'),
        'tr "\\0" "\\n" </proc/$(pidof kubelet)/environ | grep -i ^https_proxy= || true',
      );
    expect(await environment()).toContain(proxy);
    await cluster.prove();
    await cluster.apply(await grown(newest));
    expect(await environment()).toBe('');
    await cluster.prove();
  });

  it('a node that is locked stays, one whose pods may not move is waited for, and then it leaves', async () => {
    const { name } = await nodeOf('compute-3');
    await cluster.kubectl('label', 'node', name, 'kubeloom.dev/upgrade-lock=a-backup');
    const minimum = (count: number) =>
      cluster.kubectl('patch', 'pdb', 'hello', '--type=merge', '-p', JSON.stringify({ spec: { minAvailable: count } }));
    await minimum(3);
    const shrunk = cluster.apply(await two(newest));
    await Promise.race([cluster.reported(`${name}: held by the label kubeloom.dev/upgrade-lock`), shrunk]);
    expect(await fieldOf('compute-3', '.spec')).not.toHaveProperty('unschedulable');

    await cluster.kubectl('label', 'node', name, 'kubeloom.dev/upgrade-lock-');
    await cluster.kubectl('wait', `node/${name}`, '--for=jsonpath={.spec.unschedulable}=true', '--timeout=120s');
    const pods = () =>
      cluster.kubectl('get', 'pods', '-l', 'app=hello', '--field-selector', `spec.nodeName=${name}`, '-o', 'name');
    const refused = async () =>
      (await cluster.kubectl('get', '--raw', '/metrics')).match(
        /apiserver_request_total{code="429".*subresource="eviction"/,
      );
    await expect.poll(refused, { timeout: 120_000, interval: 1000 }).not.toBeNull();
    expect(await pods()).not.toBe('');
    await minimum(1);
    await shrunk;
    expect(await cluster.kubectl('get', 'nodes', '-o', 'name')).not.toContain(name);
    await cluster.prove();
  });
});
