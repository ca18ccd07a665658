/** `kubeone reset`: removes Kubernetes from every host of the manifest; workers first, then the control plane. */
import type { Log } from './log.ts';
import type { HostConfig, KubeOneCluster } from './manifest.ts';
import type { SshHosts } from './ssh-hosts.ts';

export async function resetNode(cluster: KubeOneCluster, hosts: SshHosts, log: Log): Promise<void> {
  const faults: string[] = [];
  const free = async (host: HostConfig): Promise<void> => {
    log.info('Resetting node...', host.publicAddress);
    const command = 'if command -v kubeadm >/dev/null; then kubeadm reset -f; fi; rm -rf /etc/kubernetes';
    await hosts.run(host, command).catch((error: unknown) => {
      faults.push(error instanceof Error ? error.message : String(error));
    });
  };
  log.info('Resetting cluster (simulated control plane)...');
  await Promise.all(cluster.workers.map(free));
  await Promise.all(cluster.controls.map(free));
  if (faults.length > 0) throw new Error(`some hosts could not be reset: ${faults.join('; ')}`);
  log.info('Cluster is reset.');
}
