/** The words of a plan: changes, stages with their work and reason, waypoints. Made by `plan-cluster-path.ts`. */
import { z } from 'zod';
import { ClusterState } from './cluster-state.ts';

export const directions = ['grow', 'move', 'upgrade', 'shrink', 'settle', 'repair', 'edit', 'destroy'] as const;
export const Direction = z.enum(directions);
export type Direction = z.infer<typeof Direction>;

/** Directions whose failure is undone; all others are forward-only. */
export const revertible: readonly Direction[] = ['grow'];

/** The stages, in the order of a grow. */
export const stageNames = ['infrastructure', 'configuration', 'kubernetes', 'nodes', 'traffic'] as const;
export const StageName = z.enum(stageNames, { error: `must be one of ${stageNames.join(', ')}` });
export type StageName = z.infer<typeof StageName>;

/** The stages of a waypoint in their order: what removes goes the other way. */
export function stagesInOrder(direction: Direction | undefined): readonly StageName[] {
  return direction === 'shrink' || direction === 'destroy' ? stageNames.toReversed() : stageNames;
}

/** Terraform: one workspace for each provider instance of the cluster, and one for each DNS name set. */
export const InfrastructureWork = z.strictObject({
  /** Provider instances to visit; what the target state has of each is applied, what it lacks is destroyed. */
  workspaces: z.array(z.strictObject({ kind: z.enum(['machines', 'dns']), name: z.string(), destroy: z.boolean() })),
  /** Nodes that are orphaned instead of destroyed: forgotten by Terraform, and removed from Kubernetes if possible. */
  orphan: z.array(z.string()).optional(),
  /** Machines of provider instances that no one knows, by their ids there: names may be those of nodes. */
  strays: z
    .array(z.strictObject({ provider: z.string(), action: z.enum(['quarantine', 'delete']), ids: z.array(z.string()) }))
    .optional(),
  /** It only edits a Terraform state: artifact key of the `StoredStateEdit`. */
  stateEdit: z.string().optional(),
});
export type InfrastructureWork = z.infer<typeof InfrastructureWork>;

/** Ansible: which nodes get what. Peers of the mesh always follow from the target state. */
export const ConfigurationWork = z.strictObject({
  /** Nodes that get everything (requirements, keys, WireGuard). */
  install: z.array(z.string()),
  /** Nodes that only get a new peer list. */
  peers: z.array(z.string()),
  /** Static nodes to be cleaned because they leave (they are in `before`, not in `target`). */
  uninstall: z.array(z.string()),
  /** Load balancers (by name) whose nodes get proxy software and roles. */
  loadBalancers: z.array(z.string()),
  /** Nodes whose installation proxy settings change. */
  proxy: z.array(z.string()),
  /** Kubernetes nodes that must be pointed at a new API endpoint (from that of `before` to that of `target`). */
  endpoint: z.array(z.string()).optional(),
  /** Machines whose ports change, where they keep a firewall of their own. */
  firewall: z.array(z.string()).optional(),
  /** Machines on which the boot script of their group runs. */
  boot: z.array(z.string()).optional(),
  /** Machines that were changed in place and restarted: the stage ends when they answer, and are healthy where their group has checks. */
  restarted: z.array(z.string()).optional(),
  /** Machines whose data disk was made larger: its file system grows into it. */
  disks: z.array(z.string()).optional(),
});
export type ConfigurationWork = z.infer<typeof ConfigurationWork>;

/** KubeOne. `reset` is only for static nodes of a cluster that goes away; in a `renew` KubeOne does not run. */
const KubernetesWork = z.strictObject({
  action: z.enum(['apply', 'reset', 'renew']),
  /** Nodes whose machine was lost and recreated under the same name: what Kubernetes still has of the old one is removed first. */
  recreated: z.array(z.string()).optional(),
  /** Control nodes whose certificates are renewed where they are due, one after the other; then the kubeconfig is fetched. */
  certificates: z.array(z.string()).optional(),
});

/** kubectl: nodes to patch to the target state, nodes to drain and remove (control-plane nodes one at a time). */
export const NodesWork = z.strictObject({
  patch: z.array(z.string()),
  remove: z.array(z.string()),
  /** Nodes that may be drained at once, for each pool. */
  maxUnavailable: z.number().int().min(1),
  /** By pool id, where a pool has its own number. */
  maxUnavailableOf: z.record(z.string(), z.number().int().min(1)).optional(),
  /** Documents of the target that are applied, in this order. */
  documents: z.array(z.strictObject({ name: z.string(), version: z.string() })).optional(),
  /** Serving certificates of kubelets are approved, whatever else there is to do. */
  certificates: z.literal(true).optional(),
  /** Documents that the target does not have any more: what was applied of them is removed. */
  documentsRemoved: z.array(z.string()).optional(),
});
export type NodesWork = z.infer<typeof NodesWork>;

