/** `kubeone apply`: brings the simulated cluster to the manifest; a second time there is nothing to do. */
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import { at, type Json, listAt } from './node/json.ts';
import type { ClusterKeys, NodeSetup } from './node/setup.ts';
import { type Probe, probe } from './node-code.ts';
import { type SafeguardedNode, safeguardRefusals } from './safeguards.ts';
import type { SshHosts } from './ssh-hosts.ts';

const joinTimeoutMs = 60_000;
const controlTaint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

export async function apply(cluster: KubeOneCluster, hosts: SshHosts, log: Log): Promise<void> {
  const { controls, workers, version: wantedVersion } = cluster;
  log.info('Building a simulated control plane: no real Kubernetes components are installed');

  log.info('Running host probes...');
  const probes = await probeAll(hosts, [...controls, ...workers]);
  const leader = electLeader(controls, probes);
  log.info(`Elected leader "${leader.host.hostname}"...`, leader.host.publicAddress);
  const live = leader.holdsAuthority ? await askForNodes(hosts, leader.host, log) : [];
  const refused = safeguardRefusals({
    wantedVersion,
    probes,
    controls: controls.map(({ hostname }) => hostname),
    live,
  });
  if (refused.length > 0) throw new Error(refused.join('; '));
  for (const { name } of live.filter(({ name }) => !probes.some(({ host }) => host.hostname === name))) {
    log.warning(`${name} is in the cluster but not in the manifest; it is not changed`);
  }

  const settle = async (host: HostConfig, keys: ClusterKeys | undefined): Promise<void> => {
    const known = live.find(({ name }) => name === host.hostname);
    const setup = setupOf(cluster, host, keys, known?.ready !== true);
    const answer = await hosts.run(host, 'kubeadm setup', JSON.stringify(setup));
    const changed: string[] = JSON.parse(answer.toString('utf8'));
    if (changed.length > 0) log.info(`Started ${changed.join(' and ')} (simulated)...`, host.publicAddress);
  };
  log.info('Ensuring the control plane...');
  await settle(leader.host, leader.holdsAuthority ? await exportKeys(hosts, leader.host) : undefined);
  await untilReady(hosts, leader.host, [leader.host], wantedVersion);
  const { caKey, admin, ...workerKeys } = await exportKeys(hosts, leader.host);
  for (const host of controls.filter((control) => control !== leader.host)) {
    log.info('Joining controlplane node...', host.publicAddress);
    await settle(host, { ...workerKeys, caKey, admin });
    await untilReady(hosts, leader.host, [host], wantedVersion);
  }
  if (workers.length > 0) log.info('Joining worker nodes...');
  await Promise.all(workers.map((host) => settle(host, workerKeys)));
  await untilReady(hosts, leader.host, workers, wantedVersion);

  log.info('Downloading kubeconfig...');
  const kubeconfig = await hosts.run(leader.host, 'cat /etc/kubernetes/admin.conf');
  await writeFile(`${cluster.name}-kubeconfig`, kubeconfig, { mode: 0o600 });
  log.info(`Cluster is up: Kubernetes ${wantedVersion}, simulated control plane.`);
}

async function probeAll(hosts: SshHosts, all: readonly HostConfig[]): Promise<Probe[]> {
  const results = await Promise.allSettled(all.map((host) => probe(hosts, host)));
  const broken = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.message)] : []));
  if (broken.length > 0) throw new Error(`cluster has broken hosts, remove or repair them first: ${broken.join('; ')}`);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** One that has the cluster's keys; for a new cluster the one that the manifest prefers. */
function electLeader(controls: readonly HostConfig[], probes: readonly Probe[]): Probe {
  const candidates = probes.filter(({ host }) => controls.includes(host));
  const holders = candidates.filter(({ holdsAuthority }) => holdsAuthority);
  const eligible = holders.length > 0 ? holders : candidates;
  const leader = eligible.find(({ host }) => host.isLeader) ?? eligible[0];
  if (leader === undefined) throw new Error('the manifest has no control-plane host');
  return leader;
}

async function exportKeys(hosts: SshHosts, host: HostConfig): Promise<ClusterKeys> {
  return JSON.parse((await hosts.run(host, 'kubeadm export-keys')).toString('utf8'));
}

async function askForNodes(hosts: SshHosts, leader: HostConfig, log: Log): Promise<readonly SafeguardedNode[]> {
  try {
    return await nodesOf(hosts, leader);
  } catch (error) {
    log.warning(`the API server does not answer and is repaired: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

async function nodesOf(hosts: SshHosts, leader: HostConfig): Promise<readonly SafeguardedNode[]> {
  const list: Json = JSON.parse((await hosts.run(leader, 'kubeadm nodes')).toString('utf8'));
  return listAt(list, 'items').map((node) => ({
    name: String(at(node, 'metadata', 'name')),
    control: at(node, 'metadata', 'labels', 'node-role.kubernetes.io/control-plane') !== undefined,
    version: String(at(node, 'status', 'nodeInfo', 'kubeletVersion')).replace(/^v/, ''),
    ready: listAt(node, 'status', 'conditions').some(
      (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
    ),
  }));
}

/** Waits until the cluster says that these hosts are ready in this version. */
async function untilReady(
  hosts: SshHosts,
  leader: HostConfig,
  awaited: readonly HostConfig[],
  version: string,
): Promise<void> {
  const deadline = performance.now() + joinTimeoutMs;
  let reason = '';
  while (performance.now() < deadline) {
    try {
      const nodes = await nodesOf(hosts, leader);
      const late = awaited.filter(
        ({ hostname }) => !nodes.some((node) => node.name === hostname && node.ready && node.version === version),
      );
      if (late.length === 0) return;
      reason = `${late.map(({ hostname }) => hostname).join(', ')} did not become ready; check that the WireGuard addresses are reachable`;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`gave up after ${joinTimeoutMs / 1000} s: ${reason}`);
}

function setupOf(cluster: KubeOneCluster, host: HostConfig, keys: ClusterKeys | undefined, rejoin: boolean): NodeSetup {
  const { version: kubernetesVersion } = cluster;
  const { host: endpointHost, port } = cluster.apiEndpoint;
  const control = cluster.controls.includes(host);
  const memberOf = ({ hostname, privateAddress }: HostConfig) => ({
    name: hostname,
    url: `https://${privateAddress}:6443`,
  });
  return {
    keys,
    rejoin,
    controls: cluster.controls.map(memberOf),
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
          subjectAltNames: subjectAltNames(cluster, host),
          kubeconfig: { cluster: cluster.name, url: `https://${endpointHost}:${port}` },
        }
      : undefined,
  };
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
