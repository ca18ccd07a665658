/** `kubeone apply`: brings the cluster to the manifest; a second time there is nothing to do. */
import { writeFile } from 'node:fs/promises';
import type { ReportedNode } from './known-nodes.ts';
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import { runtimeFailure, unreachable } from './refusal.ts';
import { quorumLost, safeguardRefusal } from './safeguards.ts';
import type { Simulated } from './simulated.ts';
import type { Probe } from './simulated-code.ts';
import { SshFailure, type SshHosts } from './ssh-hosts.ts';

const joinTimeoutMs = 60_000;

export async function apply(cluster: KubeOneCluster, hosts: SshHosts, simulated: Simulated, log: Log): Promise<void> {
  const { controls, workers, version: wantedVersion } = cluster;
  log.info(`Kubernetes ${wantedVersion}: simulated control plane`);

  log.info('Running host probes...');
  const probes = await probeAll(simulated, [...controls, ...workers], log);
  const { leader, live } = await electLeader(simulated, controls, probes, log);
  log.info(`Elected leader "${leader.host.hostname}"...`, leader.host.publicAddress);
  const refused = safeguardRefusal({ wantedVersion, probes, controls: controls.map(({ hostname }) => hostname), live });
  if (refused !== undefined) {
    for (const sentence of refused.sentences) log.error(sentence);
    throw refused.refusal;
  }
  for (const { name } of live.filter((node) => !probes.some(({ host }) => host.hostname === node.name)))
    log.warning(`${name} is in the cluster but not in the manifest; it is not changed`);

  const settled = (awaited: readonly HostConfig[]) => untilReady(simulated, leader.host, awaited, wantedVersion);
  log.info('Ensuring the control plane...');
  await simulated.settleLeader(
    leader,
    live.find(({ name }) => name === leader.host.hostname),
  );
  await settled([leader.host]);
  for (const control of probes.filter(({ host }) => controls.includes(host) && host !== leader.host)) {
    log.info('Ensuring controlplane node...', control.host.publicAddress);
    await simulated.settle([control], live);
    await settled([control.host]);
  }
  if (workers.length > 0) {
    log.info('Ensuring worker nodes...');
    await simulated.settle(
      probes.filter(({ host }) => workers.includes(host)),
      live,
    );
    await settled(workers);
  }

  log.info('Downloading kubeconfig...');
  const kubeconfig = await hosts.run(leader.host, 'cat /etc/kubernetes/admin.conf');
  await writeFile(`${cluster.name}-kubeconfig`, kubeconfig, { mode: 0o600 });
  log.info(`Cluster is up: Kubernetes ${wantedVersion}, simulated control plane.`);
}

async function probeAll(simulated: Simulated, all: readonly HostConfig[], log: Log): Promise<Probe[]> {
  const results = await Promise.allSettled(all.map((host) => simulated.probe(host)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const failure of failures) log.error(String(failure.message));
  const away = failures.find((failure) => failure instanceof SshFailure);
  if (away !== undefined) throw unreachable(away.endpoint, away.message);
  if (failures.length > 0) throw failures[0];
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/**
 * A new cluster is led by the control node that the manifest prefers, and has no nodes; one that exists is led by the first whose API answers.
 * As KubeOne, throws if none does: what a silent API server knows must not be guessed.
 */
async function electLeader(
  simulated: Simulated,
  controls: readonly HostConfig[],
  probes: readonly Probe[],
  log: Log,
): Promise<{ readonly leader: Probe; readonly live: readonly ReportedNode[] }> {
  const candidates = probes.filter(({ host }) => controls.includes(host));
  const holders = candidates.filter(({ holdsAuthority }) => holdsAuthority);
  const preferred = (eligible: readonly Probe[]) => eligible.find(({ host }) => host.isLeader) ?? eligible[0];
  if (!candidates.some(({ kubernetesVersion }) => kubernetesVersion !== null)) {
    const leader = preferred(holders) ?? preferred(candidates);
    if (leader === undefined) throw new Error('the manifest has no control-plane host');
    return { leader, live: [] };
  }
  for (const leader of holders) {
    try {
      return { leader, live: await simulated.nodes(leader.host) };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      log.warning(`the API server does not answer: ${words}`, leader.host.publicAddress);
    }
  }
  log.error('Failed to elect leader.');
  throw quorumLost;
}

/** Waits until the cluster says that these hosts are ready in this version. */
async function untilReady(
  simulated: Simulated,
  leader: HostConfig,
  awaited: readonly HostConfig[],
  version: string,
): Promise<void> {
  const deadline = performance.now() + joinTimeoutMs;
  let reason = '';
  while (performance.now() < deadline) {
    try {
      const nodes = await simulated.nodes(leader);
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
  throw runtimeFailure('waiting for nodes', `timed out after ${joinTimeoutMs / 1000} s: ${reason}`);
}
