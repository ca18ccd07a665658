/** Manifests that KubeOne refuses, each a change of an accepted one, and what it says; all were tried on KubeOne 1.13.7 (built from its source). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RefusedManifest {
  readonly name: string;
  /** Text of the golden and what takes its place. */
  readonly change: readonly [string, string];
  /** Part of the refusal that KubeOne and our check share. */
  readonly refusal: string;
}

const golden = readFileSync(join(import.meta.dirname, '../rendering/golden/kubeone.yaml'), 'utf8');

const cilium = 'cilium:\n      enableHubble: true\n      kubeProxyReplacement: strict';

export const refusedManifests: readonly RefusedManifest[] = [
  row('apiVersion v1beta3', ['v1beta2', 'v1beta3'], 'provided apiVersion "kubeone.k8c.io/v1beta3" is not supported'),
  row(
    'another kind',
    ['kind: KubeOneCluster', 'kind: Cluster'],
    'provided object "Cluster" is not KubeOneCluster object',
  ),
  row(
    'a boolean kubeProxyReplacement',
    ['Replacement: strict', 'Replacement: true'],
    'clusterNetwork.cni.cilium.kubeProxyReplacement',
  ),
  row('an unknown field', ['enableHubble', 'enableHubbles'], 'unknown field "clusterNetwork.cni.cilium.enableHubbles"'),
  row('an unknown field at the top', ['machineController:', 'extra: 1\nmachineController:'], 'unknown field "extra"'),
  row(
    'a field in other letters',
    ['isLeader: true', 'IsLeader: true'],
    'unknown field "controlPlane.hosts[0].IsLeader"',
  ),
  row('a text for a boolean', ['enableHubble: true', 'enableHubble: "true"'], 'clusterNetwork.cni.cilium.enableHubble'),
  row('a text for a number', ['sshPort: 2222', 'sshPort: "2222"'], 'sshPort'),
  row('a number for a version', ['kubernetes: 1.34.2', 'kubernetes: 1.34'], 'versions.kubernetes'),
  row('a name with upper case', ['name: shop', 'name: Shop_'], 'name: Invalid value: "Shop_"'),
  row('a Kubernetes that is too old', ['1.34.2', '1.33.2'], 'kubernetes version does not satisfy version constraint'),
  row('a Kubernetes that is too new', ['1.34.2', '1.37.0'], 'kubernetes version does not satisfy version constraint'),
  row('an invalid version', ['1.34.2', 'latest'], '.versions.kubernetes is not a semver string'),
  row('a port beyond 65535', ['port: 6443', 'port: 99999'], 'apiEndpoint.port: Invalid value: 99999'),
  row(
    'alternative names given twice',
    ['www.example.com', '198.51.100.1'],
    'duplicates are not allowed in alternative names',
  ),
  row('no provider', ['none: {}', 'none: null'], 'cloudProvider: Invalid value: "": provider must be specified'),
  row('two providers', ['none: {}', 'none: {}\n  aws: {}'], 'cloudProvider.none: Forbidden: only one provider'),
  row(
    'Cilium together with kube-proxy',
    ['skipInstallation: true', 'skipInstallation: false'],
    'cannot be set with kube-proxy enabled',
  ),
  row('two networks', ['cilium:', 'external: {}\n    cilium:'], 'only one cni plugin can be used at the same time'),
  row(
    'two leaders',
    ['isLeader: false', 'isLeader: true'],
    'controlPlane.hosts[1].isLeader: Invalid value: true: only one leader is allowed',
  ),
  row(
    'an operating system that it does not know',
    ['hostname: basement-01', 'hostname: basement-01\n      operatingSystem: plan9'],
    'invalid operatingSystem provided',
  ),
  row(
    'a host without address',
    ['publicAddress: 203.0.113.9\n      privateAddress: 192.168.2.4', 'publicAddress: ""'],
    'staticWorkers.hosts[1].publicAddress: Required value',
  ),
  row(
    'a worker with the address of a control node',
    ['198.18.0.3', '198.51.100.1'],
    'already used for control-plane node',
  ),
  row(
    'a worker with the name of a control node',
    ['workers-bbbbbbb-01', 'control-aaaaaaa-01'],
    'already used for control-plane node',
  ),
  row(
    'the machine controller without a cloud',
    ['machineController:\n  deploy: false', 'machineController:\n  deploy: true'],
    'machine-controller requires a cloud provider',
  ),
  row(
    'CoreDNS with replicas below zero',
    ['replicas: 2', 'replicas: -1'],
    'features.coreDNS.replicas: Invalid value: -1',
  ),
  row(
    'an insecure registry that is not named',
    added('registryConfiguration:\n  insecureRegistry: true'),
    'insecureRegistry requires overwriteRegistry to be configured',
  ),
  row(
    'a registry that is a list',
    added('registryConfiguration:\n  overwriteRegistry: [mirror:5000]'),
    'registryConfiguration.overwriteRegistry',
  ),
  row(
    'mirrors of _default',
    added('containerRuntime:\n  containerd:\n    registries: { _default: { mirrors: [https://mirror] } }'),
    '"_default" is not a valid registry name; use "*"',
  ),
  row(
    'mirrors of one registry under two names',
    added('containerRuntime:\n  containerd:\n    registries: { a.io/x: { mirrors: [] }, a.io/y: { mirrors: [] } }'),
    'both resolve to the same host "a.io"',
  ),
  row(
    'one mirror in place of a list',
    added('containerRuntime:\n  containerd:\n    registries: { docker.io: { mirrors: https://mirror } }'),
    'containerRuntime.containerd.registries',
  ),
  row(
    'an unknown field of a mirror',
    added('containerRuntime:\n  containerd:\n    registries: { docker.io: { endpoints: [https://mirror] } }'),
    'unknown field "containerRuntime.containerd.registries.docker.io.endpoints"',
  ),
  row(
    'package repositories as a text',
    ['configureRepositories: true', 'configureRepositories: "no"'],
    'systemPackages.configureRepositories',
  ),
  row(
    'metrics-server that is deployed',
    ['metricsServer:\n    enable', 'metricsServer:\n    deploy'],
    'unknown field "features.metricsServer.deploy"',
  ),
  row(
    'a DNS cache that is enabled',
    ['nodeLocalDNS:\n    deploy', 'nodeLocalDNS:\n    enable'],
    'unknown field "features.nodeLocalDNS.enable"',
  ),
  row('add-ons in two directories', added('addons:\n  enable: true\n  paths: [a, b]'), 'unknown field "addons.paths"'),
  row(
    'an add-on with a number for a parameter',
    added('addons:\n  enable: true\n  addons: [{ name: cni-canal, params: { IFACE: 0 } }]'),
    'addons.addons',
  ),
  row('Canal with the MTU as a text', [cilium, 'canal:\n      mtu: "1330"'], 'clusterNetwork.cni.canal.mtu'),
  row('no network', [cilium, 'external: null'], 'clusterNetwork.cni: Invalid value: "": cni plugin must be specified'),
];

