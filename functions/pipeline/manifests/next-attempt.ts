/** Starts a generation once more, under the next attempt's name. */
import type { StartNextAttemptInput } from '#contracts/state-inputs.ts';
import type { Using } from '../../ports.ts';
import { type GenerationRequest, nextRecord, startRun } from './next-generation.ts';

/**
 * Does nothing when another request was faster; returns whether it started. Throws `VersionConflict` when that happens at the same
 * moment. `change`: how many automatic retries there were with this one, and templates that moved; what is not given stays.
 */
export async function startNextAttempt(
  { namespace, name, generation, attempt, reason }: StartNextAttemptInput,
  deps: Using<'manifests.get' | 'manifests.replace' | 'runs.put' | 'workflows.startReconcile' | 'clock' | 'ids'>,
  change: Pick<GenerationRequest, 'retries' | 'templates'> = {},
): Promise<boolean> {
  const key = { namespace, name };
  const stored = await deps.manifests.get(key);
  if (stored?.generation !== generation || stored.attempt !== attempt) return false;
  const { document, deleting, retries } = stored;
  const record = nextRecord(deps, key, stored, { document, deleting, again: true, retries, ...change });
  await deps.manifests.replace(record, { generation, attempt });
  await startRun(deps, record, reason);
  return true;
}
