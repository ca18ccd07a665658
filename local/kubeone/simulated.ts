/** Brings the programs of node/ to hosts, and asks them: what stands in for Kubernetes. */
import { isIP } from 'node:net';
import { type ReportedNode, reportedNodes } from './known-nodes.ts';
import type { Log } from './log.ts';
import { controlTaint, type HostConfig, type KubeOneCluster } from './manifest.ts';
import type { ClusterKeys, NodeSetup } from './node/setup.ts';
import { type Probe, probe } from './simulated-code.ts';
import type { SshHosts } from './ssh-hosts.ts';

export class Simulated {
  readonly #cluster: KubeOneCluster;
  readonly #hosts: SshHosts;
  readonly #log: Log;
  #leader: HostConfig | undefined;

  constructor(cluster: KubeOneCluster, hosts: SshHosts, log: Log) {
    this.#cluster = cluster;
    this.#hosts = hosts;
    this.#log = log;
  }

  probe(host: HostConfig): Promise<Probe> {
    return probe(this.#hosts, host);
  }

  /** Throws while the API of this control node does not answer. */
  async nodes(control: HostConfig): Promise<readonly ReportedNode[]> {
    return reportedNodes((await this.#hosts.run(control, 'kubeadm nodes')).toString('utf8'));
  }

  /** Makes, repairs or upgrades the first control node, with which the cluster exists. */
  async settleLeader({ host, holdsAuthority }: Probe, known: ReportedNode | undefined): Promise<void> {
    this.#leader = host;
    await this.#settle(host, holdsAuthority ? await this.#keys() : undefined, known);
  }

  /** Joins, repairs or upgrades further nodes. */
  async settle(probes: readonly Probe[], known: readonly ReportedNode[]): Promise<void> {
    const keys = await this.#keys();
    const { caKey, admin, ...workerKeys } = keys;
    await Promise.all(
      probes.map(({ host }) => {
        const given = this.#cluster.controls.includes(host) ? keys : workerKeys;
        return this.#settle(
          host,
          given,
          known.find(({ name }) => name === host.hostname),
        );
      }),
    );
  }

  /** Removes all of it from a host. */
  async reset(host: HostConfig): Promise<void> {
    const command = 'if command -v kubeadm >/dev/null; then kubeadm reset -f; fi; rm -rf /etc/kubernetes';
    await this.#hosts.run(host, command);
  }

  async #settle(host: HostConfig, keys: ClusterKeys | undefined, known: ReportedNode | undefined): Promise<void> {
    const setup = this.#setupOf(host, keys, known?.ready !== true);
    const answer = await this.#hosts.run(host, 'kubeadm setup', JSON.stringify(setup));
    const changed: string[] = JSON.parse(answer.toString('utf8'));
    if (changed.length > 0) this.#log.info(`Started ${changed.join(' and ')} (simulated)...`, host.publicAddress);
  }

  async #keys(): Promise<ClusterKeys> {
    if (this.#leader === undefined) throw new Error('the first control node comes before the others');
    return JSON.parse((await this.#hosts.run(this.#leader, 'kubeadm export-keys')).toString('utf8'));
  }

  #setupOf(host: HostConfig, keys: ClusterKeys | undefined, rejoin: boolean): NodeSetup {
    const { version: kubernetesVersion, controls, name } = this.#cluster;
    const { host: endpointHost, port } = this.#cluster.apiEndpoint;
    const control = controls.includes(host);
    const memberOf = ({ hostname, privateAddress }: HostConfig) => ({
      name: hostname,
      url: `https://${privateAddress}:6443`,
    });
    return {
      keys,
      rejoin,
      controls: controls.map(memberOf),
      kubelet: {
        name: host.hostname,
        control,
        kubernetesVersion,
        internalAddress: host.privateAddress,
        externalAddress: host.publicAddress,
        labels: host.labels ?? {},
        annotations: host.annotations ?? {},
        taints: (host.taints ?? (control ? [controlTaint] : [])).map((taint) => ({ ...taint })),
      },
      apiServer: control
        ? {
            self: memberOf(host),
            kubernetesVersion,
            subjectAltNames: subjectAltNames(this.#cluster, host),
            kubeconfig: { cluster: name, url: `https://${endpointHost}:${port}` },
          }
        : undefined,
    };
  }
}

function subjectAltNames(cluster: KubeOneCluster, host: HostConfig): string {
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const names = [
    ...[cluster.apiEndpoint.host, ...cluster.apiEndpoint.alternativeNames],
    ...[host.hostname, host.privateAddress, host.publicAddress, 'localhost', '127.0.0.1', '10.96.0.1', ...service],
  ];
  return [...new Set(names)].map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name.toLowerCase()}`).join(',');
}
