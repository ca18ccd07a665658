/** Orphaning: Kubeloom no longer manages the resources, which keep running; nothing of them is destroyed. */
import type { LeftBehind } from '#contracts/api-bodies.ts';
import type { ClusterRecord, ManifestKey, ManifestRecord, NewEvent, Orphans } from '#contracts/records.ts';
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import { counted, listed } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { clusterName } from '../records/cluster-records.ts';

/** `?orphan=` as it is stored; undefined when it is absent. */
export function orphansIn(text: string | undefined): Orphans | undefined {
  return text === undefined || text === 'all' ? text : [...new Set(text.split(','))];
}

/** What will be left of the clusters: everything, or just the nodes named. Clusters of which nothing is left are left out. */
export async function leftBehind(
  deps: Using<'artifacts.list'>,
  key: ManifestKey,
  { clusters, orphans }: { readonly clusters: readonly ClusterRecord[]; readonly orphans: Orphans },
): Promise<readonly LeftBehind[]> {
  const all = await Promise.all(clusters.map((record) => leftOf(deps, key, record, orphans)));
  return all.filter(({ nodes, loadBalancers }) => nodes.length + loadBalancers.length > 0);
}

/** Forgets all clusters of a manifest that is orphaned as a whole, and reports what keeps running. Throws `LeaseLost`. */
export async function orphanAll(
  deps: Using<'artifacts.list' | 'clusters.list' | 'clusters.remove' | 'demands.discard' | 'events.append'>,
  { manifest, fence, now }: { readonly manifest: ManifestRecord; readonly fence: number; readonly now: string },
): Promise<void> {
  const clusters = await deps.clusters.list(manifest);
  const left = await leftBehind(deps, manifest, { clusters, orphans: 'all' });
  await deps.events.append(
    manifest,
    left.map((one) => ({ at: now, runId: manifest.runId, cluster: one.cluster, ...reported(one) })),
  );
  await deps.demands.discard(manifest);
  await Promise.all(clusters.map((record) => deps.clusters.remove({ ...record, fence })));
}

async function leftOf(
  deps: Using<'artifacts.list'>,
  key: ManifestKey,
  record: ClusterRecord,
  orphans: Orphans,
): Promise<LeftBehind> {
  const states = [record.current, record.attempted].filter((state) => state !== null);
  const meant = (name: string) => orphans === 'all' || orphans.includes(name);
  const rows = states.flatMap(allNodes).filter(({ node }) => meant(node.name));
  const nodes = rows.map(({ node, pool: { source } }) => {
    const address = node.static?.endpoint ?? record.facts.nodes[node.name]?.publicAddress;
    const place =
      source.kind === 'dynamic' ? { provider: source.provider.name, region: source.region } : { provider: 'static' };
    return { name: node.name, ...place, ...(address !== undefined && { address }) };
  });
  const stateKeys = await deps.artifacts.list(`terraform/${key.namespace}/${key.name}/${record.cluster}/`);
  return {
    cluster: clusterName(record),
    nodes: [...new Map(nodes.map((node) => [node.name, node])).values()],
    loadBalancers: orphans === 'all' ? states.slice(0, 1).flatMap(balancersOf) : [],
    terraformStates: orphans === 'all' ? stateKeys.map((artifact) => artifact.key) : [],
  };
}

function balancersOf(state: ClusterState): LeftBehind['loadBalancers'] {
  return state.loadBalancers.map(({ name, dns }) => ({ name, dnsName: `${dns.hostname}.${dns.zone}` }));
}

function reported({ nodes, loadBalancers, terraformStates }: LeftBehind): Pick<NewEvent, 'level' | 'kind' | 'message'> {
  const names = nodes.map(
    ({ name, provider, address }) => `${name} (${[provider, address].filter(Boolean).join(', ')})`,
  );
  const balancers = loadBalancers.map(({ name, dnsName }) => `${name} (${dnsName})`);
  const parts = [
    `${counted(nodes.length, 'node')}: ${names.join(', ')}`,
    ...(balancers.length > 0 ? [`load balancers: ${balancers.join(', ')}`] : []),
    ...(terraformStates.length > 0 ? [`Terraform states: ${listed(terraformStates, 20)}`] : []),
  ];
  return { level: 'warning', kind: 'LeftBehind', message: `orphaned, and still running: ${parts.join('; ')}` };
}

/** Names out of `wanted` that no cluster has. */
export function unknownNodes(clusters: readonly ClusterRecord[], wanted: readonly string[]): readonly string[] {
  const states = clusters.flatMap(({ current, attempted }) => [current, attempted].filter((state) => state !== null));
  const known = new Set(
    states.flatMap((state) => allPools(state).flatMap((pool) => pool.nodes.map(({ name }) => name))),
  );
  return wanted.filter((name) => !known.has(name));
}
