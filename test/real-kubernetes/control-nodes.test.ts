/** Three control nodes on real etcd: moves of the API endpoint, a lost node under requests, its replacement, a shrink to one. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { NodeRow } from '#contracts/api-bodies.ts';
import { etcdctlIn, etcdEnvironment } from '#runner/kubernetes/etcd-member.ts';
import { proveUntouched } from '../../demo/proofs.ts';
import { certificateOf, proveEndpoint } from './endpoint-proof.ts';
import { realCluster } from './real-cluster.ts';
import { three } from './three-control-nodes.ts';
import { without } from './without-pools.ts';

describe('three control nodes of real Kubernetes', () => {
  const cluster = realCluster(() => three());

  const nodesOf = async (...roles: readonly string[]): Promise<readonly NodeRow[]> =>
    (await cluster.cluster()).nodes.filter(({ role }) => roles.includes(role));

  /** Every control node has a voting member of etcd that is healthy, and etcd has no other. */
  async function proveEtcd(): Promise<void> {
    const controls = (await nodesOf('control')).map(({ name }) => name);
    const asked = controls[0] ?? '';
    const environment = await cluster.kubectl(...etcdEnvironment(asked));
    const etcdctl = (...args: readonly string[]) => cluster.kubectl(...etcdctlIn(asked, environment), ...args);
    const { members } = JSON.parse(await etcdctl('member', 'list', '-w', 'json')) as {
      members: readonly { name: string; isLearner?: boolean }[];
    };
    expect(members.map(({ name, isLearner = false }) => [name, isLearner]).toSorted()).toEqual(
      controls.map((name) => [name, false]).toSorted(),
    );
    const health = JSON.parse(await etcdctl('endpoint', 'health', '--cluster', '-w', 'json')) as readonly {
      health: boolean;
    }[];
    expect(health.map((endpoint) => endpoint.health)).toEqual(controls.map(() => true));
  }

  /** kubeadm makes certificates for the endpoint and every control node, and for no one that left; each API server has its own names. */
  async function proveNames(...gone: readonly string[]): Promise<void> {
    const controls = await nodesOf('control');
    const text = [
      'get',
      'configmap',
      '-n',
      'kube-system',
      'kubeadm-config',
      '-o',
      'jsonpath={.data.ClusterConfiguration}',
    ];
    const { certSANs } = parse(await cluster.kubectl(...text)).apiServer;
    expect(certSANs).toEqual(expect.arrayContaining(controls.map(({ publicAddress }) => publicAddress)));
    for (const address of gone) expect(certSANs).not.toContain(address);
    for (const node of controls) {
      const certificate = await certificateOf(cluster, node);
      for (const name of [await balancer(), node.name, node.privateAddress, node.publicAddress])
        expect(certificate).toContain(`:${name}`);
    }
  }

  const balancer = async (): Promise<string> => (await cluster.cluster()).loadBalancers[0]?.endpoint ?? '';

  it('a cluster of three control nodes over two providers has one etcd of three members', async () => {
    await proveEtcd();
    await proveEndpoint(cluster, await balancer());
    await cluster.prove();
  });

  it('the API endpoint moves from the load balancer to a control node', async () => {
    const ids = await cluster.bootIds();
    await cluster.apply(await three(({ spec }) => spec.loadBalancers.clusters[0].roles.shift()));
    const [first] = await nodesOf('control');
    await proveEndpoint(cluster, first?.publicAddress ?? '');
    proveUntouched(ids, await cluster.bootIds());
  });

  it('the API endpoint moves back to the load balancer', async () => {
    await cluster.apply(await three());
    await proveEndpoint(
      cluster,
      await balancer(),
      ...(await nodesOf('control')).map(({ publicAddress }) => publicAddress ?? ''),
    );
    await cluster.prove();
  });

  it('the API keeps answering when a control node loses power', async () => {
    const lost = (await nodesOf('control')).at(-1);
    if (lost === undefined) throw new Error('there is no control node');
    await cluster.underApiRequests(async () => {
      await cluster.power('kill', lost);
      await cluster.kubectl('wait', `node/${lost.name}`, '--for=condition=Ready=Unknown', '--timeout=180s');
    });
    await cluster.power('down', lost);
  });

  it('a lost control node is replaced, and etcd has three healthy members again', async () => {
    await cluster.repair();
    await proveEtcd();
    await proveEndpoint(cluster, await balancer());
    await cluster.prove();
  });

  it('two control nodes leave with their etcd members, and kubeadm forgets their names', async () => {
    const gone = (await nodesOf('control')).slice(1).map(({ publicAddress }) => publicAddress ?? '');
    await cluster.apply(
      await three((manifest) => {
        for (const pool of manifest.spec.nodePools.dynamic) if (pool.name === 'control') pool.count = 1;
        without(manifest, 'control-2');
      }),
    );
    await proveEtcd();
    await proveNames(...gone);
    await cluster.prove();
  });

  it('two control nodes join the one that is left, and kubeadm learns their names', async () => {
    await cluster.apply(await three());
    await proveEtcd();
    await proveNames();
    await cluster.prove();
  });

  it('a delete of three control nodes leaves nothing behind', async () => {
    expect(await cluster.remove()).toEqual([]);
  });
});
