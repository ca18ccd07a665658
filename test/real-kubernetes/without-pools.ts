/** The example without some of its pools. */
import type { Manifest } from './real-cluster.ts';

/** Its pools leave with all that names them. */
export function without(manifest: Manifest, ...pools: readonly string[]): Manifest {
  const { nodePools, kubernetes, loadBalancers } = manifest.spec;
  const stays = (name: string) => !pools.includes(name);
  nodePools.dynamic = nodePools.dynamic.filter(({ name }) => stays(name));
  const named = kubernetes.clusters[0].pools;
  named.control = named.control.filter(stays);
  named.compute = named.compute.filter(stays);
  for (const role of loadBalancers.roles) role.targetPools = role.targetPools.filter(stays);
  return manifest;
}
