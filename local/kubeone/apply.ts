/** `kubeone apply`: brings the cluster to the manifest; a second time there is nothing to do. */
import { writeFile } from 'node:fs/promises';
import type { Installer, Probe, ReportedNode } from './installer.ts';
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import { unreachable } from './refusal.ts';
import { safeguardRefusal } from './safeguards.ts';
import { SshFailure, type SshHosts } from './ssh-hosts.ts';

export async function apply(cluster: KubeOneCluster, hosts: SshHosts, installer: Installer, log: Log): Promise<void> {
  const { controls, workers, version: wantedVersion } = cluster;
  log.info(`Kubernetes ${wantedVersion}: ${installer.words}`);

  log.info('Running host probes...');
  const probes = await probeAll(installer, [...controls, ...workers], log);
  const leader = electLeader(controls, probes);
  log.info(`Elected leader "${leader.host.hostname}"...`, leader.host.publicAddress);
  const live = leader.holdsAuthority ? await askForNodes(installer, leader.host, log) : [];
  const refused = safeguardRefusal({
    wantedVersion,
    probes,
    controls: controls.map(({ hostname }) => hostname),
    live,
    force: cluster.forceUpgrade === true,
  });
  if (refused !== undefined) {
    for (const sentence of refused.sentences) log.error(sentence);
    throw refused.refusal;
  }
  const strangers = live.filter(({ name }) => !probes.some(({ host }) => host.hostname === name));
  for (const { name, control } of strangers)
    if (!control || installer.forget === undefined)
      log.warning(`${name} is in the cluster but not in the manifest; it is not changed`);

  const settled = (awaited: readonly HostConfig[]) => untilReady(installer, leader.host, awaited, wantedVersion);
  log.info('Ensuring the control plane...');
  await installer.settleLeader(
    leader,
    live.find(({ name }) => name === leader.host.hostname),
  );
  await settled([leader.host]);
  for (const { name } of strangers.filter(({ control }) => control)) {
    log.warning(`removing etcd member and Node object of "${name}", which the manifest does not have`);
    await installer.forget?.(name);
  }
  for (const control of probes.filter(({ host }) => controls.includes(host) && host !== leader.host)) {
    log.info('Ensuring controlplane node...', control.host.publicAddress);
    await installer.settle([control], live);
    await settled([control.host]);
  }
  if (workers.length > 0) {
    log.info('Ensuring worker nodes...');
    await installer.settle(
      probes.filter(({ host }) => workers.includes(host)),
      live,
    );
    await settled(workers);
  }

  log.info('Downloading kubeconfig...');
  const kubeconfig = await hosts.run(leader.host, 'cat /etc/kubernetes/admin.conf');
  await writeFile(`${cluster.name}-kubeconfig`, kubeconfig, { mode: 0o600 });
  log.info(`Cluster is up: Kubernetes ${wantedVersion}, ${installer.words}.`);
}

async function probeAll(installer: Installer, all: readonly HostConfig[], log: Log): Promise<Probe[]> {
  const results = await Promise.allSettled(all.map((host) => installer.probe(host)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const failure of failures) log.error(String(failure.message));
  const away = failures.find((failure) => failure instanceof SshFailure && failure.endpoint !== undefined);
  if (away !== undefined) throw unreachable(away.endpoint, away.message);
  if (failures.length > 0) throw failures[0];
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

async function askForNodes(installer: Installer, leader: HostConfig, log: Log): Promise<readonly ReportedNode[]> {
  try {
    return await installer.nodes(leader);
  } catch (error) {
    log.warning(`the API server does not answer and is repaired: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** Waits until the cluster says that these hosts are ready in this version. */
async function untilReady(
  installer: Installer,
  leader: HostConfig,
  awaited: readonly HostConfig[],
  version: string,
): Promise<void> {
  const deadline = performance.now() + installer.joinTimeoutMs;
  let reason = '';
  while (performance.now() < deadline) {
    try {
      const nodes = await installer.nodes(leader);
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
  throw new Error(`timed out after ${installer.joinTimeoutMs / 1000} s: ${reason}`);
}
