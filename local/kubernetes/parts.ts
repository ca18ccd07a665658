/**
 * What real Kubernetes on local hosts consists of: the one table of versions. All of it is built from public Go modules, which the
 * Go checksum database vouches for, and from Debian packages (`npm run kubernetes:build`).
 */

export interface KubernetesVersion {
  /** Three numbers, without leading v. */
  readonly version: string;
  /** Images that kubeadm of this version asks for, by tag. */
  readonly etcd: string;
  readonly coredns: string;
  readonly pause: string;
}

/** Oldest first. The kubelet refuses cgroup v1 from 1.35 on, so these work on every machine. */
export const kubernetesVersions: readonly KubernetesVersion[] = [
  { version: '1.33.4', etcd: '3.5.21-0', coredns: 'v1.12.0', pause: '3.10' },
  { version: '1.34.3', etcd: '3.6.5-0', coredns: 'v1.12.1', pause: '3.10.1' },
  { version: '1.34.4', etcd: '3.6.5-0', coredns: 'v1.12.1', pause: '3.10.1' },
];

export const containerdVersion = '2.2.9';
export const cniPluginsVersion = '1.7.1';
export const flannelVersion = '0.28.4';
/** Own small `crictl` (build/crictl): what KubeOne calls of it. The release of that name is no Go module. */
export const criToolsVersion = '1.34.0';
export const criApiVersion = '0.34.4';

/**
 * A release of KubeOne for each row of functions/domain/kubernetes-versions.ts, newest first, as in the image of the runner. A machine works
 * without the last one: no Kubernetes above needs it.
 */
export const kubeoneVersions = ['1.14.1', '1.13.5', '1.12.3'] as const;

/** Commands of one Go module, built with the versions that the module itself asks for. */
export interface GoPart {
  /** Directory of its programs. */
  readonly name: string;
  readonly module: string;
  /** With leading v. */
  readonly version: string;
  /** Package to the name of its program. */
  readonly programs: Readonly<Record<string, string>>;
  readonly ldflags?: readonly string[];
  readonly tags?: readonly string[];
  readonly cgo?: true;
  /** Versions that replace those of the module's own go.mod: `module@version`. */
  readonly requires?: readonly string[];
  /** Its go.mod names modules of its own repository by directory (`./staging/…`): they are published as this version. */
  readonly stagingVersion?: string;
  /** Modules that cannot be had, and the directories of build/ that take their place: ours, with the names that the part compiles against. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** The build says what was refused, and continues without it. */
  readonly optional?: true;
  /** CPU seconds on the machine where this was measured, with nothing in Go's caches. */
  readonly seconds: number;
}

const kubernetesPrograms = [
  ...['kubeadm', 'kubelet', 'kubectl', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'],
] as const;

function kubernetes(version: string, seconds: number): GoPart {
  const [, minor = ''] = version.split('.');
  const facts = {
    gitVersion: `v${version}`,
    gitMajor: '1',
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'from-module-proxy',
    buildDate: '1970-01-01T00:00:00Z',
  };
  return {
    name: `kubernetes-${version}`,
    module: 'k8s.io/kubernetes',
    version: `v${version}`,
    programs: {
      ...Object.fromEntries(kubernetesPrograms.map((name) => [`k8s.io/kubernetes/cmd/${name}`, name])),
      // The test image of Kubernetes itself: an application for clusters that have no registry of the internet.
      'k8s.io/kubernetes/test/images/agnhost': 'agnhost',
    },
    ldflags: ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((place) =>
      Object.entries(facts).map(([name, value]) => `-X=${place}.${name}=${value}`),
    ),
    stagingVersion: `v0.${version.slice(2)}`,
    seconds,
  };
}

function kubeone(version: string): GoPart {
  const facts = { version, commit: 'from-module-proxy', date: '1970-01-01T00:00:00Z' };
  return {
    name: `kubeone-${version}`,
    module: 'k8c.io/kubeone',
    version: `v${version}`,
    programs: { 'k8c.io/kubeone': `kubeone-${version}` },
    ldflags: Object.entries(facts).map(([name, value]) => `-X=k8c.io/kubeone/pkg/cmd.${name}=${value}`),
    replaced: {
      'k8c.io/machine-controller': 'machine-controller',
      'k8c.io/machine-controller/sdk': 'machine-controller/sdk',
    },
    ...(version === kubeoneVersions.at(-1) ? { optional: true } : {}),
    seconds: 180,
  };
}

const only = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];
const plain = (tag: string): string => tag.replace(/^v/, '').replace(/-\d+$/, '');
const containerd = 'github.com/containerd/containerd/v2';
const cni = 'github.com/containernetworking/plugins';

export const goParts: readonly GoPart[] = [
  {
    name: 'containerd',
    module: containerd,
    version: `v${containerdVersion}`,
    programs: {
      [`${containerd}/cmd/containerd`]: 'containerd',
      [`${containerd}/cmd/containerd-shim-runc-v2`]: 'containerd-shim-runc-v2',
      [`${containerd}/cmd/ctr`]: 'ctr',
    },
    ldflags: [
      `-X=${containerd}/version.Version=v${containerdVersion}`,
      `-X=${containerd}/version.Package=${containerd}`,
    ],
    tags: ['no_btrfs', 'no_zfs', 'no_devmapper'],
    seconds: 110,
  },
  {
    name: 'cni-plugins',
    module: cni,
    version: `v${cniPluginsVersion}`,
    programs: {
      [`${cni}/plugins/main/bridge`]: 'bridge',
      [`${cni}/plugins/ipam/host-local`]: 'host-local',
      [`${cni}/plugins/main/loopback`]: 'loopback',
      [`${cni}/plugins/meta/portmap`]: 'portmap',
    },
    seconds: 20,
  },
  ...only(kubernetesVersions.map(({ etcd }) => plain(etcd))).map(
    (version): GoPart => ({
      name: `etcd-${version}`,
      module: 'go.etcd.io/etcd/server/v3',
      version: `v${version}`,
      programs: { 'go.etcd.io/etcd/server/v3': 'etcd' },
      seconds: 60,
    }),
  ),
  {
    // It speaks with servers of the minor before, too.
    name: 'etcdctl',
    module: 'go.etcd.io/etcd/etcdctl/v3',
    version: 'v3.6.5',
    programs: { 'go.etcd.io/etcd/etcdctl/v3': 'etcdctl' },
    seconds: 15,
  },
  ...only(kubernetesVersions.map(({ coredns }) => plain(coredns))).map(
    (version): GoPart => ({
      name: `coredns-${version}`,
      module: 'github.com/coredns/coredns',
      version: `v${version}`,
      programs: { 'github.com/coredns/coredns': 'coredns' },
      seconds: 120,
    }),
  ),
  {
    name: 'flannel',
    module: 'github.com/flannel-io/flannel',
    version: `v${flannelVersion}`,
    programs: { 'github.com/flannel-io/flannel': 'flanneld' },
    ldflags: [`-X=github.com/flannel-io/flannel/pkg/version.Version=v${flannelVersion}`],
    cgo: true,
    // The release of this cloud library that flannel names cannot be had; a later one can.
    requires: ['github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common@v1.3.103'],
    seconds: 100,
  },
  ...kubeoneVersions.map(kubeone),
  ...[...kubernetesVersions].reverse().map(({ version }, index) => kubernetes(version, index === 0 ? 600 : 400)),
];

/** Directory of the part that has the program of an image tag. */
export const partOf = {
  etcd: (tag: string) => `etcd-${plain(tag)}`,
  coredns: (tag: string) => `coredns-${plain(tag)}`,
};
