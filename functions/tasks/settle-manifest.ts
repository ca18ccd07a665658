/** Settle Manifest: stores the outcome of the run and releases the lease, unless a newer version is to be done. */
import { SettleManifestInput, type SettleManifestOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { isCheck } from '../pipeline/drift/drift-check.ts';
import { isCancelled } from '../pipeline/records/cancellation.ts';
import { removeManifestFiles } from '../pipeline/records/cluster-files.ts';
import { failedManifestOf } from '../pipeline/records/failed-cluster.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { afterRun } from '../pipeline/runs/after-run.ts';
import { checkedOutcome } from '../pipeline/runs/due-after-run.ts';
import { retryEvent } from '../pipeline/runs/retry-plan.ts';
import { endRun, settleStatus } from '../pipeline/runs/run-end.ts';
import {
  brokenOutcome,
  failureEvents,
  outcomeOf,
  outcomesOf,
  pausedOutcome,
  undoneOutcome,
} from '../pipeline/runs/run-summary.ts';
import { clustersAtEnd } from '../pipeline/runs/settled-clusters.ts';

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
    const only = check ? (manifest.stateEdit === undefined ? 'check' : 'edit') : undefined;
    const atEnd = await clustersAtEnd(deps, manifest, { check, generation });
    const { clusters, maintained } = atEnd;
    const unfinished = clusters.filter((cluster) => cluster.unfinished);
    const stored = clusters.filter((cluster) => cluster.stored);
    const reached = outcomeOf(Math.max(stored.length, unfinished.length), unfinished);
    const summary = (!maintained && pausedOutcome(manifest, runId, unfinished)) || reached;
    const cancelled = isCancelled(manifest, { runId });
    const broken = brokenOutcome(summary, unfinished, runId);
    const newest = manifest.generation === generation && manifest.attempt === attempt;
    if (broken && newest && !cancelled) return broken;
    const { retry, also } = afterRun(manifest, atEnd, { summary, unfinished, cancelled, now });
    const gone = summary.outcome === 'done' && manifest.deleting;
    const settled = gone
      ? await deps.manifests.remove(key, fence, generation)
      : await deps.manifests.settle(key, fence, { generation, attempt }, settleStatus(summary), at, also);
    const result = maintained ? checkedOutcome(summary, unfinished, runId) : summary;
    const outcome = settled === 'newer' ? 'newer' : result.outcome;
    const undone = result.outcome === 'done' ? undoneOutcome(stored, runId) : undefined;
    const ended = { outcome: outcome === 'newer' ? outcome : (undone ?? result).outcome, summary: undone ?? result };
    // A newer version is at work on what this run left.
    const status = settled === 'newer' ? 'Pending' : settleStatus(summary);
    const failed = failedManifestOf({ ...manifest, failed: also.failed, dueAt: also.dueAt, status });
    const failures = failureEvents(stored, failed, { runId, at });
    const end = await endRun(deps, { key, runId, at, ...ended, cancelled, clusters: outcomesOf(stored, runId), only });
    const tried = retry && outcome === 'failed' ? [retryEvent(retry, at, runId)] : [];
    await deps.events.append(key, [...failures, ...(end ? [end] : []), ...tried]);
    if (gone && outcome === 'done') await removeManifestFiles(deps, key);
    return { ...result, outcome };
  },
);
