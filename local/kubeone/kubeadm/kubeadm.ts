/** Real Kubernetes: packages and kubeadm on hosts, over SSH. Steps of one host are the functions of node.sh. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { flannelVersion, kubernetesVersions } from '../../kubernetes/parts.ts';
import { ClusterInstaller, type Installer, type Probe, type ReportedNode } from '../installer.ts';
import { reportedNodes } from '../known-nodes.ts';
import type { Log } from '../log.ts';
import { controlTaint, type HostConfig, type KubeOneCluster } from '../manifest.ts';
import { quoted, type SshHosts } from '../ssh-hosts.ts';

const script = readFileSync(join(import.meta.dirname, 'node.sh'), 'utf8');
/** Add-ons of KubeOne; only their network is installed here. */
const localAddons = join(import.meta.dirname, '..', '..', '..', 'templates', 'addons', 'local-network');
const etcdctlEnvironment = Object.entries({
  ETCDCTL_ENDPOINTS: 'https://127.0.0.1:2379',
  ETCDCTL_CACERT: '/etc/kubernetes/pki/etcd/ca.crt',
  ETCDCTL_CERT: '/etc/kubernetes/pki/etcd/healthcheck-client.crt',
  ETCDCTL_KEY: '/etc/kubernetes/pki/etcd/healthcheck-client.key',
}).map(([name, value]) => ({ name, value }));
const podSubnet = '10.244.0.0/16';

interface Credentials {
  readonly token: string;
  readonly caCertHash: string;
  readonly certificateKey: string;
}

export class Kubeadm extends ClusterInstaller implements Installer {
  readonly words = 'installed with kubeadm by the stand-in for KubeOne';
  readonly joinTimeoutMs = 300_000;

  constructor(cluster: KubeOneCluster, hosts: SshHosts, log: Log) {
    super(cluster, hosts, log);
    const known = kubernetesVersions.map(({ version }) => version);
    if (!known.includes(cluster.version))
      throw new Error(
        `Kubernetes ${cluster.version} is not among the parts of this machine: choose ${known.join(', ')}`,
      );
  }

  async probe(host: HostConfig): Promise<Probe> {
    return { host, ...JSON.parse(await this.#step(host, ['probe'])) };
  }

  async nodes(control: HostConfig): Promise<readonly ReportedNode[]> {
    return reportedNodes(await this.#step(control, ['kubectl', 'get', 'nodes', '-o', 'json', '--request-timeout=10s']));
  }

  async settleLeader({ host }: Probe, known: ReportedNode | undefined): Promise<void> {
    this.leader = host;
    if (known?.control !== true) {
      this.log.info(`Initializing Kubernetes ${this.cluster.version} on leader...`, host.publicAddress);
      await this.#step(host, ['init', this.cluster.version, this.#pause()], {
        KUBEADM_CONFIG: this.#initConfig(host),
      });
    } else await this.#upgrade(host, known, 'apply');
    const unavailable =
      this.cluster.network === 'external' ? '' : `, in place of ${this.cluster.network}, which is not available here`;
    this.log.info(`Ensuring the network: flannel ${flannelVersion} over WireGuard${unavailable}`);
    const { addons } = this.cluster;
    if (addons !== undefined && addons !== localAddons)
      this.log.warning(`the add-ons in ${addons} are not applied: only KubeOne itself can`);
    await this.#step(host, ['network'], { NETWORK: this.#network() });
  }

  async settle(probes: readonly Probe[], known: readonly ReportedNode[]): Promise<void> {
    // A node whose machine has lost Kubernetes joins again.
    const joining = probes.filter(
      ({ host, kubernetesVersion }) => kubernetesVersion === null || !known.some(({ name }) => name === host.hostname),
    );
    const controls = joining.filter(({ host }) => this.cluster.controls.includes(host));
    if (joining.length > 0) {
      const credentials: Credentials = JSON.parse(
        await this.#step(this.leader, ['credentials', controls.length > 0 ? 'controls' : 'workers']),
      );
      // etcd takes one new member at a time.
      for (const { host } of controls) await this.#join(host, credentials);
      await Promise.all(
        joining.filter((probe) => !controls.includes(probe)).map(({ host }) => this.#join(host, credentials)),
      );
    }
    for (const { host } of probes.filter((probe) => !joining.includes(probe))) {
      const node = known.find(({ name }) => name === host.hostname);
      if (node !== undefined) await this.#upgrade(host, node, 'node');
    }
  }

  async forget(name: string): Promise<void> {
    await this.#step(this.leader, ['forget', name, this.leader.hostname]);
  }

  async reset(host: HostConfig): Promise<void> {
    await this.#step(host, ['reset', this.cluster.removeBinaries ? 'binaries' : '']);
  }

  async #join(host: HostConfig, credentials: Credentials): Promise<void> {
    const control = this.cluster.controls.includes(host);
    this.log.info(control ? 'Joining controlplane node...' : 'Joining worker node...', host.publicAddress);
    await this.#step(host, ['join', this.cluster.version, this.#pause(), control ? 'join_control.yaml' : 'join.yaml'], {
      KUBEADM_CONFIG: this.#joinConfig(host, control, credentials),
      ...(control && { FULL_CONFIG: this.#initConfig(host) }),
    });
  }

  /** What moves the API endpoint later reads the whole configuration on each control node, in the present version. */
  async #keepConfiguration(host: HostConfig): Promise<void> {
    await this.#step(host, ['configuration', 'master_full.yaml'], { KUBEADM_CONFIG: this.#initConfig(host) });
  }