/** Ansible on load balancers only: roles and their targets as the target state has them. */
const TrafficWork = z.strictObject({ loadBalancers: z.array(z.string()) });

const stage = <Name extends StageName, Work extends z.ZodType>(name: Name, work: Work) =>
  z.strictObject({
    stage: z.literal(name),
    /** Why there is work, one sentence each; no reasons = no work. */
    reasons: z.array(z.string()),
    work,
  });

/** What one stage of a waypoint has to do, and why. */
export const StagePlan = z.discriminatedUnion('stage', [
  stage('infrastructure', InfrastructureWork),
  stage('configuration', ConfigurationWork),
  stage('kubernetes', KubernetesWork),
  stage('nodes', NodesWork),
  stage('traffic', TrafficWork),
]);
export type StagePlan = z.infer<typeof StagePlan>;

/** The rungs of the rollback ladder and the stage that climbs each. */
export const undoRungs = {
  kubernetes: 'nodes',
  configuration: 'configuration',
  infrastructure: 'infrastructure',
} as const;
export type UndoRung = keyof typeof undoRungs;

/** Name of the provider instance (`static`: none), its region (static: empty), and the names of the nodes that the change is about. */
const placeOfPool = { provider: z.string(), region: z.string(), nodes: z.array(z.string()) };
/** Ids of pools; roles are those of `NodePoolState`. */
const wholePool = { pool: z.string(), role: z.string(), ...placeOfPool };
const nodesOfPool = { pool: z.string(), ...placeOfPool };

