/** Rules of `spec.loadBalancers.roles`. */
import { error, type Fault, warning } from '../faults/fault.ts';
import { apiPort, firstReservedPort, RoleTarget, targetPoolsOf } from '../schema/load-balancers.ts';
import { shown } from '../schema/names.ts';
import { poolsExist } from './cluster-rules.ts';
import { type ManifestIndex, named, type Path } from './manifest-index.ts';
import type { PartialRole } from './partial-manifest.ts';
import { uniqueNames } from './references.ts';

/** Names, ports, settings and targets of every role. */
export function* roleRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  yield* uniqueNames('role', manifestIndex.roles);
  for (const { thing: role, path } of manifestIndex.roles) {
    const isApi = manifestIndex.servesApi(role);
    yield* portRules(role, isApi, path);
    yield* settingRules(role, isApi, path);
    yield* targetRules(manifestIndex, role, path);
    const isUsed = manifestIndex.balancersByRole.has(role.name ?? '');
    if (role.name !== undefined && manifestIndex.complete.uses && !isUsed) {
      yield warning(
        'unused-role',
        [...path, 'name'],
        `no load balancer has the role ${shown(role.name)}`,
        'name it in one, or remove it',
      );
    }
  }
}

function* portRules({ port, protocol }: PartialRole, isApi: boolean, path: Path): Iterable<Fault> {
  if (port !== undefined && port >= firstReservedPort && port <= 65535) {
    yield error(
      [...path, 'port'],
      `the ports from ${firstReservedPort} are reserved for the load balancer itself`,
      `use a port below ${firstReservedPort}`,
    );
  }
  if (!isApi) return;
  if (port !== undefined && port !== apiPort) {
    yield error(
      [...path, 'port'],
      `targetPort ${apiPort} makes it the role of the Kubernetes API, which must have port ${apiPort} too`,
      `use port ${apiPort}`,
    );
  }
  if (protocol === 'udp') yield error([...path, 'protocol'], 'the Kubernetes API does not use udp', 'use tcp');
}

function* settingRules({ protocol, settings }: PartialRole, isApi: boolean, path: Path): Iterable<Fault> {
  const place = [...path, 'settings'];
  if (settings?.proxyProtocol && isApi) {
    yield error([...place, 'proxyProtocol'], 'the Kubernetes API does not use the PROXY protocol', 'set it to false');
  } else if (settings?.proxyProtocol && protocol === 'udp') {
    yield error([...place, 'proxyProtocol'], 'the PROXY protocol works with tcp only', 'set it to false');
  }
  if (settings?.stickySessions && isApi) {
    yield error([...place, 'stickySessions'], 'the Kubernetes API cannot have sticky sessions', 'set it to false');
  }
}

function* targetRules(manifestIndex: ManifestIndex, role: PartialRole, path: Path): Iterable<Fault> {
  const { target, targetPools, name } = role;
  const hasPools = targetPools.length > 0;
  if (target !== undefined && hasPools) {
    yield error([...path, 'target'], 'the role has both target and targetPools', 'keep targetPools');
  }
  if (target === undefined && !hasPools) {
    yield error([...path, 'targetPools'], 'the role targets nothing', 'name at least one node pool');
  }
  const parsed = RoleTarget.safeParse(target);
  if (manifestIndex.servesApi(role) && parsed.success && parsed.data !== 'k8sControlPlane') {
    yield error(
      [...path, 'target'],
      `the Kubernetes API runs on control nodes only, not on ${parsed.data}`,
      'use k8sControlPlane',
    );
  }
  yield* poolsExist(manifestIndex, targetPools, [...path, 'targetPools']);
  const balancers = manifestIndex.balancersByRole.get(name ?? '') ?? [];
  const clusters = new Set(balancers.map(({ balancer }) => balancer.targetedK8s));
  for (const clusterName of clusters) {
    const cluster = named(manifestIndex.clusters, clusterName)?.thing;
    if (cluster === undefined || !manifestIndex.complete.uses) continue;
    if (parsed.success && targetPoolsOf({ targetPools: [], target: parsed.data }, cluster.pools).length === 0) {
      yield warning(
        'empty-role-target',
        [...path, 'target'],
        `${shown(clusterName)} has no ${parsed.data}: nothing is targeted`,
        'add a pool',
      );
    }
    for (const [index, pool] of targetPools.entries()) {
      const place = [...path, 'targetPools', index];
      const isControl = cluster.pools.control.includes(pool);
      if (!manifestIndex.poolsByName.has(pool)) continue;
      if (!isControl && !cluster.pools.compute.includes(pool)) {
        yield error(
          place,
          `the pool ${shown(pool)} is not part of the cluster ${shown(clusterName)} that a load balancer with this role serves`,
          'remove it, or use a role of its own for that load balancer',
        );
      } else if (manifestIndex.servesApi(role) && !isControl) {
        yield error(
          place,
          `the Kubernetes API runs on control nodes only, ${shown(pool)} is a compute pool of ${shown(clusterName)}`,
          `use ${cluster.pools.control.join(', ')}`,
        );
      }
    }
  }
}
