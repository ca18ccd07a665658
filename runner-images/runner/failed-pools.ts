/** New pools that could not be created: whether a grow continues without them, and what its later stages then pass over. */
import type { StageError } from '#contracts/stage.ts';
import { allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { assessStageFailure } from '#domain/failure-policy.ts';
import type { StagePlan } from '#domain/plan.ts';
import { newPools, withoutPools, worksWithout } from '#domain/planning/states/without-pools.ts';
import type { StageContext } from './stage-context.ts';

/** Pool id and why it could not be created. */
export interface FailedPool {
  readonly pool: string;
  readonly error: StageError;
}

/** Pools without which this stage may succeed; none unless it creates the machines of a grow. */
export function poolsThatMayFail({ plan, mode, document }: StageContext): readonly NodePoolState[] {
  const { direction, before, target } = document;
  if (plan.stage !== 'infrastructure' || mode !== 'do' || direction !== 'grow' || target === null) return [];
  return newPools(before, target);
}

/**
 * The state to continue with, without these pools. Undefined when the stage has to fail as a whole: when it is retried
 * in place, or when no cluster that works would be left.
 */
export function continueWithout(context: StageContext, failed: readonly FailedPool[]): ClusterState | undefined {
  const { document, attempt, ports, signal } = context;
  const { before, target } = document;
  if (target === null || failed.length === 0 || signal.aborted) return undefined;
  const helps = ({ error }: FailedPool) => assessStageFailure({ ...error, attempt, config: ports.config }).outcome;
  if (failed.some((pool) => pool.error.code === 'StageCancelled' || helps(pool) === 'retry')) return undefined;
  const ids = failed.map(({ pool }) => pool);
  return worksWithout(before, target, ids) ? withoutPools(target, ids) : undefined;
}

/** Notes and reports it, once nothing is left of them. */
export function reportFailedPools(context: StageContext, failed: readonly FailedPool[]): void {
  for (const { pool, error } of failed) {
    context.noteFailedPool(pool, error);
    const message = `node pool ${pool} could not be created and is left out; nothing of it remains. ${error.message}`;
    context.emit({ kind: 'PoolLeftOut', message });
  }
}

/** Names of the nodes that the pools of these ids have in any of the states. */
export function nodesOfPools(states: readonly (ClusterState | null)[], ids: readonly string[]): readonly string[] {
  const pools = states.flatMap((state) => (state === null ? [] : allPools(state)));
  return pools.filter(({ id }) => ids.includes(id)).flatMap(({ nodes }) => nodes.map(({ name }) => name));
}

/** The plan without work on these nodes: they were never created. Their removal stays in the plan and finds nothing. */
export function planWithout(plan: StagePlan, nodes: readonly string[]): StagePlan {
  if (nodes.length === 0) return plan;
  const stays = (name: string) => !nodes.includes(name);
  if (plan.stage === 'configuration') {
    const { install, peers, proxy, endpoint, boot, ...rest } = plan.work;
    const work = { install: install.filter(stays), peers: peers.filter(stays), proxy: proxy.filter(stays) };
    return {
      ...plan,
      work: {
        ...rest,
        ...work,
        ...(endpoint && { endpoint: endpoint.filter(stays) }),
        ...(boot && { boot: boot.filter(stays) }),
      },
    };
  }
  if (plan.stage === 'nodes') return { ...plan, work: { ...plan.work, patch: plan.work.patch.filter(stays) } };
  return plan;
}
