/** `kubeone reset`: removes Kubernetes from every host of the manifest; workers first, then the control plane. */
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import type { Simulated } from './simulated.ts';

export async function resetNodes(cluster: KubeOneCluster, simulated: Simulated, log: Log): Promise<void> {
  const faults: string[] = [];
  const free = async (host: HostConfig): Promise<void> => {
    log.info('Resetting node...', host.publicAddress);
    await simulated.reset(host).catch((error: unknown) => {
      faults.push(error instanceof Error ? error.message : String(error));
    });
  };
  log.info('Resetting cluster (simulated control plane)...');
  await Promise.all(cluster.workers.map(free));
  await Promise.all(cluster.controls.map(free));
  if (faults.length > 0) throw new Error(`some hosts could not be reset: ${faults.join('; ')}`);
  log.info('Cluster is reset.');
}
