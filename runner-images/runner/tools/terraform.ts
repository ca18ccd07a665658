/** The infrastructure stage: machines of all provider instances concurrently, then DNS names; in reverse order to remove. */
import type { z } from 'zod';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { InfrastructureWork } from '#domain/plan.ts';
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { continueWithout, reportFailedPools } from '../failed-pools.ts';
import type { ContextOf, ToolOf } from '../stage-context.ts';
import { applyDns } from '../terraform/apply-dns.ts';
import { applyMachines } from '../terraform/apply-machines.ts';
import type { ChangeCounts } from '../terraform/change-reporter.ts';
import { openToChange, type ToApply } from '../terraform/change-workspace.ts';
import { handleStrays } from '../terraform/handle-strays.ts';
import { openFirewalls } from '../terraform/open-firewalls.ts';
import { poolsThatFailed } from '../terraform/pools-that-failed.ts';

type Workspace = z.infer<typeof InfrastructureWork>['workspaces'][number];
type Visit = (context: ContextOf<'terraform'>, workspace: Workspace, to: ToApply) => Promise<ChangeCounts>;

export const terraform: ToolOf<'terraform'> = async (context) => {
  if (context.plan.stage !== 'infrastructure') throw new Error(`terraform cannot run stage ${context.plan.stage}`);
  const { workspaces, stateEdit } = context.plan.work;
  // Few stages are edits.
  if (stateEdit) return (await import('../terraform/edit-state.ts')).makeEdit(context, stateEdit);
  const names = workspaces.filter(({ kind }) => kind === 'dns');
  const total: ChangeCounts = {
    resourcesAdded: 0,
    resourcesChanged: 0,
    resourcesRemoved: 0,
    hostsCreated: 0,
    hostsRemoved: 0,
  };
  const add = (counts: readonly ChangeCounts[]) => {
    for (const some of counts) for (const key of Object.keys(total) as (keyof ChangeCounts)[]) total[key] += some[key];
  };
  const open: ToApply['open'] = (job) => openToChange(context, job);
  const visit = async (batch: readonly Workspace[], work: Visit, target: ClusterState | null) =>
    settleBounded(batch, context.runner.workspacesAtOnce, (workspace) => work(context, workspace, { target, open }));
  if (context.mode === 'do') context.facts.failedPools([]);
  // Names point to addresses: they come after the machines and go before them.
  const old = names.filter(({ destroy }) => destroy);
  add(unwrap(await visit(old, applyDns, context.target)));
  const machines = workspaces.filter(({ kind }) => kind === 'machines');
  const outcomes = await visit(machines, applyMachines, context.target);
  add(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
  const failed = machines.flatMap((workspace, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected' ? [{ workspace, reason: outcome.reason as unknown }] : [];
  });
  const target = failed.length === 0 ? context.target : await withoutFailedPools(context, failed, { add, open });
  add(await openFirewalls(context, { target, open }, new Set(machines.map(({ name }) => name))));
  const now = names.filter(({ destroy }) => !destroy);
  add(unwrap(await visit(now, applyDns, target)));
  for (const strays of context.plan.work.strays ?? []) await handleStrays(context, strays);
  return { ...total };
};

/** Removes what exists of the failed pools, creates the others, and returns the rest of the target. Throws the failure when it cannot. */
async function withoutFailedPools(
  context: ContextOf<'terraform'>,
  failed: readonly { readonly workspace: Workspace; readonly reason: unknown }[],
  { add, open }: Pick<ToApply, 'open'> & { readonly add: (counts: readonly ChangeCounts[]) => void },
): Promise<ClusterState> {
  const [first] = failed;
  const blamed = failed.map(({ workspace, reason }) => poolsThatFailed(context, workspace.name, reason));
  const pools = blamed.flat();
  const target = blamed.every((some) => some.length > 0) ? continueWithout(context, pools) : undefined;
  if (target === undefined) throw first?.reason;
  for (const { pool, error } of pools) context.log.write('runner', `continuing without ${pool}: ${error.message}`);
  const again = await settleBounded(failed, context.runner.workspacesAtOnce, ({ workspace }) =>
    applyMachines(
      context,
      { ...workspace, destroy: dynamicPoolsOf(target, workspace.name).length === 0 },
      { target, open },
    ),
  );
  for (const outcome of again) {
    if (outcome.status === 'fulfilled') continue;
    context.log.write('runner', `what exists of them cannot be removed: ${String(outcome.reason)}`);
    throw first?.reason;
  }
  add(unwrap(again));
  reportFailedPools(context, pools);
  return target;
}
