/** Stores the next version of a manifest and starts its run: one conditional write, then steps that may be repeated later. */
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { AcceptedManifest } from '../../budget-store.ts';
import type { Using } from '../../ports.ts';

/** Stores what is accepted within budgets. */
export type Accept = (accepted: AcceptedManifest) => Promise<void>;

/** Stores it if no other request was faster. Throws `VersionConflict` with what is stored now. `accept`: within budgets, which it throws for, too. */
export async function storeNext(
  deps: Using<'manifests.create' | 'manifests.get' | 'manifests.replace'>,
  stored: ManifestRecord | undefined,
  record: ManifestRecord,
  accept?: Accept,
): Promise<void> {
  const expected = stored && { generation: stored.generation, attempt: stored.attempt };
  try {
    if (accept) await accept({ manifest: record, ...(expected && { expected }) });
    else if (expected) await deps.manifests.replace(record, expected);
    else await deps.manifests.create(record);
  } catch (cause) {
    if (!isPipelineError(cause, 'VersionConflict')) throw cause;
    const now = await deps.manifests.get(record);
    const name = `manifest "${record.namespace}/${record.name}"`;
    const existing = now ? `generation ${now.generation}, attempt ${now.attempt} is stored now` : 'it is gone now';
    throw new PipelineError('VersionConflict', `${name} was changed meanwhile by another request: ${existing}; retry`, {
      cause,
      details: versionOf(now),
    });
  }
}

/**
 * Notes the run and starts it, unless the manifest is paused. A failure here is repaired by the scheduler, which finds
 * the record due: the manifest is accepted all the same.
 */
export async function startRun(
  deps: Using<'runs.put' | 'workflows.startReconcile'>,
  record: ManifestHead,
  reason: string,
): Promise<void> {
  await queueRun(deps, record, reason);
  if (record.paused) return;
  const { namespace, name, runId } = record;
  await Promise.allSettled([deps.workflows.startReconcile(runId, { namespace, name })]);
}

/** Notes the run that another starts. Never throws. */
export async function queueRun(deps: Using<'runs.put'>, record: ManifestHead, reason: string): Promise<void> {
  const { namespace, name, runId, generation, attempt, updatedAt, debug } = record;
  const { id, approvedBy } = (record.check ? undefined : record.plan) ?? {};
  const plan = id !== undefined && { plan: { id, ...(approvedBy !== undefined && { approvedBy }) } };
  const run = { namespace, manifest: name, runId, generation, attempt, reason, ...plan, ...(debug && { debug }) };
  await Promise.allSettled([deps.runs.put({ ...run, status: 'Queued', queuedAt: updatedAt, clusters: {} })]);
}

export function versionOf(record: ManifestHead | undefined): { generation: number; attempt: number } {
  return { generation: record?.generation ?? 0, attempt: record?.attempt ?? 0 };
}
