/** What KubeOne refuses in a v1beta2 manifest whose fields are right: the rules of its own validation, in its words. */
import type { KubeOneRelease } from '#domain/kubernetes-versions.ts';
import type { Host, KubeOneV1beta2 } from './v1beta2.ts';

type Report = (path: string, problem: string) => void;

/** The refusals as `path: problem`; none = accepted. `release` gives the Kubernetes versions that this KubeOne builds. */
export function brokenV1beta2Rules(manifest: KubeOneV1beta2, release: KubeOneRelease): readonly string[] {
  const found: string[] = [];
  const report: Report = (path, problem) => found.push(`${path}: ${problem}`);
  checkName(manifest, report);
  checkVersion(manifest, release, report);
  checkHosts(manifest, report);
  checkEndpoint(manifest, report);
  checkProvider(manifest, report);
  checkNetwork(manifest, report);
  checkRest(manifest, report);
  return found;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkName({ name = '' }: KubeOneV1beta2, report: Report): void {
  if (name === '') report('name', `Invalid value: "": can't be empty`);
  else if (!subdomain.test(name) || name.length > 253)
    report(
      'name',
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case letters, digits, '-' or '.'`,
    );
}

function checkVersion({ versions }: KubeOneV1beta2, release: KubeOneRelease, report: Report): void {
  const version = (versions?.kubernetes ?? '').replace(/^v/, '');
  const numbers = /^(\d+)\.(\d+)(\.\d+)?([-+].*)?$/.exec(version);
  if (numbers === null) {
    report('versions.kubernetes', `Invalid value: "${version}": .versions.kubernetes is not a semver string`);
    return;
  }
  if (!release.minors.includes(`${numbers[1]}.${numbers[2]}`)) {
    const window = `>=${release.minors[0]} <=${release.minors.at(-1)}`;
    report(
      'versions.kubernetes',
      `Invalid value: "${version}": kubernetes version does not satisfy version constraint '${window}'`,
    );
  }
}

function checkHosts({ controlPlane, staticWorkers }: KubeOneV1beta2, report: Report): void {
  const controls = controlPlane?.hosts ?? [];
  const workers = staticWorkers?.hosts ?? [];
  if (controls.length === 0 && (controlPlane?.nodeSets ?? []).length === 0)
    report('controlPlane', 'Invalid value: "": there must be at least one control plane instance in the cluster');
  for (const [list, hosts] of [
    ['controlPlane', controls],
    ['staticWorkers', workers],
  ] as const) {
    for (const [index, host] of hosts.entries()) checkHost(host, `${list}.hosts[${index}]`, report);
    for (const index of hosts.flatMap(({ isLeader }, at) => (isLeader ? [at] : [])).slice(1))
      report(`${list}.hosts[${index}].isLeader`, 'Invalid value: true: only one leader is allowed');
  }
  for (const [index, worker] of workers.entries()) {
    for (const field of ['hostname', 'privateAddress', 'publicAddress'] as const) {
      if (!worker[field] || !controls.some((control) => control[field] === worker[field])) continue;
      report(
        `staticWorkers.hosts[${index}]`,
        `Invalid value: ${field} "${worker[field]}" already used for control-plane node`,
      );
    }
  }
}

const operatingSystems = ['', 'ubuntu', 'debian', 'centos', 'rhel', 'rockylinux', 'flatcar'];

function checkHost(host: Host, path: string, report: Report): void {
  // Either address stands in for the other.
  if (!host.publicAddress && !host.privateAddress)
    report(`${path}.publicAddress`, 'Required value: no public IP/address given');
  if (!operatingSystems.includes(host.operatingSystem ?? ''))
    report(`${path}.operatingSystem`, `Invalid value: "${host.operatingSystem}": invalid operatingSystem provided`);
  if (host.taints?.some(({ key }) => key === 'node-role.kubernetes.io/master'))
    report(`${path}.taints`, 'Forbidden: the taint "node-role.kubernetes.io/master" is forbidden');
  for (const field of ['labels', 'annotations'] as const) {
    for (const [key, value] of Object.entries(host[field] ?? {}))
      if (key.endsWith('-') && value !== '')
        report(`${path}.${field}`, `Invalid value: "${value}": key to remove cannot have value`);
  }
  checkKubelet(host.kubelet, `${path}.kubelet`, report);
}

function checkKubelet(kubelet: KubeOneV1beta2['kubeletConfig'], path: string, report: Report): void {
  const { maxPods } = kubelet ?? {};
  if (maxPods !== undefined && maxPods <= 0)
    report(`${path}.maxPods`, `Invalid value: ${maxPods}: maxPods must be a positive number`);
  for (const field of ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'] as const) {
    const percent = kubelet?.[field];
    if (percent !== undefined && (percent < 0 || percent > 100))
      report(`${path}.${field}`, `Invalid value: ${percent}: must be between 0 and 100, inclusive`);
  }
}

function checkEndpoint({ apiEndpoint }: KubeOneV1beta2, report: Report): void {
  const { port = 6443, alternativeNames = [] } = apiEndpoint ?? {};
  if (port < 0 || port > 65_535) report('apiEndpoint.port', `Invalid value: ${port}: apiEndpoint.port must be a port`);
  const twice = alternativeNames.find((name, index) => alternativeNames.indexOf(name) !== index);
  if (twice !== undefined)
    report('apiEndpoint', `Invalid value: "${twice}": duplicates are not allowed in alternative names`);
}

const clouds = [
  'aws',
  'azure',
  'digitalocean',
  'gce',
  'hetzner',
  'kubevirt',
  'nutanix',
  'openstack',
  'equinixmetal',
  'vmwareCloudDirector',
  'vsphere',
  'none',
] as const;

function checkProvider(manifest: KubeOneV1beta2, report: Report): void {
  const { cloudProvider, machineController, operatingSystemManager, dynamicWorkers = [] } = manifest;
  const named = clouds.filter((cloud) => cloudProvider?.[cloud] !== undefined);
  if (named.length === 0) report('cloudProvider', 'Invalid value: "": provider must be specified');
  for (const cloud of named.slice(1))
    report(`cloudProvider.${cloud}`, 'Forbidden: only one provider can be used at the same time');
  const deploysMachines = machineController?.deploy ?? cloudProvider?.none === undefined;
  const deploysManager = operatingSystemManager?.deploy ?? deploysMachines;
  if (cloudProvider?.none !== undefined && deploysMachines)
    report('cloudProvider.none', 'Forbidden: machine-controller requires a cloud provider');
  if (cloudProvider?.none !== undefined && deploysManager)
    report('cloudProvider.none', 'Forbidden: operating-system-manager requires a cloud provider');
  if (deploysManager && !deploysMachines)
    report(
      'operatingSystemManager',
      'Invalid value: "": machineController needs to be enabled to use operatingSystemManager',
    );
  if (!deploysMachines && dynamicWorkers.length > 0)
    report('dynamicWorkers', 'Forbidden: machine-controller deployment is disabled, but there are dynamic workers');
}

function checkNetwork({ clusterNetwork, features }: KubeOneV1beta2, report: Report): void {
  const { cni, kubeProxy } = clusterNetwork ?? {};
  const plugins = (['canal', 'cilium', 'weaveNet', 'external'] as const).filter((name) => cni?.[name] !== undefined);
  if (cni !== undefined && plugins.length === 0)
    report('clusterNetwork.cni', 'Invalid value: "": cni plugin must be specified');
  for (const plugin of plugins.slice(1))
    report(`clusterNetwork.cni.${plugin}`, 'Forbidden: only one cni plugin can be used at the same time');
  if (kubeProxy?.iptables !== undefined && kubeProxy.ipvs !== undefined)
    report('clusterNetwork.kubeProxy', 'Invalid value: "": should have only one of iptables and ipvs');
  if (cni?.cilium === undefined) return;
  const path = 'clusterNetwork.cni.cilium';
  const { kubeProxyReplacement, enableGatewayAPI, enableLocalRedirectPolicy } = cni.cilium;
  const replaces = kubeProxyReplacement === 'strict';
  if (replaces && !kubeProxy?.skipInstallation)
    report(
      `${path}.kubeProxyReplacement`,
      'Invalid value: true: .cilium.kubeProxyReplacement cannot be set with kube-proxy enabled',
    );
  if (enableGatewayAPI && !replaces)
    report(
      `${path}.enableGatewayAPI`,
      'Invalid value: true: enableGatewayAPI requires kubeProxyReplacement to be enabled',
    );
  if (enableLocalRedirectPolicy && !replaces)
    report(`${path}.enableLocalRedirectPolicy`, 'Invalid value: true: requires kubeProxyReplacement to be enabled');
  if (enableLocalRedirectPolicy && features?.nodeLocalDNS?.deploy)
    report(
      `${path}.enableLocalRedirectPolicy`,
      'Invalid value: true: cannot be used together with features.nodeLocalDNS.deploy',
    );
}

function checkRest(
  { features, registryConfiguration, containerRuntime, kubeletConfig, controlPlaneComponents }: KubeOneV1beta2,
  report: Report,
): void {
  const replicas = features?.coreDNS?.replicas ?? 0;
  if (replicas < 0) report('features.coreDNS.replicas', `Invalid value: ${replicas}: coreDNS replicas cannot be < 0`);
  if (registryConfiguration?.insecureRegistry && !registryConfiguration.overwriteRegistry)
    report(
      'registryConfiguration.insecureRegistry',
      'Invalid value: true: insecureRegistry requires overwriteRegistry to be configured',
    );
  const registries = Object.keys(containerRuntime?.containerd?.registries ?? {});
  const hostOf = (registry: string) => registry.split('/', 1)[0];
  for (const [index, registry] of registries.entries()) {
    const path = `containerRuntime.containerd.registries[${registry}]`;
    if (registry === '_default') report(path, 'Invalid value: "_default" is not a valid registry name; use "*"');
    const first = registries.slice(0, index).find((other) => hostOf(other) === hostOf(registry));
    if (first !== undefined)
      report(
        path,
        `Invalid value: "${registry}": conflicts with "${first}": both resolve to the same host "${hostOf(registry)}"`,
      );
  }
  checkKubelet(kubeletConfig, 'kubeletConfig', report);
  for (const name of ['controllerManager', 'scheduler', 'apiServer'] as const) {
    if (controlPlaneComponents?.[name]?.flags?.['feature-gates'] !== undefined)
      report(`controlPlaneComponents.${name}.flags`, 'Invalid value: specifying feature-gates flag is forbidden here');
  }
}
