/** Settle Manifest: stores the outcome of the run and releases the lease, unless a newer version is to be done. */
import { SettleManifestInput, type SettleManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { clustersBehind } from '../pipeline/clusters/cluster-plans.ts';
import { isCheck } from '../pipeline/drift/drift-check.ts';
import { nextCheckOf } from '../pipeline/drift/drift-policy.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { planningOf } from '../pipeline/manifests/template-versions.ts';
import { isCancelled } from '../pipeline/runs/cancellation.ts';
import { endRun, settleStatus } from '../pipeline/runs/run-end.ts';
import { brokenOutcome, outcomeOf, outcomesOf, pausedOutcome } from '../pipeline/runs/run-summary.ts';

const uses = [
  'artifacts.removeAll',
  'clusters.list',
  'events.append',
  'manifests.get',
  'manifests.remainsOf',
  'manifests.remove',
  'manifests.settle',
  'runs.get',
  'runs.put',
] as const;

export const handler = taskHandler(
  SettleManifestInput,
  uses,
  async ({ namespace, name, fence, runId, generation, attempt }, deps): Promise<SettleManifestOutput> => {
    const key = { namespace, name };
    const now = deps.clock.now();
    const at = now.toISOString();
    const [manifest, records] = await Promise.all([storedManifest(deps, key), deps.clusters.list(key)]);
    const check = isCheck(manifest, { runId });
    const behind = check
      ? records.filter(({ status }) => status !== 'Converged')
      : clustersBehind(planningOf(deps, manifest), manifest, records, generation);
    const reached = outcomeOf(Math.max(records.length, behind.length), behind);
    const summary = pausedOutcome(manifest, runId, behind) ?? reached;
    const cancelled = isCancelled(manifest, { runId });
    const broken = brokenOutcome(summary, behind, runId);
    const newest = manifest.generation === generation && manifest.attempt === attempt;
    if (broken && newest && !cancelled) return broken;
    const dueAt = summary.outcome === 'done' ? nextCheckOf(manifest, now) : undefined;
    const gone = summary.outcome === 'done' && manifest.deleting;
    const settled = gone
      ? await deps.manifests.remove(key, fence, generation)
      : await deps.manifests.settle(key, fence, { generation, attempt }, settleStatus(summary), at, dueAt);
    const outcome = settled === 'newer' ? 'newer' : summary.outcome;
    await endRun(deps, { key, runId, at, outcome, summary, cancelled, clusters: outcomesOf(records, runId), check });
    if (gone && outcome === 'done') await deps.artifacts.removeAll(`documents/${namespace}/${name}/`);
    return { ...summary, outcome };
  },
);
