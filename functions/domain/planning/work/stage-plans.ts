/** The stages of a waypoint: which have work, what exactly, why, and in which order they run. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { type Direction, type NodesWork, type StageName, type StagePlan, stagesInOrder } from '#domain/plan.ts';
import { listed } from '../../words.ts';
import { configurationOf, configurationReasons } from './configuration.ts';
import { infrastructureOf } from './infrastructure.ts';
import { kubernetesNodes, kubernetesReasons, type NodesDraft, nodesToReset } from './kubernetes.ts';
import { type NodeDiff, rerouted, spanOf } from './node-diff.ts';

/** How many nodes may be drained at once. */
export interface DrainBudget {
  /** For each pool. */
  readonly maxUnavailable: number;
  /** By pool name, where a pool has its own number. */
  readonly maxUnavailableOf?: Readonly<Record<string, number>>;
}

export interface WaypointWork {
  readonly direction: Direction;
  /** What may exist now: the current state, and the attempted one, if any. */
  readonly from: readonly (ClusterState | null)[];
  readonly to: ClusterState | null;
  readonly budget: DrainBudget;
}

/** Stages that have work, in the order they run. */
export function stagePlans({ direction, from, to, budget }: WaypointWork): StagePlan[] {
  const spans = from.map((state) => spanOf(state, to));
  const plans = stagesInOrder(direction).map((stage) => planOf(stage, spans, budget));
  return plans.filter((plan) => plan.reasons.length > 0);
}

/** The ladder back from a waypoint that failed, top rung first: kubectl, Ansible, Terraform. */
export function undoPlans(before: ClusterState | null, target: ClusterState, budget: DrainBudget): StagePlan[] {
  const nodeDiff = spanOf(target, before);
  const configuration = configurationPlan([nodeDiff]);
  const back = rerouted(nodeDiff).map((loadBalancer) => loadBalancer.name);
  const loadBalancers = unique([...configuration.work.loadBalancers, ...back]);
  const reasons = [
    ...configuration.reasons,
    ...(back.length > 0 ? [`load balancer ${listed(back)} routed as before`] : []),
  ];
  const rungs: readonly StagePlan[] = [
    nodesPlan([nodeDiff], budget),
    { ...configuration, reasons, work: { ...configuration.work, loadBalancers } },
    infrastructurePlan([nodeDiff]),
  ];
  return rungs.filter((plan) => plan.reasons.length > 0);
}

function planOf(stage: StageName, spans: readonly NodeDiff[], budget: DrainBudget): StagePlan {
  switch (stage) {
    case 'infrastructure':
      return infrastructurePlan(spans);
    case 'configuration':
      return configurationPlan(spans);
    case 'kubernetes':
      return kubernetesPlan(spans);
    case 'nodes':
      return nodesPlan(spans, budget);
    case 'traffic':
      return trafficPlan(spans);
    default:
      return stage satisfies never;
  }
}

type PlanOf<Name extends StageName> = Extract<StagePlan, { stage: Name }>;

function infrastructurePlan(spans: readonly NodeDiff[]): PlanOf<'infrastructure'> {
  const visits = spans.flatMap(infrastructureOf);
  const byKey = new Map(visits.map((visit) => [`${visit.workspace.kind} ${visit.workspace.name}`, visit.workspace]));
  const reasons = unique(visits.map((visit) => visit.reason));
  return { stage: 'infrastructure', reasons, work: { workspaces: [...byKey.values()] } };
}

