/** The cluster of two providers, with its API where a test has one. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { balancer, twoProviderState } from '#test/rendering/states.ts';

/** Its load balancer has the address and port of the server in this kubeconfig (`https://127.0.0.1:6443`). */
export function stateServedAt(kubeconfig: string, change: Partial<ClusterState> = {}): ClusterState {
  const [, hostname = '', zone = '', port = ''] =
    /server"?: ?"?https:\/\/([^.]+)\.([^:]+):(\d+)/.exec(kubeconfig) ?? [];
  const roles = balancer.roles.map((role) => (role.servesApi ? { ...role, port: Number(port) } : role));
  return twoProviderState({
    loadBalancers: [{ ...balancer, roles, dns: { ...balancer.dns, hostname, zone } }],
    ...change,
  });
}
