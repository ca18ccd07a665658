/** The manifest of KubeOne for a cluster of a fleet: its first node is a control node. */
import { join } from 'node:path';
import type { NodesFleet } from '../hosts/nodes-fleet.ts';

const addons = join(import.meta.dirname, '../../templates/addons/local-network');

/** A host of it by its name. */
export const kubeoneHost = (fleet: NodesFleet) => (name: string) => ({
  hostname: name,
  publicAddress: fleet.address(name),
  privateAddress: fleet.privateAddress(name),
  sshUsername: 'root',
  sshPrivateKeyFile: fleet.keyFile,
});

/** As the kubernetes stage writes it for local hosts. `others`: the nodes next to the first one. */
export function fleetManifest(
  fleet: NodesFleet,
  version: string,
  others: readonly string[],
  first = 'control-1',
): object {
  const isControl = (name: string) => name.startsWith('control-');
  const controls = [first, ...others.filter(isControl)];
  const host = kubeoneHost(fleet);
  return {
    apiVersion: 'kubeone.k8c.io/v1beta2',
    kind: 'KubeOneCluster',
    name: 'shop',
    versions: { kubernetes: version },
    cloudProvider: { none: {}, external: false },
    apiEndpoint: {
      host: fleet.address(first),
      port: 6443,
      alternativeNames: ['api', ...controls.slice(1)].map((name) => `${name}.shop.example`),
    },
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
    controlPlane: { hosts: controls.map(host) },
    staticWorkers: { hosts: others.filter((name) => !isControl(name)).map(host) },
    machineController: { deploy: false },
    operatingSystemManager: { deploy: false },
  };
}
