/**
 * A cluster that no one changes, whose certificates end after minutes: three times its checks renew them before, and the API answers throughout,
 * also long after the first ones have ended.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { NodeRow } from '#contracts/api-bodies.ts';
import { type Requests, requests } from '../../demo/requests.ts';
import { realCluster } from './real-cluster.ts';
import { three } from './three-control-nodes.ts';

/** kubeadm dates them five minutes back: they are renewed when a third of 13 minutes is left, or a little before. */
const minutes = 8;
const times = 3;

describe('three control nodes whose certificates end after minutes', () => {
  const cluster = realCluster(() => three());
  const controls = async (): Promise<readonly NodeRow[]> =>
    (await cluster.cluster()).nodes.filter(({ role }) => role === 'control');
  const endOn = async (node: NodeRow, file = 'apiserver'): Promise<number> =>
    Date.parse(
      (await cluster.ask(node, `openssl x509 -noout -enddate -in /etc/kubernetes/pki/${file}.crt`)).split('=')[1] ?? '',
    );
  /** Its own API server answers again, with the new kubeconfig. */
  async function ready(node: NodeRow): Promise<void> {
    for (;;) {
      await pause(3000);
      const ask = 'kubectl --kubeconfig=/etc/kubernetes/admin.conf --request-timeout=5s get --raw /readyz || true';
      if ((await cluster.ask(node, ask).catch(() => '')) === 'ok') return;
    }
  }
  /** When the first certificates have ended, ms. */
  let firstEnd = 0;

  it('certificates of minutes are found to end, and everything uses them', async () => {
    const place = ['configmap', '-n', 'kube-system', 'kubeadm-config'];
    const configuration = parse(await cluster.kubectl('get', ...place, '-o', 'jsonpath={.data.ClusterConfiguration}'));
    const text = stringify({ ...configuration, certificateValidityPeriod: `${minutes}m` });
    await cluster.kubectl(
      'patch',
      ...place,
      '--type=merge',
      '-p',
      JSON.stringify({ data: { ClusterConfiguration: text } }),
    );
    const pods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
    for (const node of await controls()) {
      await cluster.ask(
        node,
        `kubeadm certs renew all && for pod in ${pods.join(' ')}; do crictl stop $(crictl ps -q --name=$pod); done`,
      );
      await ready(node);
    }
    const ends = await Promise.all((await controls()).map((node) => endOn(node)));
    firstEnd = Math.min(...ends);
    expect(Math.max(...ends)).toBeLessThan(Date.now() + minutes * 60_000);
    const [first] = await controls();
    if (first === undefined) throw new Error('there is no control node');
    await cluster.keepKubeconfig(`${await cluster.ask(first, 'cat /etc/kubernetes/admin.conf')}\n`);
  });

  it('checks renew them three times in a row, and the API and the application answer throughout', async () => {
    let load: Requests | undefined;
    for (let time = 1; time <= times; time += 1) {
      load ??= requests(cluster.askNodes);
      const before = await Promise.all((await controls()).map((node) => endOn(node)));
      await cluster.check();
      while ((await endOn((await controls())[0] as NodeRow)) === before[0]) {
        await pause(20_000);
        await cluster.check();
      }
      for (const [index, node] of (await controls()).entries())
        for (const file of ['apiserver', 'front-proxy-client', 'etcd/server', 'etcd/peer'])
          expect(await endOn(node, file)).toBeGreaterThan(before[index] ?? 0);
    }
    const sent = await load?.stop();
    expect(sent).toBeGreaterThan(1000);
    expect(Date.now()).toBeGreaterThan(firstEnd);
    const renewed = (await cluster.eventList()).filter(({ kind }) => kind === 'CertificatesRenewed');
    console.log(
      JSON.stringify({
        sent,
        renewed: renewed.length,
        firstEnded: new Date(firstEnd).toISOString(),
        now: new Date().toISOString(),
      }),
    );
    expect(renewed.length).toBeGreaterThanOrEqual(3 * times);
    await cluster.prove();
  }, 2_700_000);

  it('a delete of the cluster leaves nothing behind', async () => {
    expect(await cluster.remove()).toEqual([]);
  });
});
