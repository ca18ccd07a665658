/** Work of Ansible: which nodes get everything, which only learn something new, and why. */
import { allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import type { ConfigurationWork } from '#domain/plan.ts';
import { sameValue } from '#domain/same-value.ts';
import { counted, listed } from '../../words.ts';
import { isKubernetes, type NodeDiff, type NodeInPool, namesOf, resizedIn, withLargerDisk } from './node-diff.ts';

type Configuration = Required<ConfigurationWork>;

/** What the nodes need to get from one state to the other; load balancers that only get other routes are not in it. */
export function configurationOf(nodeDiff: NodeDiff): Configuration {
  const { from, to, added, removed, staying } = nodeDiff;
  const meshChanges = added.length + removed.length > 0 && to?.meshless !== true;
  return {
    install: [...namesOf(added)],
    peers: to !== null && meshChanges ? [...namesOf(staying)] : [],
    uninstall: [...namesOf(removed.filter(({ node }) => node.static !== undefined))],
    loadBalancers: to === null ? [] : builtLoadBalancers(nodeDiff, to),
    proxy: from !== null && to !== null && proxyChanges(from, to, nodeDiff) ? [...namesOf(staying)] : [],
    endpoint: nodeDiff.endpointMoves ? [...namesOf(staying.filter(isKubernetes))] : [],
    firewall: [...namesOf(differing(nodeDiff, ({ openPorts = [] }) => openPorts))],
    boot: to === null ? [] : [...namesOf(added.filter(hasBoot)), ...withOtherBoot(nodeDiff)],
    restarted: [...namesOf(resizedIn(nodeDiff))],
    disks: [...namesOf(withLargerDisk(nodeDiff))],
  };
}

const hasBoot = ({ pool }: NodeInPool): boolean => pool.boot !== undefined;

/** Machines that stay and whose boot script changed. */
function withOtherBoot(nodeDiff: NodeDiff): readonly string[] {
  return namesOf(differing(nodeDiff, ({ boot }) => boot).filter(hasBoot));
}

/** Machines that stay, and whose pools differ in this. */
function differing({ from, staying }: NodeDiff, of: (pool: NodePoolState) => unknown): readonly NodeInPool[] {
  const before = new Map((from === null ? [] : allPools(from)).map((pool) => [pool.id, of(pool)]));
  return staying.filter(({ pool }) => !sameValue(before.get(pool.id), of(pool)));
}

/** Why, one sentence for each kind of work. */
export function configurationReasons(work: Configuration, meshless = false): readonly string[] {
  const { install, peers, uninstall, loadBalancers, proxy, endpoint, firewall, boot, restarted, disks } = work;
  return [
    ...(install.length > 0
      ? [`${counted(install.length, 'new node')} set up${meshless ? '' : ' and taken into the mesh'}`]
      : []),
    ...(peers.length > 0 ? [`new peer list for ${counted(peers.length, 'node')}`] : []),
    ...(uninstall.length > 0 ? [`${counted(uninstall.length, 'static node')} cleaned: ${listed(uninstall)}`] : []),
    ...(loadBalancers.length > 0 ? [`load balancer ${listed(loadBalancers)} set up`] : []),
    ...(proxy.length > 0 ? [`other installation proxy settings for ${counted(proxy.length, 'node')}`] : []),
    ...(endpoint.length > 0 ? [`${counted(endpoint.length, 'node')} pointed at the new API endpoint`] : []),
    ...(firewall.length > 0 ? [`other open ports on ${counted(firewall.length, 'machine')}`] : []),
    ...(boot.length > 0 ? [`the boot script runs on ${counted(boot.length, 'machine')}`] : []),
    ...(disks.length > 0 ? [`the file system of ${counted(disks.length, 'data disk')} grows`] : []),
    ...(restarted.length > 0
      ? [`${counted(restarted.length, 'machine')} awaited until healthy: ${listed(restarted)}`]
      : []),
  ];
}

/** Load balancers that are new, or have new nodes. */
function builtLoadBalancers({ added }: NodeDiff, to: ClusterState): string[] {
  const fresh = new Set(namesOf(added));
  return to.loadBalancers
    .filter(({ pools }) => pools.some((pool) => pool.nodes.some((node) => fresh.has(node.name))))
    .map((loadBalancer) => loadBalancer.name);
}

/** The proxy settings themselves, or the names that must go past the proxy. */
function proxyChanges(from: ClusterState, to: ClusterState, nodeDiff: NodeDiff): boolean {
  const [before, after] = [from.installationProxy, to.installationProxy];
  if (before.enabled !== after.enabled) return true;
  if (!after.enabled) return false;
  const text = ({ installationProxy: { endpoint, noProxy }, loadBalancers }: ClusterState) =>
    JSON.stringify([
      endpoint,
      [...noProxy].sort(),
      loadBalancers
        .flatMap(({ dns }) => [dns.hostname, ...dns.alternativeNames].map((name) => `${name}.${dns.zone}`))
        .sort(),
    ]);
  return nodeDiff.endpointMoves || text(from) !== text(to);
}
