/** Drift that the sim runner simulates: `KUBELOOM_SIM_DRIFT`, a JSON list. A repair of the cluster removes it. */
import { z } from 'zod';
import { allNodes, allPools, type ClusterState } from '#domain/cluster-state.ts';
import { type DriftItem, DriftKind, type NodeObservation } from '#domain/drift.ts';

const InjectedDrift = z.strictObject({
  kind: DriftKind,
  /** Id or name of the cluster. @default any */
  cluster: z.string().optional(),
  /** Name of the manifest. @default any */
  manifest: z.string().optional(),
  node: z.string().optional(),
  /** Name of a pool: its first node is meant. */
  pool: z.string().optional(),
  provider: z.string().optional(),
  /** Drift of a load balancer. */
  name: z.string().optional(),
  repairable: z.boolean().default(true),
  /** A repair does not remove it. */
  stubborn: z.boolean().default(false),
});
type InjectedDrift = z.infer<typeof InjectedDrift>;
export const InjectedDrifts = z.array(InjectedDrift);

interface Place {
  readonly manifest: string;
  readonly cluster: string;
  readonly state: ClusterState;
}

/** By the text of the list, for the life of the process: which drift was repaired where. */
const lists = new Map<string, { readonly drift: InjectedDrift; readonly repairedIn: Set<string> }[]>();

/** What a check finds there. */
export function simulatedDrift(text: string | undefined, place: Place): readonly DriftItem[] {
  const here = listOf(text).filter(({ drift, repairedIn }) => isMeant(drift, place) && !repairedIn.has(place.cluster));
  return here.flatMap(({ drift }) => itemOf(drift, place.state));
}

/** The health of all nodes: a machine that differs is gone, a node that differs is not ready, one whose health differs is unhealthy. */
export function simulatedHealth(state: ClusterState, items: readonly DriftItem[]): readonly NodeObservation[] {
  const found = Map.groupBy(items, ({ where }) => where.node);
  return allNodes(state).map(({ node: { name } }) => {
    const kinds = (found.get(name) ?? []).map(({ kind }) => kind);
    if (kinds.includes('machine')) return { node: name, health: 'gone' };
    if (kinds.includes('health')) return { node: name, health: 'unhealthy', failing: words.health };
    return { node: name, health: kinds.includes('node') ? 'notReady' : 'healthy' };
  });
}

/** Notes that a repair was done there. */
export function repairDrift(text: string | undefined, place: Place): void {
  for (const { drift, repairedIn } of listOf(text)) {
    if (!drift.stubborn && isMeant(drift, place)) repairedIn.add(place.cluster);
  }
}

function listOf(text: string | undefined): { readonly drift: InjectedDrift; readonly repairedIn: Set<string> }[] {
  if (text === undefined || text === '') return [];
  const known = lists.get(text);
  if (known) return known;
  const read = InjectedDrifts.parse(JSON.parse(text));
  const list = read.map((drift) => ({ drift, repairedIn: new Set<string>() }));
  lists.set(text, list);
  return list;
}

function isMeant(drift: InjectedDrift, { manifest, cluster, state }: Place): boolean {
  const fits = drift.cluster === undefined || drift.cluster === cluster || drift.cluster === state.name;
  return fits && (drift.manifest ?? manifest) === manifest;
}

const words = {
  machine: 'the machine is gone',
  network: 'the firewall differs',
  dns: 'the names point to other addresses',
  mesh: 'some peers do not answer over WireGuard',
  node: 'the node is not ready',
  version: 'the node runs another version of Kubernetes',
  traffic: 'the load balancer does not run',
  certificate: 'the kubelet waits for its serving certificate',
  document: 'the documents differ from what was applied',
  health: 'http :80/ answered 500, expected 200',
  expiry: 'certificates are due for renewal',
  metadata: 'labels, annotations or taints differ',
  unknown: 'Kubernetes has a node that is not of Kubeloom',
  proxy: 'the proxy settings differ',
  stray: 'an unknown machine has the tags of the cluster',
} as const satisfies Record<DriftItem['kind'], string>;

/** Nothing when the node, pool or load balancer is not part of the cluster. */
function itemOf({ kind, node, pool, provider, name, repairable }: InjectedDrift, state: ClusterState): DriftItem[] {
  const pools = allPools(state);
  const found = pools.find((one) => one.name === pool || one.nodes.some((candidate) => candidate.name === node));
  if ((node !== undefined || pool !== undefined) && found === undefined) return [];
  const named = node ?? found?.nodes[0]?.name;
  const instance = provider ?? (found?.source.kind === 'dynamic' ? found.source.provider.name : undefined);
  const where = {
    ...(named !== undefined && { node: named }),
    ...(found && { pool: found.name }),
    ...(instance !== undefined && { provider: instance }),
    ...(name !== undefined && { name }),
  };
  const about = named ?? name ?? instance;
  const message = `${about === undefined ? '' : `${about}: `}${words[kind]} (simulated)`;
  // No stage repairs what a user's check found, and none removes a node of others.
  const able = repairable && kind !== 'health' && kind !== 'unknown';
  return [{ kind, where, message, repairable: able, ...(kind === 'machine' && { gone: true as const }) }];
}
