/** Static machines on real Kubernetes: one that leaves keeps nothing of it and joins again, also in another role. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsDirectory } from '#local/kubernetes/available.ts';
import { newest } from '#local/kubernetes/versions.ts';
import { proveNetwork, runApplication } from '../../demo/application.ts';
import { proveKubectl } from '../../demo/proofs.ts';
import { HostWorkshop } from '../hosts/host-workshop.ts';
import { clusterOf, Installation } from '../hosts/installation.ts';

const name = 'rack';
const machines = ['metal-1', 'metal-2', 'metal-3'];
const application = join(import.meta.dirname, '../../demo/application.yaml');

/** What Kubernetes has on a machine, a line each: units, processes, files, mounts, links, routes, rules, containers. */
const traces = `
  systemctl is-active kubelet | grep -x active; systemctl is-enabled kubelet 2>/dev/null | grep -x enabled
  pgrep -l 'kube|etcd|flannel|coredns|containerd-shim'
  ls -d /etc/kubernetes /etc/wireguard/wg0* /etc/kubeloom /var/lib/cni /run/flannel /root/kubeone 2>/dev/null
  find /etc/cni/net.d /var/lib/kubelet /var/lib/etcd -mindepth 1 2>/dev/null
  grep -o '/var/lib/kubelet/[^ ]*' /proc/mounts
  ip -br link | grep -Eo '^(cni|flannel|lxc|veth|wg|kube|cilium)[^ @]*'
  ip route | grep -E '^(10[.]244[.]|192[.]168[.]3[.])'
  iptables-save 2>/dev/null | grep -E 'KUBE|FLANNEL|CNI'
  nft list tables 2>/dev/null | grep -E 'kube|flannel'
  ctr -n k8s.io containers ls -q 2>/dev/null
  true`;

describe('real Kubernetes on static machines', () => {
  const workshop = new HostWorkshop();
  const addresses = new Map<string, string>();
  let installation: Installation;
  const tracesOn = (machine: string) => workshop.ssh(machine, traces, addresses.get(machine));

  function manifest(controls: readonly string[], computes: readonly string[]): unknown {
    const pool = (machine: string) => ({
      name: machine,
      nodes: [{ endpoint: addresses.get(machine), secretRef: { name: 'metal', namespace: 'default' } }],
    });
    return {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'InputManifest',
      metadata: { name },
      spec: {
        nodePools: { static: [...controls, ...computes].map(pool) },
        kubernetes: {
          clusters: [
            {
              name: 'rack',
              version: newest,
              network: '192.168.3.0/24',
              pools: { control: controls, compute: computes },
              // As in the examples: a real KubeOne needs these where there is no internet.
              addons: { path: 'local-network' },
              configureRepositories: false,
              metricsServer: false,
              nodeLocalDNS: false,
            },
          ],
        },
      },
    };
  }

  /** Applies it; every node is ready and runs pods that reach each other. */
  async function prove(controls: readonly string[], computes: readonly string[]): Promise<void> {
    const ended = await installation.apply(name, manifest(controls, computes));
    const cluster = clusterOf(ended);
    expect(ended.status, JSON.stringify(cluster.failure)).toBe('Done');
    const kubeconfig = await installation.kubeconfig(name, cluster);
    await proveKubectl(
      kubeconfig,
      cluster.nodes.map((node) => node.name),
    );
    await proveNetwork(kubeconfig, await runApplication(kubeconfig, application, computes.length));
  }

  beforeAll(async () => {
    const real = { KUBELOOM_HOST_NODE: process.execPath, KUBELOOM_HOST_KUBERNETES: partsDirectory() };
    const site = workshop.site('north');
    await workshop.must(['base-build'], '', real);
    await workshop.must(['site-up', ...site, '--region', 'north']);
    for (const machine of machines) {
      await workshop.must(['up', ...site, '--host', machine, '--id', machine, '--region', 'north'], '', real);
      addresses.set(machine, (await workshop.host(machine)).address);
    }
    installation = await Installation.open();
    const secret = { name: 'metal', namespace: 'default' };
    const privatekey = readFileSync(join(workshop.directory, 'key'), 'utf8');
    await installation.api.putSecret(secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: secret,
      stringData: { privatekey },
    });
  });
  afterAll(async () => {
    await installation?.close();
    await workshop.close();
  });

  it('static machines become a cluster of real Kubernetes', async () => {
    await prove(['metal-1'], ['metal-2', 'metal-3']);
    expect(await tracesOn('metal-3')).toContain('KUBE-');
  });

  it('a static machine that leaves a cluster keeps nothing of Kubernetes', async () => {
    await prove(['metal-1'], ['metal-2']);
    expect(await tracesOn('metal-3')).toBe('');
  });

  it('a static machine that left joins the same cluster again', async () => {
    await prove(['metal-1'], ['metal-2', 'metal-3']);
  });

  it('static machines keep nothing of a cluster that is deleted', async () => {
    await installation.remove(name);
    for (const machine of machines) expect([machine, await tracesOn(machine)]).toEqual([machine, '']);
  });

  it('a former control node becomes a compute node of another cluster, and vice versa', async () => {
    await prove(['metal-2'], ['metal-1', 'metal-3']);
    await installation.remove(name);
    for (const machine of machines) expect([machine, await tracesOn(machine)]).toEqual([machine, '']);
  });
});
