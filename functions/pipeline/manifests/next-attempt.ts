/** Starts a generation once more, under the next attempt's name. */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { StartNextAttemptInput } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import type { Using } from '../../ports.ts';
import { retryOnConflict } from '../../retry-on-conflict.ts';
import { type GenerationRequest, makingNow, nextRecord } from '../records/next-record.ts';
import { startRun } from './next-generation.ts';

/**
 * Does nothing when another request was faster; returns whether it started. Throws `VersionConflict` when that happens at the same
 * moment. `change`: how many automatic retries there were with this one, and templates that moved; what is not given stays.
 */
export async function startNextAttempt(
  { namespace, name, generation, attempt, reason }: StartNextAttemptInput,
  deps: Ports,
  change: Change = {},
): Promise<boolean> {
  const stored = await deps.manifests.get({ namespace, name });
  if (stored?.generation !== generation || stored.attempt !== attempt) return false;
  await startAfter(deps, stored, { reason, change: { retries: stored.retries, ...change } });
  return true;
}

interface AnotherAttempt {
  readonly reason: string;
  /** Automatic retries are counted from 0. */
  readonly byPerson: boolean;
  /** What its machines cost with what was requested; undefined: as before. */
  readonly costOf: (stored: ManifestRecord) => Promise<AcceptedCost | undefined>;
}

/** Starts another attempt of the stored generation for what was requested of its clusters: a run in progress settles as "newer". Throws `NotFound`. */
export async function startAnotherAttempt(
  deps: Ports,
  { namespace, name }: ManifestKey,
  { reason, byPerson, costOf }: AnotherAttempt,
): Promise<ManifestRecord> {
  return retryOnConflict(async () => {
    const stored = await deps.manifests.get({ namespace, name });
    if (stored === undefined) throw new PipelineError('NotFound', `there is no manifest "${namespace}/${name}"`);
    const acceptedCost = await costOf(stored);
    return startAfter(deps, stored, {
      reason,
      change: { acceptedCost, ...(!byPerson && { retries: stored.retries }) },
    });
  });
}

type Change = Pick<
  GenerationRequest,
  'acceptedCost' | 'retries' | 'templates' | 'behind' | 'taking' | 'templatesAsked'
>;

type Ports = Using<'manifests.get' | 'manifests.replace' | 'runs.put' | 'workflows.startReconcile' | 'clock' | 'ids'>;

async function startAfter(
  deps: Ports,
  stored: ManifestRecord,
  { reason, change = {} }: { readonly reason: string; readonly change?: Change },
): Promise<ManifestRecord> {
  const { document, deleting, generation, attempt } = stored;
  const record = nextRecord(makingNow(deps), stored, stored, { document, deleting, again: true, ...change });
  await deps.manifests.replace(record, { generation, attempt });
  await startRun(deps, record, reason);
  return record;
}
