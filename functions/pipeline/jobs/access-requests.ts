/** Requests of people for access to a cluster: numbered, one at a time for each caller, and read by no one else. */
import { createHash } from 'node:crypto';
import { type Question, questionKeys } from '#contracts/job.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { type AskedQuestion, findQuestion, newestQuestion, type QuestionPorts, startQuestion } from './questions.ts';

/** Whose request it is, and for which cluster. */
export interface AccessPlace extends ManifestKey {
  readonly cluster: string;
  readonly kind: 'certificate' | 'ssh' | 'state';
  /** Name of the caller. */
  readonly caller: string;
}

/** Starts it and returns its id. Throws `VersionConflict` while another one of this caller runs. */
export async function startAccess(deps: QuestionPorts, place: AccessPlace, question: Question): Promise<string> {
  const folder = folderOf(place);
  const { id, newest, next } = await newestQuestion(deps, folder, question.kind);
  if (newest?.status === 'running')
    throw new PipelineError(
      'VersionConflict',
      `your request ${id} for this cluster has not ended yet: wait for its end`,
    );
  await startQuestion(deps, `${folder}${next}`, question);
  return next;
}

/** Throws `NotFound`, also for a request of someone else. */
export async function readAccess(deps: QuestionPorts, place: AccessPlace, id: string): Promise<AskedQuestion> {
  const found = await findQuestion(deps, `${folderOf(place)}${id}`);
  if (found !== undefined) return found;
  throw new PipelineError('NotFound', `you have no request ${id} for this cluster; what was issued is kept for a day`);
}

/** Names of callers have characters that a key must not have. */
function folderOf({ caller, cluster, kind, ...manifest }: AccessPlace): string {
  const digest = createHash('sha256').update(caller).digest('hex').slice(0, 16);
  return questionKeys.access(manifest, cluster, `${kind}-${digest}`);
}
