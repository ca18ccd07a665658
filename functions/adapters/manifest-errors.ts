/** What is wrong with a manifest in the table, as named errors. */
import type { ManifestKey } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { Item } from './dynamo-table.ts';

/** Of an item that was not read for `cause`. */
export function asFault(item: Item | undefined, cause: unknown): PipelineError {
  if (isPipelineError(cause, 'Unreadable')) return cause;
  const message = `the stored manifest ${String(item?.sk).replace('#', '/')} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new PipelineError('InternalFault', message, { cause });
}

export function notFound(key: ManifestKey): PipelineError {
  return new PipelineError('NotFound', `manifest ${key.namespace}/${key.name} does not exist`);
}

export function leaseLost(key: ManifestKey, fence: number): PipelineError {
  const message = `the lease of manifest ${key.namespace}/${key.name} with fence ${fence} is gone: another run has taken over`;
  return new PipelineError('LeaseLost', message);
}

/** With the version that is stored in its details; 0 of each without any. */
export function versionConflict(key: ManifestKey, why: string, stored: Item | undefined): PipelineError {
  const details = { generation: Number(stored?.generation ?? 0), attempt: Number(stored?.attempt ?? 0) };
  const existing = stored
    ? `generation ${details.generation}, attempt ${details.attempt} is stored`
    : 'it is not stored';
  const message = `manifest ${key.namespace}/${key.name}: ${why}; ${existing}`;
  return new PipelineError('VersionConflict', message, { details });
}
