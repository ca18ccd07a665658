/** Manifests that KubeOne refuses, each a change of an accepted one, and what it says; all were tried on KubeOne 1.14.1. */
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
  row('a version that is none', ['1.34.2', 'latest'], '.versions.kubernetes is not a semver string'),
  row('a port beyond 65535', ['port: 6443', 'port: 99999'], 'apiEndpoint.port: Invalid value: 99999'),
  row(
    'alternative names given twice',
    ['www.example.com', '198.51.100.1'],
    'duplicates are not allowed in alternative names',
  ),
  row('no provider', ['none: {}', 'none: null'], 'cloudProvider: Invalid value: "": provider must be specified'),
  row('two providers', ['none: {}', 'none: {}\n  aws: {}'], 'cloudProvider.none: Forbidden: only one provider'),
  row(
    'Cilium beside kube-proxy',
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
];

/** Changes of the golden that KubeOne accepts, and so must our check: it would refuse what works. */
export const acceptedChanges: readonly (readonly [string, readonly [string, string]])[] = [
  ['null in place of a value', ['enableHubble: true', 'enableHubble: null']],
  ['a version with a leading v', ['1.34.2', 'v1.34.2']],
  ['no API host', ['host: shop.example.com', 'host: ""']],
  ['addons with a path', ['machineController:', 'addons:\n  enable: true\n  path: .\nmachineController:']],
  ['own package repositories', ['configureRepositories: true', 'configureRepositories: false']],
  ['Canal', ['cilium:\n      enableHubble: true\n      kubeProxyReplacement: strict', 'canal:\n      mtu: 1370']],
  [
    'a mirror registry',
    [
      'machineController:',
      'registryConfiguration:\n  overwriteRegistry: mirror:5000\n  insecureRegistry: true\nmachineController:',
    ],
  ],
];

/** The golden with one change. Throws when the golden does not have the text. */
export function changed([before, after]: readonly [string, string]): string {
  if (!golden.includes(before)) throw new Error(`the golden has no ${before}`);
  return golden.replace(before, after);
}

function row(name: string, change: readonly [string, string], refusal: string): RefusedManifest {
  return { name, change, refusal };
}