/** Changes of the golden that KubeOne accepts, and so must our check: it would refuse what works. */
export const acceptedChanges: readonly (readonly [string, readonly [string, string]])[] = [
  ['null in place of a value', ['enableHubble: true', 'enableHubble: null']],
  ['a version with a leading v', ['1.34.2', 'v1.34.2']],
  ['no API host', ['host: shop.example.com', 'host: ""']],
  ['addons with a path', added('addons:\n  enable: true\n  path: .')],
  [
    'a parameter of an add-on',
    added('addons:\n  enable: true\n  addons: [{ name: cni-canal, params: { IFACE: wg0 } }]'),
  ],
  ['own package repositories', ['configureRepositories: true', 'configureRepositories: false']],
  ['Canal', [cilium, 'canal:\n      mtu: 1370']],
  ['a network of the user', [cilium, 'external: {}']],
  ['a mirror registry', added('registryConfiguration:\n  overwriteRegistry: mirror:5000\n  insecureRegistry: true')],
];

/** The golden with one change. Throws when the golden does not have the text. */
export function changed([before, after]: readonly [string, string]): string {
  if (!golden.includes(before)) throw new Error(`the golden has no ${before}`);
  return golden.replace(before, after);
}

/** More fields at the top. */
function added(fields: string): readonly [string, string] {
  return ['machineController:', `${fields}\nmachineController:`];
}

function row(name: string, change: readonly [string, string], refusal: string): RefusedManifest {
  return { name, change, refusal };
}
