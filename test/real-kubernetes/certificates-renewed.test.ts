/**
 * A cluster that no one changes for years: three times its certificates are as old as after ten months, and its check renews them while the API
 * and the application answer. Then all of them end at once, the API is silent, and a check brings it back.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { NodeRow } from '#contracts/api-bodies.ts';
import { requests } from '../../demo/requests.ts';
import { realCluster } from './real-cluster.ts';
import { three } from './three-control-nodes.ts';

const years = 3;
const dayMs = 86_400_000;
const age = readFileSync(new URL('age-certificates.sh', import.meta.url), 'base64');
const renewed = ['apiserver', 'apiserver-etcd-client', 'front-proxy-client', 'etcd/server', 'etcd/peer'];

describe('three control nodes whose certificates end', () => {
  const cluster = realCluster(() => three());
  const controls = async (): Promise<readonly NodeRow[]> =>
    (await cluster.cluster()).nodes.filter(({ role }) => role === 'control');
  const daysLeft = async (node: NodeRow, file: string): Promise<number> => {
    const text = await cluster.ask(node, `openssl x509 -noout -enddate -in /etc/kubernetes/pki/${file}.crt`);
    return (Date.parse(text.split('=')[1] ?? '') - Date.now()) / dayMs;
  };
  const renewals = async (): Promise<number> =>
    (await cluster.eventList()).filter(({ kind }) => kind === 'CertificatesRenewed').length;

  /** As they are so many days after they were made; Kubeloom keeps the kubeconfig of the first node. */
  async function makeOld(madeDaysAgo: number, daysToEnd: number): Promise<void> {
    const nodes = await controls();
    for (const node of nodes) await cluster.ask(node, `echo ${age} | base64 -d | bash -s ${madeDaysAgo} ${daysToEnd}`);
    const [first] = nodes;
    if (first === undefined) throw new Error('there is no control node');
    await cluster.keepKubeconfig(`${await cluster.ask(first, 'cat /etc/kubernetes/admin.conf')}\n`);
  }

  async function proveRenewed(): Promise<void> {
    for (const node of await controls())
      for (const file of renewed) expect(await daysLeft(node, file), `${node.name} ${file}`).toBeGreaterThan(300);
    const { certificates } = await cluster.cluster();
    expect(Date.parse(certificates?.next?.until ?? '')).toBeGreaterThan(Date.now() + 300 * dayMs);
  }

  it('three times in a row the check renews them, without a change, and the API answers throughout', async () => {
    const load = requests(cluster.askNodes);
    for (let year = 1; year <= years; year += 1) {
      await makeOld(305, 60);
      await cluster.check();
      await proveRenewed();
      expect(await renewals()).toBe(3 * year);
    }
    const sent = await load.stop();
    expect(sent).toBeGreaterThan(1000);
    process.stdout.write(`${await renewals()} renewals, ${sent} requests answered\n`);
    await cluster.prove();
  });

  it('a cluster whose certificates have all ended answers again after a check', async () => {
    await makeOld(370, -5);
    const pods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].join(' ');
    for (const node of await controls())
      await cluster.ask(node, `for pod in ${pods}; do crictl stop $(crictl ps -q --name=$pod); done`);
    await expect(cluster.askNodes()).rejects.toThrow();
    await cluster.check();
    await proveRenewed();
    await cluster.prove();
  });

  it('a delete of the cluster leaves nothing behind', async () => {
    expect(await cluster.remove()).toEqual([]);
  });
});
