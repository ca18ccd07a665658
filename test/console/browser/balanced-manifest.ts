/** A cluster in three clouds with a load balancer in front of it. */
import { simManifest } from './console-in-browser.ts';

export function balancedManifest(name: string) {
  const { spec, ...manifest } = simManifest(name, { providers: 3, compute: 4 });
  const front = spec.nodePools.dynamic.slice(0, 1).map((pool) => ({ ...pool, name: 'front', count: 2 }));
  const role = (title: string, port: number, targetPort: number, targetPools: readonly string[]) => ({
    name: title,
    protocol: 'tcp',
    port,
    targetPort,
    targetPools,
  });
  const dns = { dnsZone: 'example.com', provider: 'sim-1', hostname: name };
  return {
    ...manifest,
    spec: {
      ...spec,
      nodePools: { dynamic: [...spec.nodePools.dynamic, ...front] },
      loadBalancers: {
        roles: [role('web', 443, 30443, ['compute-1', 'compute-2']), role('api', 6443, 6443, ['control'])],
        clusters: [{ name: 'front', roles: ['web', 'api'], dns, targetedK8s: 'web', pools: ['front'] }],
      },
    },
  };
}
