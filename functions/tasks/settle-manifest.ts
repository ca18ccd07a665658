/** Settle Manifest: stores the outcome of the run and releases the lease, unless a newer version is to be done. */
import { SettleManifestInput, type SettleManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { isCheck } from '../pipeline/drift/drift-check.ts';
import { earlierCheck, nextCheckOf } from '../pipeline/drift/drift-policy.ts';
import { isCancelled } from '../pipeline/records/cancellation.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { planRetry, retryEvent } from '../pipeline/runs/retry-plan.ts';
import { endRun, settleStatus } from '../pipeline/runs/run-end.ts';
import { brokenOutcome, outcomeOf, outcomesOf, pausedOutcome, undoneOutcome } from '../pipeline/runs/run-summary.ts';
import { settledByPlans, settledByRecords } from '../pipeline/runs/settled-clusters.ts';
import { firstReminder } from '../pipeline/schedule/expiry-reminders.ts';

const uses = [
  'artifacts.removeAll',
  'clusters.each',
  'demands.list',
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
    const manifest = await storedManifest(deps, key);
    const check = isCheck(manifest, { runId });
    // A check changes no machines. Records of an older release get their cost with it.
    const counts = !check || manifest.acceptedCost === undefined;
    const cost = counts ? await import('../pipeline/runs/settled-cost.ts') : undefined;
    const clusters = await Array.fromAsync(
      check || manifest.generation !== generation
        ? settledByRecords(deps, key, cost?.costOfCluster)
        : settledByPlans(deps, manifest, cost?.costOfCluster),
    );
    const unfinished = clusters.filter((cluster) => cluster.unfinished);
    const stored = clusters.filter((cluster) => cluster.stored);
    const reached = outcomeOf(Math.max(stored.length, unfinished.length), unfinished);
    const summary = pausedOutcome(manifest, runId, unfinished) ?? reached;
    const cancelled = isCancelled(manifest, { runId });
    const broken = brokenOutcome(summary, unfinished, runId);
    const newest = manifest.generation === generation && manifest.attempt === attempt;
    if (broken && newest && !cancelled) return broken;
    const retry = summary.outcome === 'failed' && !cancelled ? planRetry(manifest, unfinished, now) : undefined;
    const next = summary.outcome === 'done' ? earlierCheck(nextCheckOf(manifest, now), clusters, now) : retry?.dueAt;
    // Without checks, someone is still warned before certificates end.
    const quiet = summary.outcome === 'done' || summary.outcome === 'paused';
    const dueAt = next ?? (quiet ? firstReminder(clusters) : undefined);
    const gone = summary.outcome === 'done' && manifest.deleting;
    const acceptedCost = summary.outcome === 'done' ? cost?.costOfSettled(clusters) : undefined;
    const also = { ...(dueAt !== undefined && { dueAt }), ...(acceptedCost && { acceptedCost }) };
    const settled = gone
      ? await deps.manifests.remove(key, fence, generation)
      : await deps.manifests.settle(key, fence, { generation, attempt }, settleStatus(summary), at, also);
    const outcome = settled === 'newer' ? 'newer' : summary.outcome;
    const undone = summary.outcome === 'done' ? undoneOutcome(stored, runId) : undefined;
    const ended = { outcome: outcome === 'newer' ? outcome : (undone ?? summary).outcome, summary: undone ?? summary };
    await endRun(deps, { key, runId, at, ...ended, cancelled, clusters: outcomesOf(stored, runId), check });
    if (retry && outcome === 'failed') await deps.events.append(key, [retryEvent(retry, at, runId)]);
    if (gone && outcome === 'done')
      for (const kind of ['documents', 'agents', 'plugins'])
        await deps.artifacts.removeAll(`${kind}/${namespace}/${name}/`);
    return { ...summary, outcome };
  },
);
