/** What a verb is answered when it makes no sense: a conflict with what stands, in a sentence. */
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';

/** "manifest "team/shop" cannot be retried: …" */
export function refuseVerb(stored: ManifestRecord, done: string, because: string): PipelineError {
  const { namespace, name, generation, attempt } = stored;
  return new PipelineError('VerbRefused', `manifest "${namespace}/${name}" cannot be ${done}: ${because}`, {
    details: { generation, attempt },
  });
}
