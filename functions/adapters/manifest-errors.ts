/** Named errors about a manifest in the table. */
import type { ManifestKey } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { Item } from './dynamo-table.ts';

/** The error for an item that could not be read because of `cause`. */
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

/** Its details have the stored version; generation 0 and attempt 0 if none is stored. */
export function versionConflict(key: ManifestKey, why: string, stored: Item | undefined): PipelineError {
  const details = { generation: Number(stored?.generation ?? 0), attempt: Number(stored?.attempt ?? 0) };
  const existing = stored
    ? `generation ${details.generation}, attempt ${details.attempt} is stored`
    : 'it is not stored';
  const message = `manifest ${key.namespace}/${key.name}: ${why}; ${existing}`;
  return new PipelineError('VersionConflict', message, { details });
}
