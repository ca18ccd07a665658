/** Faults of a request that asks a cluster for sizes or replacements: all at once, each with what to do. */
import { allPools, type ClusterState, type NodePoolState } from './cluster-state.ts';
import type { NodeDemand } from './demand.ts';
import type { InputManifest } from './manifest/schema/input-manifest.ts';
import { shown } from './manifest/schema/names.ts';
import { listed } from './words.ts';

export interface DemandFault {
  /** As `sizes.web` or `nodes.0`. */
  readonly path: string;
  readonly reason: string;
  readonly fix: string;
}

/** Names of the clusters of a manifest that use a pool. */
export function clustersWith({ spec }: InputManifest, pool: string): readonly string[] {
  const balanced = spec.loadBalancers.clusters.filter(({ pools }) => pools.includes(pool));
  const using = spec.kubernetes.clusters.filter(
    ({ name, pools }) =>
      [...pools.control, ...pools.compute].includes(pool) || balanced.some(({ targetedK8s }) => targetedK8s === name),
  );
  return using.map(({ name }) => name);
}

/** Why these sizes cannot be asked of the cluster of that name. */
export function demandSizeFaults(
  manifest: InputManifest,
  cluster: string,
  sizes: Readonly<Record<string, number>>,
): readonly DemandFault[] {
  return Object.entries(sizes).flatMap(([pool, count]): readonly DemandFault[] => {
    const fault = (reason: string, fix: string) => [{ path: `sizes.${pool}`, reason, fix }];
    const { dynamic, static: statics } = manifest.spec.nodePools;
    const name = shown(pool);
    if (statics.some((one) => one.name === pool)) {
      return fault(`the pool ${name} has machines of your own`, 'add or remove machines in the manifest');
    }
    const found = dynamic.find((one) => one.name === pool);
    if (found === undefined) {
      const scaled = dynamic.filter(({ autoscaler }) => autoscaler).map((one) => one.name);
      const choice =
        scaled.length > 0 ? `name one of ${listed(scaled, 10)}` : 'no pool of the manifest has an autoscaler';
      return fault(`the manifest has no pool ${name}`, choice);
    }
    if (!clustersWith(manifest, pool).includes(cluster)) {
      return fault(`the cluster ${shown(cluster)} does not use the pool ${name}`, 'name another cluster or pool');
    }
    const { autoscaler } = found;
    if (autoscaler === undefined) {
      return fault(
        `the pool ${name} has a fixed count of ${found.count ?? 0}`,
        'change count in the manifest and apply it',
      );
    }
    if (count >= autoscaler.min && count <= autoscaler.max) return [];
    return fault(
      `${count} is not between min ${autoscaler.min} and max ${autoscaler.max} of the pool ${name}`,
      `request ${autoscaler.min} to ${autoscaler.max}, or change the autoscaler in the manifest`,
    );
  });
}

/** Where a node of a manifest is. */
export interface NodePlace {
  readonly cluster: ClusterState;
  readonly pool: NodePoolState;
}

export function placeOfNode(states: readonly ClusterState[], node: string): NodePlace | undefined {
  for (const cluster of states) {
    const pool = allPools(cluster).find(({ nodes }) => nodes.some(({ name }) => name === node));
    if (pool) return { cluster, pool };
  }
  return undefined;
}

/** Why these nodes cannot be replaced; `states` are the current ones of all clusters, `leaving` what is replaced already. */
export function replacementFaults(
  states: readonly ClusterState[],
  nodes: readonly string[],
  leaving: readonly Pick<NodeDemand, 'node'>[],
): readonly DemandFault[] {
  const gone = new Set([...nodes, ...leaving.map(({ node }) => node)]);
  return nodes.flatMap((node, index): readonly DemandFault[] => {
    const fault = (reason: string, fix: string) => [{ path: `nodes.${index}`, reason, fix }];
    const place = placeOfNode(states, node);
    if (place === undefined) {
      return fault(`there is no node ${shown(node)}`, 'describe the manifest with --nodes to see their names');
    }
    const { cluster, pool } = place;
    if (pool.source.kind === 'static') {
      const fix = 'repair or reinstall the machine, or name another one in the manifest';
      return fault(`the node ${shown(node)} is a machine of your own, which Kubeloom cannot create`, fix);
    }
    if (pool.protect) {
      const fix = 'set protect to false on the pool and apply that first';
      return fault(`the pool ${shown(pool.name)} of the node ${shown(node)} is protected`, fix);
    }
    if (pool.role !== 'control') return [];
    const others = cluster.pools.filter(({ role }) => role === 'control').flatMap((one) => one.nodes);
    if (others.some(({ name }) => !gone.has(name))) return [];
    const fix = 'leave at least one control node; with a single one, raise count in the manifest first';
    return fault(`the node ${shown(node)} is one of the last control nodes of ${shown(cluster.name)}`, fix);
  });
}

/** Why the replacement of these nodes cannot be taken back; `attempted` are the states that runs have started to bring about. */
export function undoFaults(
  nodes: readonly string[],
  leaving: readonly Pick<NodeDemand, 'node'>[],
  clusters: readonly { readonly current: ClusterState | null; readonly attempted: ClusterState | null }[],
): readonly DemandFault[] {
  const asked = new Set(leaving.map(({ node }) => node));
  return nodes.flatMap((node, index): readonly DemandFault[] => {
    const fault = (reason: string, fix: string) => [{ path: `nodes.${index}`, reason, fix }];
    if (!asked.has(node)) return fault(`no replacement of ${shown(node)} was requested`, 'leave it out');
    const isLeaving = clusters.some(
      ({ current, attempted }) =>
        current && attempted && placeOfNode([current], node) && !placeOfNode([attempted], node),
    );
    if (!isLeaving) return [];
    return fault(`the removal of ${shown(node)} has started`, 'wait for its end: another node has already replaced it');
  });
}
