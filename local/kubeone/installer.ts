/** What the command line of KubeOne needs from whatever puts Kubernetes on hosts: kubeadm, or the simulated control plane. */
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import type { SshHosts } from './ssh-hosts.ts';

export interface Probe {
  readonly host: HostConfig;
  /** null: Kubernetes is not set up here. */
  readonly kubernetesVersion: string | null;
  /** Fingerprint of the cluster's certificate authority. */
  readonly authority: string | null;
  /** Whether further control-plane nodes can join through it. */
  readonly holdsAuthority: boolean;
  /** Waits until its machine has started; absent if it has no machine, or if that cannot be known. */
  readonly apiServerVersion?: string | null;
}

/** A node as the Kubernetes API reports it. */
export interface ReportedNode {
  readonly name: string;
  readonly ready: boolean;
  readonly control: boolean;
  /** Without leading v. */
  readonly version: string;
  /** It has KubeOne's label: its upgrade was started and has not ended. */
  readonly upgrading?: boolean;
}

export interface Installer {
  /** How it is named in logs: "simulated control plane". */
  readonly words: string;
  readonly joinTimeoutMs: number;
  probe(host: HostConfig): Promise<Probe>;
  /** Throws while the API of this control node does not answer. */
  nodes(control: HostConfig): Promise<readonly ReportedNode[]>;
  /** Makes, repairs or upgrades the first control node, with which the cluster exists. */
  settleLeader(leader: Probe, known: ReportedNode | undefined): Promise<void>;
  /** Joins, repairs or upgrades further nodes, as many at once as is safe. */
  settle(hosts: readonly Probe[], known: readonly ReportedNode[]): Promise<void>;
  /** Removes a control node, that the manifest does not have, from etcd and Kubernetes; not every installer can. */
  forget?(name: string): Promise<void>;
  /** Removes Kubernetes from a host. */
  reset(host: HostConfig): Promise<void>;
}

/** What every installer works with. */
export abstract class ClusterInstaller {
  protected readonly cluster: KubeOneCluster;
  protected readonly hosts: SshHosts;
  protected readonly log: Log;
  #leader: HostConfig | undefined;

  constructor(cluster: KubeOneCluster, hosts: SshHosts, log: Log) {
    this.cluster = cluster;
    this.hosts = hosts;
    this.log = log;
  }

  /** The first control node, once `settleLeader` has chosen it. */
  protected get leader(): HostConfig {
    if (this.#leader === undefined) throw new Error('the first control node comes before the others');
    return this.#leader;
  }

  protected set leader(host: HostConfig) {
    this.#leader = host;
  }
}
