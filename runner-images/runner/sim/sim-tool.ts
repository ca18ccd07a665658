/** A tool for every stage that creates nothing: it takes some time, fails where a fault is configured, and finds plausible facts. */
import { setTimeout as pause } from 'node:timers/promises';
import { clusterKeys } from '#contracts/stage.ts';
import { allNodes, allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import type { StagePlan } from '#domain/plan.ts';
import { apiAddress } from '#rendering/kubeone-manifest.ts';
import type { DriftOptions } from '../check-drift.ts';
import { continueWithout, poolsThatMayFail, reportFailedPools } from '../failed-pools.ts';
import { removeKubeconfig } from '../kubernetes/kubeconfig.ts';
import {
  type AnyContext,
  type ClusterContext,
  knownStates,
  type StageContext,
  type StageSummary,
  type Tool,
} from '../stage-context.ts';
import { StageFailure, stageCancelled } from '../stage-failure.ts';
import { type InjectedFault, strikingFault } from './injected-faults.ts';
import { repairDrift, simulatedDrift, simulatedHealth } from './simulated-drift.ts';
import { simulatedAddress, simulatedBootId, simulatedKubeconfig, simulatedPublicKey } from './simulated-facts.ts';

export interface SimOptions {
  /** How long a stage takes; read again while the time passes, so that a test can hold a stage for as long as it looks. */
  readonly stageMs: number;
  /** JSON list of `InjectedFault`. */
  readonly faults: string | undefined;
  /** JSON list of what checks find. @default nothing */
  readonly drift?: string | undefined;
}

/** The tool with these options. */
export function simTool(options: SimOptions): Tool {
  return async (context) => {
    await passTime(context, options);
    if (context.plan.stage === 'infrastructure' && context.mode === 'do') context.facts.failedPools([]);
    const target = failWhenConfigured(context, options.faults);
    if (context.document.direction === 'repair' && target !== null)
      repairDrift(options.drift, placeOf(context, target));
    return perform({ ...context, target }, context.plan);
  };
}

/** A check for drift with these options. */
export function simCheck(options: SimOptions): DriftOptions['drift'] {
  return async (context) => {
    await passTime(context, options);
    const fault = strikingFault(options.faults, context, { stage: 'drift', mode: 'do' });
    if (fault) throw injected(fault);
    const items = simulatedDrift(options.drift, placeOf(context, context.target));
    return { items: [...items], unchecked: [], health: [...simulatedHealth(context.target, items)] };
  };
}

async function passTime({ signal }: ClusterContext, options: SimOptions): Promise<void> {
  const started = Date.now();
  const left = (): number => started + options.stageMs - Date.now();
  while (left() > 0 && !signal.aborted)
    await pause(Math.min(left(), 100), undefined, { signal }).catch(() => undefined);
  if (signal.aborted) throw stageCancelled(signal);
}

function injected(fault: InjectedFault): StageFailure {
  return new StageFailure({
    class: fault.class,
    code: 'InjectedFault',
    message: `The simulated stage ${fault.stage} failed as configured in KUBELOOM_SIM_FAULTS (${fault.class}).`,
    ...(fault.node === undefined && fault.provider === undefined ? {} : { resource: fault.node ?? fault.provider }),
    hint: 'Nothing real is broken: this failure is simulated.',
  });
}

/** Returns the state after the stage: the target, without pools that are configured to fail. */
function failWhenConfigured(context: StageContext, faults: string | undefined): ClusterState | null {
  const added = poolsThatMayFail(context);
  const { plan, mode, document } = context;
  const job = { stage: plan.stage, mode, direction: document.direction };
  const fault = strikingFault(faults, context, job, added);
  if (fault === undefined) return context.target;
  const failure = injected(fault);
  const failed = added.flatMap(({ id, source }) =>
    source.kind === 'dynamic' && source.provider.name === fault.provider ? [{ pool: id, error: failure.error }] : [],
  );
  const target = continueWithout(context, failed);
  if (target === undefined) throw failure;
  reportFailedPools(context, failed);
  return target;
}

const placeOf = ({ document }: ClusterContext, state: ClusterState) => {
  return { manifest: document.manifest, cluster: document.cluster, state };
};

async function perform(context: AnyContext, plan: StagePlan): Promise<StageSummary> {
  const { facts } = context;
  switch (plan.stage) {
    case 'infrastructure':
      return infrastructure(context, plan.work);
    case 'configuration':
      for (const name of [...plan.work.install, ...plan.work.peers]) {
        facts.node(name, { wireguardPublicKey: simulatedPublicKey(name), bootId: simulatedBootId(name) });
      }
      for (const name of plan.work.uninstall) facts.forgetNode(name);
      return { nodesVisited: plan.work.install.length + plan.work.peers.length };
    case 'kubernetes':
      return kubernetes(context, plan.work.action);
    case 'nodes':
      for (const name of plan.work.patch) facts.node(name, { joined: true });
      for (const name of plan.work.remove) facts.node(name, { joined: false });
      for (const { name, version } of plan.work.documents ?? []) {
        facts.documents(name, { version, hash: '', objects: [] });
        context.emit({ kind: 'DocumentsApplied', message: `${name} (${version}) would be in the cluster (simulated)` });
      }
      for (const name of plan.work.documentsRemoved ?? []) facts.documents(name, undefined);
      return { nodesPatched: plan.work.patch.length, nodesRemoved: plan.work.remove.length };
    case 'traffic':
      return { loadBalancers: plan.work.loadBalancers.length };
    default:
      return plan satisfies never;
  }
}

type Work = Extract<StagePlan, { stage: 'infrastructure' }>['work'];

async function infrastructure(context: StageContext, { workspaces, orphan = [] }: Work): Promise<StageSummary> {
  const { target, facts, emit } = context;
  facts.simulated('machines');
  const stay = new Set((target === null ? [] : allNodes(target)).map(({ node }) => node.name));
  const gone = Object.keys(facts.current.nodes).filter((name) => !stay.has(name));
  for (const name of gone) facts.forgetNode(name);
  for (const node of orphan) {
    const message = `${node} is orphaned: it keeps running, Kubeloom no longer manages it`;
    emit({ kind: 'NodeOrphaned', message, node });
  }
  const destroyed = workspaces.filter(({ kind, destroy }) => kind === 'machines' && destroy);
  for (const { name } of destroyed)
    emit(
      receipt(
        context,
        name,
        gone.filter((node) => !orphan.includes(node)),
      ),
    );
  const made = [...stay].filter((name) => facts.current.nodes[name]?.publicAddress === undefined);
  for (const { node } of target === null ? [] : allNodes(target)) {
    facts.node(node.name, {
      publicAddress: node.static?.endpoint ?? simulatedAddress(node.name),
      wireguardPort,
    });
  }
  const balancers = target?.loadBalancers ?? [];
  for (const name of Object.keys(facts.current.loadBalancers)) facts.loadBalancer(name, undefined);
  for (const { name, dns } of balancers) facts.loadBalancer(name, `${dns.hostname}.${dns.zone}`);
  return { hostsCreated: made.length, hostsRemoved: gone.length };
}

/** As the tools report that everything of a provider instance was deleted. */
function receipt(context: StageContext, provider: string, gone: readonly string[]) {
  const isOf = ({ source }: NodePoolState): boolean => source.kind === 'dynamic' && source.provider.name === provider;
  const nodes = knownStates(context).flatMap((state) =>
    allPools(state)
      .filter(isOf)
      .flatMap((pool) => pool.nodes),
  );
  const own = new Set(nodes.map(({ name }) => name));
  const removed = gone.filter((node) => own.has(node)).join(', ') || 'no machine';
  const message = `${provider}: removed ${removed}; nothing with the tags of the cluster is left (simulated)`;
  return { kind: 'DeletionReceipt', message } as const;
}

async function kubernetes(context: AnyContext, action: 'apply' | 'reset' | 'renew'): Promise<StageSummary> {
  const { target, facts, ports, document } = context;
  facts.simulated('control plane');
  if (action === 'renew') return {};
  if (action === 'reset' || target === null) {
    await removeKubeconfig(context);
    return {};
  }
  if (facts.current.kubeconfigKey === undefined) {
    const { kubeconfig: key } = clusterKeys(document);
    const { host } = apiAddress(target, facts.current);
    await ports.artifacts.putText(key, simulatedKubeconfig(target.name, host), 'application/yaml');
    facts.kubeconfig(key);
  }
  return { kubernetesVersion: target.kubernetesVersion };
}
