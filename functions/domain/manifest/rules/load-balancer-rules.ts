/** Rules of `spec.loadBalancers.clusters`: roles and their ports, pools, the target cluster. DNS is in `dns-rules.ts`. */
import { providerTypeFacts } from '#domain/provider-types.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { wireguardPort } from '../schema/load-balancers.ts';
import { shown } from '../schema/names.ts';
import { nodesOf, poolsExist } from './cluster-rules.ts';
import { type ManifestIndex, named, type Path, poolNamed } from './manifest-index.ts';
import type { PartialLoadBalancer } from './partial-manifest.ts';
import { noDuplicates, uniqueNames, unknownName } from './references.ts';

const sshPort = 22;

/** Checks every load balancer, and that each cluster has at most one that serves its API. */
export function* loadBalancerRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  yield* uniqueNames('load balancer', manifestIndex.loadBalancers);
  const apiBalancers = new Map<string, string>();
  for (const { thing: balancer, path } of manifestIndex.loadBalancers) {
    yield* poolsExist(manifestIndex, balancer.pools, [...path, 'pools']);
    yield* noDuplicates('the role', balancer.roles, [...path, 'roles']);
    yield* rolesExist(manifestIndex, balancer, path);
    yield* portClashes(manifestIndex, balancer, path);
    yield* clusterExists(manifestIndex, balancer, path);
    const apiIndex = apiRoleIndex(manifestIndex, balancer);
    if (apiIndex < 0) {
      if (balancer.pools.length === 0 && manifestIndex.complete.uses) {
        yield warning(
          'empty-load-balancer',
          [...path, 'pools'],
          'the load balancer has no pool: it will have no machines',
          'name a node pool',
        );
      }
      continue;
    }
    const target = balancer.targetedK8s;
    const other = apiBalancers.get(target ?? '');
    if (target !== undefined && other !== undefined) {
      yield error(
        [...path, 'roles', apiIndex],
        `${shown(other)} already serves the Kubernetes API of ${shown(target)}`,
        'a cluster has one API endpoint: take the role out of one of the two',
      );
    }
    if (target !== undefined) apiBalancers.set(target, other ?? balancer.name ?? '');
    yield* apiAdvice(manifestIndex, balancer, path);
  }
}

/** Index of the first role that serves the Kubernetes API; -1 if no role does. */
export function apiRoleIndex(manifestIndex: ManifestIndex, balancer: PartialLoadBalancer): number {
  return balancer.roles.findIndex((name) =>
    manifestIndex.servesApi(manifestIndex.rolesByName.get(name) ?? { targetPort: undefined }),
  );
}

function* rolesExist(manifestIndex: ManifestIndex, balancer: PartialLoadBalancer, path: Path): Iterable<Fault> {
  if (!manifestIndex.complete.roles) return;
  const known = manifestIndex.roles.flatMap(({ thing }) => thing.name ?? []);
  for (const [index, role] of balancer.roles.entries()) {
    if (role !== '' && !manifestIndex.rolesByName.has(role))
      yield unknownName([...path, 'roles', index], 'role', role, known);
  }
}

function* portClashes(manifestIndex: ManifestIndex, balancer: PartialLoadBalancer, path: Path): Iterable<Fault> {
  const seen = new Set<string>();
  const taken = new Map<string, string>([[`udp ${wireguardPort}`, 'WireGuard']]);
  for (const pool of balancer.pools.map((name) => poolNamed(manifestIndex, name))) {
    if (pool !== undefined) taken.set(`tcp ${pool.kind === 'static' ? pool.thing.sshPort : sshPort}`, 'SSH');
  }
  for (const [index, name] of balancer.roles.entries()) {
    const role = manifestIndex.rolesByName.get(name);
    if (role?.port === undefined || role.protocol === undefined || seen.has(name)) continue;
    seen.add(name);
    const place = `${role.protocol} ${role.port}`;
    const holder = taken.get(place);
    if (holder !== undefined) {
      yield error(
        [...path, 'roles', index],
        `port ${place} of ${shown(balancer.name ?? '')} is taken by ${holder}`,
        `give the role ${shown(name)} another port, or put it on another load balancer`,
      );
    } else taken.set(place, `the role ${shown(name)}`);
  }
}

function* clusterExists(
  manifestIndex: ManifestIndex,
  { targetedK8s }: PartialLoadBalancer,
  path: Path,
): Iterable<Fault> {
  if (targetedK8s === undefined || !manifestIndex.complete.clusters) return;
  const known = manifestIndex.clusters.flatMap(({ thing }) => thing.name ?? []);
  if (!known.includes(targetedK8s)) yield unknownName([...path, 'targetedK8s'], 'cluster', targetedK8s, known);
}

function* apiAdvice(manifestIndex: ManifestIndex, balancer: PartialLoadBalancer, path: Path): Iterable<Fault> {
  const place = [...path, 'pools'];
  if (balancer.pools.length === 0 && manifestIndex.complete.uses) {
    yield error(place, 'the load balancer of the Kubernetes API has no pool', 'name a node pool');
    return;
  }
  const counts = balancer.pools.map((pool) => nodesOf(manifestIndex, pool));
  if (counts.length === 1 && counts[0] === 1) {
    yield warning(
      'single-api-load-balancer',
      place,
      'the load balancer of the Kubernetes API is a single node: if it is lost, the API cannot be reached',
      'use at least 2 nodes',
    );
  }
  const cluster = named(manifestIndex.clusters, balancer.targetedK8s)?.thing;
  const control = new Set((cluster?.pools.control ?? []).map((pool) => placeOf(manifestIndex, pool)));
  const places = balancer.pools.flatMap((pool) => placeOf(manifestIndex, pool) ?? []);
  if (control.size === 0 || control.has(undefined) || places.length === 0) return;
  if (!places.some((where) => control.has(where))) {
    yield warning(
      'distant-api-load-balancer',
      place,
      `the load balancer of the Kubernetes API is in ${places.join(', ')}, the control nodes are in ${[...control].join(', ')}`,
      'put it into the region of the control nodes: every API request crosses that distance',
    );
  }
}

/** Provider type and region of a dynamic pool, in words; undefined where regions are no places. */
function placeOf(manifestIndex: ManifestIndex, name: string): string | undefined {
  const pool = poolNamed(manifestIndex, name);
  if (pool?.kind !== 'dynamic') return undefined;
  const { name: providerName, region } = pool.thing.providerSpec ?? {};
  const type = named(manifestIndex.providers, providerName)?.thing.providerType;
  return region !== undefined && providerTypeFacts(type ?? '')?.regional ? `${type} ${region}` : undefined;
}
