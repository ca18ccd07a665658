/**
 * What everyone who speaks as `kubeone` does with a cluster: KubeOne itself, and the simulated control plane. Words
 * and exit codes are those of KubeOne 1.13.7.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { etcdctlIn, etcdEnvironment } from '#runner/kubernetes/etcd-member.ts';
import { NodesFleet } from '../hosts/nodes-fleet.ts';
import { clusterRefusals, outcome, type Speaker } from './kubeone-contract.ts';
import { fleetManifest } from './kubeone-fleet-manifest.ts';

export interface ClusterSpeaker extends Speaker {
  readonly kubernetes: 'real' | 'simulated';
  /** The second is the next patch. */
  readonly versions: readonly [string, string];
}

/** The part with a cluster on hosts of this machine: one control node and two compute nodes; of real Kubernetes also another control node. */
export function kubeoneClusterContract({ name, program, env = {}, kubernetes, versions }: ClusterSpeaker): void {
  const [first, next] = versions;
  const real = kubernetes === 'real';
  const fleet = new NodesFleet(
    [
      { name: 'control-1', kind: 'control', provider: 'north' },
      ...(real ? [{ name: 'control-2', kind: 'control', provider: 'south' } as const] : []),
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

    const run = (command: string, version: string, others: readonly string[], ...more: readonly string[]) => {
      writeFileSync(join(fleet.directory, 'kubeone.yaml'), stringify(fleetManifest(fleet, version, others)));
      const place = { directory: fleet.directory, env };
      return outcome(program, [command, '-m', 'kubeone.yaml', '-y', ...more], place);
    };
    const apply = (version: string, ...others: readonly string[]) => run('apply', version, others);
    const applied = async (version: string, ...others: readonly string[]) => {
      const { code, stderr } = await apply(version, ...others);
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
    const members = async () => {
      const etcdctl = etcdctlIn('control-1', await kubectl(...etcdEnvironment('control-1')));
      const found = JSON.parse(await kubectl(...etcdctl, 'member', 'list', '-w', 'json'));
      return found.members.map((member: { name: string }) => member.name).toSorted();
    };
    /** Changes when a node is recreated, or one of its certificates and static pods. */
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

    const certificate = 'openssl x509 -noout -ext subjectAltName -in /etc/kubernetes/pki/apiserver.crt';

    test(`${name} installs a cluster, and writes a kubeconfig for no one else`, async () => {
      await applied(first, 'worker-1');
      expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1'));
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

    // The simulated control plane has no etcd, and leaves them.
    test.runIf(real)(
      `${name} joins a control node with every name of the API, and removes it from etcd when the manifest no longer has it`,
      async () => {
        await applied(first, 'control-2', 'worker-1', 'worker-2');
        expect(await members()).toEqual(['control-1', 'control-2']);
        expect(await fleet.ssh('control-2', certificate)).toMatch(/DNS:control-2\.shop\.example/);
        await applied(first, 'worker-1', 'worker-2');
        expect(await members()).toEqual(['control-1']);
        expect(await nodes()).toEqual(ready(first, 'control-1', 'worker-1', 'worker-2'));
        await fleet.power('kill', 'control-2');
      },
    );

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
      for (const host of ['control-1', 'worker-1', 'worker-2']) {
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