/** A node that gets everything needs nothing else. */
function configurationPlan(spans: readonly NodeDiff[]): PlanOf<'configuration'> {
  const parts = spans.map(configurationOf);
  const install = unique(parts.flatMap((part) => part.install));
  const installed = new Set(install);
  const others = (names: readonly string[]) => unique(names).filter((name) => !installed.has(name));
  const work = {
    install,
    peers: others(parts.flatMap((part) => part.peers)),
    uninstall: unique(parts.flatMap((part) => part.uninstall)),
    loadBalancers: unique(parts.flatMap((part) => part.loadBalancers)),
    proxy: others(parts.flatMap((part) => part.proxy)),
    endpoint: others(parts.flatMap((part) => part.endpoint)),
    firewall: others(parts.flatMap((part) => part.firewall)),
    boot: unique(parts.flatMap((part) => part.boot)),
    restarted: others(parts.flatMap((part) => part.restarted)),
    disks: others(parts.flatMap((part) => part.disks)),
  };
  const meshless = spans.some(({ to }) => to?.meshless === true);
  const { endpoint, firewall, boot, restarted, disks, ...rest } = work;
  return {
    stage: 'configuration',
    reasons: [...configurationReasons(work, meshless)],
    work: {
      ...rest,
      ...(endpoint.length > 0 && { endpoint }),
      ...(firewall.length > 0 && { firewall }),
      ...(boot.length > 0 && { boot }),
      ...(restarted.length > 0 && { restarted }),
      ...(disks.length > 0 && { disks }),
    },
  };
}

function kubernetesPlan(spans: readonly NodeDiff[]): PlanOf<'kubernetes'> {
  const given = unique(spans.flatMap(nodesToReset));
  if (given.length > 0) {
    const reasons = [`Kubernetes is taken off the static nodes ${listed(given)}`];
    return { stage: 'kubernetes', reasons, work: { action: 'reset' } };
  }
  return { stage: 'kubernetes', reasons: unique(spans.flatMap(kubernetesReasons)), work: { action: 'apply' } };
}

function nodesPlan(spans: readonly NodeDiff[], budget: DrainBudget): PlanOf<'nodes'> {
  const parts = spans.map(kubernetesNodes);
  const remove = unique(parts.flatMap((part) => part.remove));
  const own = ownBudgets(spans, budget);
  return {
    stage: 'nodes',
    reasons: unique(parts.flatMap((part) => part.reasons)),
    work: {
      patch: unique(parts.flatMap((part) => part.patch)),
      remove,
      maxUnavailable: budget.maxUnavailable,
      ...(remove.length > 0 && Object.keys(own).length > 0 ? { maxUnavailableOf: own } : {}),
      ...documentsWork(spans, parts),
    },
  };
}

/** In the order of the target, whatever differed from which state. */
function documentsWork(
  spans: readonly NodeDiff[],
  parts: readonly NodesDraft[],
): Pick<NodesWork, 'documents' | 'documentsRemoved'> {
  const names = new Set(parts.flatMap((part) => part.documents));
  const known = spans[0]?.to?.documents ?? [];
  const documents = known.filter(({ name }) => names.has(name)).map(({ name, version }) => ({ name, version }));
  const documentsRemoved = unique(parts.flatMap((part) => part.documentsRemoved));
  return {
    ...(documents.length > 0 ? { documents } : {}),
    ...(documentsRemoved.length > 0 ? { documentsRemoved } : {}),
  };
}

/** By pool id, for pools that lose nodes and have a number of their own. */
function ownBudgets(
  spans: readonly NodeDiff[],
  { maxUnavailable, maxUnavailableOf = {} }: DrainBudget,
): Record<string, number> {
  const pools = spans.flatMap((nodeDiff) => nodeDiff.removed.map(({ pool }) => pool));
  const own = pools.map((pool) => [pool.id, maxUnavailableOf[pool.name] ?? maxUnavailable] as const);
  return Object.fromEntries(own.filter(([, budget]) => budget !== maxUnavailable));
}

/** Load balancers that are only set up now route rightly from the start. */
function trafficPlan(spans: readonly NodeDiff[]): PlanOf<'traffic'> {
  const loadBalancers = unique(
    spans.flatMap((nodeDiff) => rerouted(nodeDiff).map((loadBalancer) => loadBalancer.name)),
  );
  const reasons =
    loadBalancers.length > 0 ? [`load balancer ${listed(loadBalancers)} gets other roles or targets`] : [];
  return { stage: 'traffic', reasons, work: { loadBalancers } };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
