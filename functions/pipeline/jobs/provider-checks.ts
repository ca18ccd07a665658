/** Checks of the credentials of a provider instance: numbered, one at a time for each instance. */
import type { ProviderCheck } from '#contracts/http-documents.ts';
import { type CheckFinding, errorIn, foundIn, Question, questionKeys } from '#contracts/job.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { wantedCheck } from '#domain/manifest/provider-check.ts';
import { manifestOf } from '../records/stored-document.ts';
import { findQuestion, lastNumber, newestQuestion, type QuestionPorts, startQuestion } from './questions.ts';

/** Whose check it is. */
export interface CheckedInstance extends ManifestKey {
  readonly provider: string;
}

/** Starts one and returns its id. Throws `NotFound` without such an instance, `VersionConflict` while another one runs. */
export async function startProviderCheck(
  deps: QuestionPorts,
  manifest: ManifestRecord,
  provider: string,
): Promise<string> {
  const question = questionOf(manifest, provider);
  const instance = { namespace: manifest.namespace, name: manifest.name, provider };
  const folder = folderOf(instance);
  const { id, newest, next } = await newestQuestion(deps, folder, 'credentials');
  if (newest?.status === 'running') throw alreadyRunning(instance, id);
  await startQuestion(deps, `${folder}${next}`, question);
  return next;
}

/** `asked`: its id, or `latest`. Throws `NotFound`. */
export async function readProviderCheck(
  deps: QuestionPorts,
  instance: CheckedInstance,
  asked: string,
): Promise<ProviderCheck> {
  const id = asked === 'latest' ? String(await lastNumber(deps, folderOf(instance))) : asked;
  const found = await findQuestion(deps, `${folderOf(instance)}${id}`);
  const { namespace, name, provider } = instance;
  if (found === undefined)
    throw new PipelineError(
      'NotFound',
      `provider "${provider}" of manifest "${name}" ${id === '0' ? 'was never checked' : `has no check ${id}`}`,
    );
  const { status, buildId: build, startedAt, result } = found;
  const error = errorIn(result);
  const findings = error ? [findingOf(error)] : (foundIn('credentials', result) ?? []);
  return { namespace, name, provider, id, build, status, startedAt, endedAt: result?.endedAt ?? null, findings };
}

/** What kept the check from an answer says nothing about the credentials. */
function findingOf({ code, message, hint }: StageError): CheckFinding {
  return { about: 'identity', name: code, ok: null, message: `${message} ${hint}` };
}

function alreadyRunning({ namespace, name, provider }: CheckedInstance, id: string): PipelineError {
  return new PipelineError(
    'VersionConflict',
    `provider "${provider}" of manifest "${namespace}/${name}" is being checked already (check ${id}): wait for its end`,
  );
}

function questionOf(manifest: ManifestRecord, provider: string): Question {
  const document = manifestOf(manifest);
  const wanted = wantedCheck(document, provider);
  if (wanted) return Question.parse({ kind: 'credentials', ...wanted });
  const known = document.spec.providers.map(({ name }) => name);
  throw new PipelineError(
    'NotFound',
    `manifest "${manifest.namespace}/${manifest.name}" has no provider "${provider}": ${known.length === 0 ? 'it has none' : `there are ${known.join(', ')}`}`,
  );
}

const folderOf = (instance: CheckedInstance): string => questionKeys.checks(instance, instance.provider);
