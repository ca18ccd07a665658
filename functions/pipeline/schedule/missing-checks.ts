/** Manifests that are done or failed and not due: those that ended before there were drift checks of them get their first one. */
import type { ManifestHead } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { Using } from '../../ports.ts';
import { firstCheckOf } from '../drift/drift-policy.ts';
import { everyHead } from '../records/stored-manifest.ts';

type Ports = Using<'manifests.get' | 'manifests.listHeads' | 'manifests.replace' | 'clock'>;

/** Whether this process has listed them: once is enough, as manifests that are done later get their check. */
const looked = new WeakSet<object>();

/**
 * Lists all manifests once for each process: after every upgrade, and now and then, never at every tick. Returns how many
 * checks are due from now on that were not. Throws what cannot be read, once: the next process lists again.
 */
export async function findUnchecked({ manifests, clock }: Ports): Promise<number> {
  if (looked.has(manifests)) return 0;
  looked.add(manifests);
  let broughtIn = 0;
  for await (const record of everyHead({ manifests })) if (await bringIn(record, { manifests, clock })) broughtIn += 1;
  return broughtIn;
}

async function bringIn(listed: ManifestHead, { manifests, clock }: Ports): Promise<boolean> {
  if (!isForgotten(listed)) return false;
  // It may have been listed a while ago.
  const record = await manifests.get(listed);
  const dueAt = record && isForgotten(record) ? firstCheckOf(record, clock.now()) : undefined;
  if (record === undefined || dueAt === undefined) return false;
  const { generation, attempt } = record;
  try {
    const failed = record.status === 'Failed' && { failed: record.failed ?? {} };
    await manifests.replace({ ...record, dueAt, ...failed }, { generation, attempt });
    return true;
  } catch (error) {
    // Another request was faster: its run ends with a check of its own.
    if (isPipelineError(error, 'VersionConflict')) return false;
    throw error;
  }
}

/** One that failed and has nothing to check is marked as such. */
function isForgotten({ status, lease, dueAt, failed }: ManifestHead): boolean {
  const ended = status === 'Done' || (status === 'Failed' && failed === undefined);
  return ended && lease === null && dueAt === undefined;
}