  /** `apply` upgrades the cluster by its leader, `node` every other node. Nothing to do when the version is there, unless it is forced. */
  async #upgrade(host: HostConfig, node: ReportedNode, way: 'apply' | 'node'): Promise<void> {
    const { version, forceUpgrade } = this.cluster;
    if (node.version === version && !forceUpgrade) return;
    this.log.info(`Upgrading Kubernetes ${node.version} to ${version}...`, host.publicAddress);
    this.log.info('Draining node...', host.publicAddress);
    await this.#step(this.leader, ['drain', node.name]);
    this.log.info(`Running kubeadm upgrade ${way}...`, host.publicAddress);
    await this.#step(host, ['upgrade_by_kubeadm', version, way]);
    this.log.info('Upgrading kubelet...', host.publicAddress);
    await this.#step(host, ['upgrade_kubelet', version]);
    if (this.cluster.controls.includes(host)) await this.#keepConfiguration(host);
    await this.#step(this.leader, ['resume', node.name]);
  }

  /** Runs one function of node.sh, with variables that are not seen in any list of processes. */
  async #step(host: HostConfig, words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const assigned = Object.entries(variables).map(
      ([name, text]) => `${name}=${Buffer.from(text, 'utf8').toString('base64')}`,
    );
    const text = [...assigned, script, `${words.map(quoted).join(' ')} </dev/null`, ''].join('\n');
    return (await this.hosts.run(host, 'bash -s', text)).toString('utf8');
  }

  #pause(): string {
    return kubernetesVersions.find(({ version }) => version === this.cluster.version)?.pause ?? '';
  }

  #initConfig(host: HostConfig): string {
    const { name, version, apiEndpoint, controls } = this.cluster;
    const names = [apiEndpoint.host, ...apiEndpoint.alternativeNames];
    const addresses = controls.flatMap(({ hostname, publicAddress, privateAddress }) => [
      hostname,
      publicAddress,
      privateAddress,
    ]);
    const documents = [
      {
        apiVersion: 'kubeadm.k8s.io/v1beta4',
        kind: 'InitConfiguration',
        skipPhases: ['addon/kube-proxy'],
        localAPIEndpoint: { advertiseAddress: host.privateAddress, bindPort: 6443 },
        nodeRegistration: this.#registration(host, true),
      },
      {
        apiVersion: 'kubeadm.k8s.io/v1beta4',
        kind: 'ClusterConfiguration',
        clusterName: name,
        kubernetesVersion: `v${version}`,
        controlPlaneEndpoint: `${apiEndpoint.host}:${apiEndpoint.port}`,
        networking: { podSubnet, serviceSubnet: '10.96.0.0/12' },
        apiServer: { certSANs: [...new Set([...names, ...addresses, 'localhost', '127.0.0.1'])] },
        // As KubeOne: etcdctl then refuses these as flags.
        etcd: { local: { extraEnvs: etcdctlEnvironment } },
        proxy: { disabled: true },
      },
      {
        apiVersion: 'kubelet.config.k8s.io/v1beta1',
        kind: 'KubeletConfiguration',
        cgroupDriver: 'systemd',
      },
    ];
    return documents.map((document) => stringify(document)).join('---\n');
  }

  #joinConfig(host: HostConfig, control: boolean, { token, caCertHash, certificateKey }: Credentials): string {
    const { apiEndpoint } = this.cluster;
    return stringify({
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'JoinConfiguration',
      discovery: {
        bootstrapToken: {
          token,
          apiServerEndpoint: `${apiEndpoint.host}:${apiEndpoint.port}`,
          caCertHashes: [caCertHash],
        },
      },
      nodeRegistration: this.#registration(host, control),
      ...(control && {
        controlPlane: { certificateKey, localAPIEndpoint: { advertiseAddress: host.privateAddress, bindPort: 6443 } },
      }),
    });
  }

  #registration(host: HostConfig, control: boolean) {
    return {
      name: host.hostname,
      criSocket: 'unix:///run/containerd/containerd.sock',
      imagePullPolicy: 'IfNotPresent',
      kubeletExtraArgs: [{ name: 'node-ip', value: host.privateAddress }],
      taints: host.taints ?? (control ? [controlTaint] : []),
    };
  }

  #network(): string {
    const { apiEndpoint, version } = this.cluster;
    const values: Readonly<Record<string, string>> = {
      'APIEndpoint.Host': apiEndpoint.host,
      'APIEndpoint.Port': String(apiEndpoint.port),
      'ClusterNetwork.PodSubnet': podSubnet,
      'Versions.Kubernetes': version,
    };
    return readFileSync(join(localAddons, 'cni-cilium', 'network.yaml'), 'utf8').replace(
      /\{\{ \.Config\.([A-Za-z.]+) \}\}/g,
      (whole, name) => values[name] ?? whole,
    );
  }
}