/** One typed difference between two states, with everything that a person needs to understand it. */
export const Change = z.discriminatedUnion('kind', [
  /** Nothing of the cluster exists; its pools and load balancers follow as changes of their own. */
  z.strictObject({ kind: z.literal('ClusterCreated'), cluster: z.string() }),
  /** Everything of the cluster is deleted; its pools and load balancers follow as changes of their own. */
  z.strictObject({ kind: z.literal('ClusterDeleted'), cluster: z.string() }),
  /** A new pool with all its nodes, also of a load balancer. */
  z.strictObject({ kind: z.literal('NodePoolAdded'), ...wholePool }),
  /** A pool that is no longer desired, with all its nodes. */
  z.strictObject({ kind: z.literal('NodePoolRemoved'), ...wholePool }),
  /** More nodes in a pool that stays. A static node on another machine is a new one. */
  z.strictObject({ kind: z.literal('NodesAdded'), ...nodesOfPool }),
  /** Fewer nodes in a pool that stays. */
  z.strictObject({ kind: z.literal('NodesRemoved'), ...nodesOfPool }),
  /** Nodes that an interrupted waypoint may have created; this one deletes them. */
  z.strictObject({ kind: z.literal('LeftoversFound'), nodes: z.array(z.string()) }),
  /** Its pools follow as changes of their own. */
  z.strictObject({ kind: z.literal('LoadBalancerAdded'), loadBalancer: z.string() }),
  /** Its pools follow as changes of their own. */
  z.strictObject({ kind: z.literal('LoadBalancerRemoved'), loadBalancer: z.string() }),
  /** Names of roles; `changed`: another port, protocol, setting or target pool. */
  z.strictObject({
    kind: z.literal('RolesChanged'),
    loadBalancer: z.string(),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  }),
  /** The names under which a load balancer is reached, or the DNS provider, in words. */
  z.strictObject({ kind: z.literal('DnsChanged'), loadBalancer: z.string(), from: z.string(), to: z.string() }),
  /** The node or load balancer through which the API server is reached, in words. */
  z.strictObject({ kind: z.literal('ApiEndpointMoved'), from: z.string(), to: z.string() }),
  /** Versions without `v`; a path raises one minor version at a time. */
  z.strictObject({ kind: z.literal('KubernetesUpgraded'), from: z.string(), to: z.string() }),
  /** The proxy that nodes use for downloads, as it is desired. */
  z.strictObject({ kind: z.literal('InstallationProxyChanged'), enabled: z.boolean(), endpoint: z.string() }),
  /** Settings of Kubernetes, by their names in the manifest. */
  z.strictObject({ kind: z.literal('KubernetesOptionsChanged'), options: z.array(z.string()) }),
  /** What serves volume claims: `longhorn` or `none`. */
  z.strictObject({ kind: z.literal('StorageChanged'), from: z.string(), to: z.string() }),
  /** Names of documents in the cluster. */
  z.strictObject({
    kind: z.literal('DocumentsChanged'),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  }),
  /** Keys that are added, removed or changed; a taint is `key=value:effect`. */
  z.strictObject({
    kind: z.literal('NodeMetadataChanged'),
    pool: z.string(),
    labels: z.array(z.string()),
    annotations: z.array(z.string()),
    taints: z.array(z.string()),
  }),
  /** The script that machines of a group run when they are made; `removed`: the group no longer has one. */
  z.strictObject({ kind: z.literal('BootChanged'), pool: z.string(), removed: z.boolean() }),
  /** Ports of a machine group that are open to all addresses, as `80/tcp`. */
  z.strictObject({ kind: z.literal('OpenPortsChanged'), pool: z.string(), ports: z.array(z.string()) }),
  /** What machines of a group are asked at each check, as `http :80/`. */
  z.strictObject({ kind: z.literal('HealthChecksChanged'), pool: z.string(), checks: z.array(z.string()) }),
  /** `fixed`, or the bounds: `1 to 5`. */
  z.strictObject({ kind: z.literal('AutoscalerChanged'), pool: z.string(), from: z.string(), to: z.string() }),
  /** When an autoscaled pool grows, next to others; `order` says it in words: `priority 100, by price`. */
  z.strictObject({ kind: z.literal('GrowthOrderChanged'), pool: z.string(), order: z.string() }),
  /** Other credentials or templates of a provider instance; `what` says which, from what and to what. */
  z.strictObject({ kind: z.literal('ProviderChanged'), provider: z.string(), what: z.string() }),
  /** How static nodes are reached: user, key or SSH port. */
  z.strictObject({ kind: z.literal('NodeAccessChanged'), pool: z.string(), nodes: z.array(z.string()) }),
  /** Port 6443 of control nodes, open to the outside or not. */
  z.strictObject({ kind: z.literal('ApiPortChanged'), open: z.boolean() }),
  /** The pool or cluster that `what` names is protected from deletion, or no longer. */
  z.strictObject({ kind: z.literal('ProtectionChanged'), what: z.string(), protect: z.boolean() }),
  /** Nothing else is to change: the drift that a check found is repaired. */
  z.strictObject({ kind: z.literal('DriftRepaired'), found: z.array(z.string()) }),
  /** A Terraform state is edited, and nothing of the cloud is touched; `what` says it in sentences. */
  z.strictObject({ kind: z.literal('StateEdited'), title: z.string(), what: z.array(z.string()) }),
  /** What cannot be changed in place; the planner refuses it. */
  z.strictObject({ kind: z.literal('NodePoolSpecChanged'), pool: z.string(), fields: z.array(z.string()) }),
  /** The CIDR of the private network; the planner refuses it. */
  z.strictObject({ kind: z.literal('NetworkChanged'), from: z.string(), to: z.string() }),
  /** The network of pods; the planner refuses it. */
  z.strictObject({ kind: z.literal('CniChanged'), from: z.string(), to: z.string() }),
]);
export type Change = z.infer<typeof Change>;

export const Waypoint = z.strictObject({
  direction: Direction,
  /** The current state when this waypoint is reached; null = nothing is left (destroy). */
  target: ClusterState.nullable(),
  changes: z.array(Change),
  /** In the order they run; stages without work are left out. */
  stages: z.array(StagePlan),
  /** The ladder back, top rung first; empty for forward-only directions. */
  undo: z.array(StagePlan),
});
export type Waypoint = z.infer<typeof Waypoint>;

/** Something the user asked for that is not done, and what to do instead. */
export const RefusalSubject = z.strictObject({
  kind: z.enum(['cluster', 'dynamicPool', 'staticPool', 'loadBalancer', 'provider']),
  name: z.string(),
  /** Place in it, as the manifest has it; '' = as a whole. */
  field: z.string(),
});
export type RefusalSubject = z.infer<typeof RefusalSubject>;

export const Refusal = z.strictObject({
  /** In answers the place in the document; in the planner, which sees none, with names in place of numbers. */
  path: z.string(),
  reason: z.string(),
  fix: z.string(),
  about: RefusalSubject.optional(),
});
export type Refusal = z.infer<typeof Refusal>;

/** The path of one cluster. No waypoints and no refusals = converged. */
export const ClusterPlan = z.strictObject({
  cluster: z.string(),
  waypoints: z.array(Waypoint),
  refusals: z.array(Refusal),
});
export type ClusterPlan = z.infer<typeof ClusterPlan>;
