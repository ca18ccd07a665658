/**
 * What everyone who speaks as `kubeone` does with a cluster: KubeOne itself, our stand-in on kubeadm, and the simulated control plane. Words
 * and exit codes are those of KubeOne 1.13.7.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { NodesFleet } from '../hosts/nodes-fleet.ts';
import { clusterRefusals, outcome, type Speaker } from './kubeone-contract.ts';

export interface ClusterSpeaker extends Speaker {
  readonly kubernetes: 'real' | 'simulated';
  /** The second is the next patch. */
  readonly versions: readonly [string, string];
}

const addons = join(import.meta.dirname, '../../templates/addons/local-network');

/** The part with a cluster: one control node and two compute nodes on hosts of this machine. */
export function kubeoneClusterContract({ name, program, env = {}, kubernetes, versions }: ClusterSpeaker): void {
  const [first, next] = versions;
  const fleet = new NodesFleet(
    [
      { name: 'control-1', kind: 'control', provider: 'north' },
      { name: 'worker-1', kind: 'compute', provider: 'north' },
      { name: 'worker-2', kind: 'compute', provider: 'south' },
    ],
    kubernetes,
  );

  describe(`${name} as kubeone with a cluster`, () => {
    beforeAll(async () => {
      await fleet.start();
      const installed = await fleet.play('configure', { install: fleet.nodes.map((node) => node.name) });
      expect(installed.troubles).toEqual([]);
    });
    afterAll(() => fleet.stop());

    const run = (command: string, version: string, workers: readonly string[], ...more: readonly string[]) => {
      writeFileSync(join(fleet.directory, 'kubeone.yaml'), stringify(manifest(fleet, version, workers)));
      const place = { directory: fleet.directory, env };
      return outcome(program, [command, '-m', 'kubeone.yaml', '-y', ...more], place);
    };
    const apply = (version: string, ...workers: readonly string[]) => run('apply', version, workers);
    const applied = async (version: string, ...workers: readonly string[]) => {
      const { code, stderr } = await apply(version, ...workers);
      expect(code, stderr.slice(-2000)).toBe(0);
    };
    const kubectl = async (...args: readonly string[]) => {
      const kubeconfig = `--kubeconfig=${join(fleet.directory, 'shop-kubeconfig')}`;
      const place = { directory: fleet.directory, env: { HOME: fleet.directory } };
      const { code, stdout, stderr } = await outcome('kubectl', [kubeconfig, '--request-timeout=30s', ...args], place);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    /** Name, version and whether pods may run there, of nodes that are ready. */
    const nodes = async () => {
      const { items } = JSON.parse(await kubectl('get', 'nodes', '-o', 'json'));
      return items.map(({ metadata, spec, status }: KubernetesNode) => {
        const ready = status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
        return `${metadata.name} ${status.nodeInfo.kubeletVersion} ${ready ? 'ready' : 'not ready'}${spec.unschedulable ? ' cordoned' : ''}`;
      });
    };
    const ready = (version: string, ...names: readonly string[]) => names.map((node) => `${node} v${version} ready`);
    /** Changes when a node is made again, or one of its certificates and static pods. */
    const identity = async (node: string) => {
      const files = await fleet.ssh(
        node,
        'cat /etc/kubernetes/manifests/* /etc/kubernetes/pki/*.crt 2>/dev/null | sha256sum',
      );
      return [await kubectl('get', 'node', node, '-o', 'jsonpath={.metadata.uid}'), files];
    };
    /** Changes also with each start of the kubelet. */
    const state = async (node: string) => [
      ...(await identity(node)),
      await fleet.ssh(node, 'systemctl show kubelet -p ExecMainStartTimestampMonotonic'),
    ];

    test(`${name} installs a cluster, and writes a kubeconfig for no one else`, async () => {
      await applied(first, 'worker-1');
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1'));
      const certificate = 'openssl x509 -noout -ext subjectAltName -in /etc/kubernetes/pki/apiserver.crt';
      expect(await fleet.ssh('control-1', certificate)).toMatch(/DNS:api\.shop\.example/);
      const kubeconfig = join(fleet.directory, 'shop-kubeconfig');
      expect(readFileSync(kubeconfig, 'utf8')).toContain(`server: https://${fleet.address('control-1')}:6443`);
      expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    });

    test(`${name} changes nothing the second time`, async () => {
      const before = [await state('control-1'), await state('worker-1')];
      await applied(first, 'worker-1');
      expect([await state('control-1'), await state('worker-1')]).toEqual(before);
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1'));
    });

    // KubeOne restarts the kubelets of the others.
    test(`${name} joins a compute node, and the others stay the nodes that they are`, async () => {
      const before = [await identity('control-1'), await identity('worker-1')];
      await applied(first, 'worker-1', 'worker-2');
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1', 'worker-2'));
      expect([await identity('control-1'), await identity('worker-1')]).toEqual(before);
    });

    test(`${name} leaves a compute node in the cluster that its manifest no longer has`, async () => {
      await applied(first, 'worker-1');
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1', 'worker-2'));
    });

    test(`${name} refuses an upgrade together with a join`, async () => {
      await kubectl('delete', 'node', 'worker-2');
      await fleet.ssh(
        'worker-2',
        'kubeadm reset -f >&2; rm -rf /etc/cni/net.d; ip link delete lxc0 2>/dev/null || true',
      );
      const { code, stderr } = await apply(next, 'worker-1', 'worker-2');
      const { joinAndUpgrade } = clusterRefusals;
      expect([code, stderr]).toEqual([joinAndUpgrade.code, expect.stringContaining(joinAndUpgrade.words)]);
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1'));
    });

    test(`${name} joins a compute node again that was deleted and reset`, async () => {
      await applied(first, 'worker-1', 'worker-2');
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1', 'worker-2'));
    });

    test(`${name} upgrades every node by a patch`, async () => {
      await applied(next, 'worker-1', 'worker-2');
      expect(await nodes()).toEqual(ready(next, 'control-1', 'worker-1', 'worker-2'));
    });

    test(`${name} refuses a downgrade`, async () => {
      const { code, stderr } = await apply(first, 'worker-1', 'worker-2');
      const { downgrade } = clusterRefusals;
      expect([code, stderr]).toEqual([downgrade.code, expect.stringContaining(downgrade.words)]);
    });

    test(`${name} resets every host, to the last container`, async () => {
      // As the stage does it.
      const options = ['--destroy-workers=false', '--remove-volumes=false', '--remove-lb-services=false'];
      const { code, stderr } = await run('reset', next, ['worker-1', 'worker-2'], '--remove-binaries', ...options);
      expect(code, stderr.slice(-2000)).toBe(0);
      for (const { name: host } of fleet.nodes) {
        const left = `ls /etc/kubernetes/*.conf /etc/kubernetes/pki/ca.crt 2>/dev/null; systemctl is-active kubelet | grep -x active; command -v kubeadm kubelet; pgrep -l 'kube|etcd'; ctr -n k8s.io containers ls -q 2>/dev/null; true`;
        expect([host, await fleet.ssh(host, left)]).toEqual([host, '']);
      }
    });
  });
}

interface KubernetesNode {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly unschedulable?: boolean };
  readonly status: {
    readonly nodeInfo: { readonly kubeletVersion: string };
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

/** As the kubernetes stage writes it for local hosts. */
function manifest(fleet: NodesFleet, version: string, workers: readonly string[]): object {
  const host = (name: string) => ({
    hostname: name,
    publicAddress: fleet.address(name),
    privateAddress: fleet.privateAddress(name),
    sshUsername: 'root',
    sshPrivateKeyFile: fleet.keyFile,
  });
  return {
    apiVersion: 'kubeone.k8c.io/v1beta2',
    kind: 'KubeOneCluster',
    name: 'shop',
    versions: { kubernetes: version },
    cloudProvider: { none: {}, external: false },
    apiEndpoint: { host: fleet.address('control-1'), port: 6443, alternativeNames: ['api.shop.example'] },
    clusterNetwork: {
      kubeProxy: { skipInstallation: true },
      cni: { cilium: { enableHubble: true, kubeProxyReplacement: 'strict' } },
    },
    features: {
      coreDNS: { replicas: 2, deployPodDisruptionBudget: true },
      nodeLocalDNS: { deploy: false },
      metricsServer: { enable: false },
    },
    systemPackages: { configureRepositories: false },
    addons: { enable: true, path: addons },
    controlPlane: { hosts: [host('control-1')] },
    staticWorkers: { hosts: workers.map(host) },
    machineController: { deploy: false },
    operatingSystemManager: { deploy: false },
  };
}
