/** Writing the next version of a manifest and starting its run: one conditional write, then what may be mended later. */
import { createHash } from 'node:crypto';
import type { ManifestAccepted } from '#contracts/http.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { type HttpResponse, tagAllowed, tagsOf } from '../http.ts';
import type { Deps } from '../ports.ts';
import { manifestTag } from './stored-manifest.ts';
import { linksOf } from './views/api-paths.ts';

/** A run that was not started by then is started by the scheduler. */
const missedStartSeconds = 60;

/** Throws `VersionConflict` when `If-Match` or `If-None-Match` does not fit what is stored. */
export function checkPreconditions(
  headers: Readonly<Record<string, string>>,
  key: ManifestKey,
  stored: ManifestRecord | undefined,
): void {
  const name = `manifest "${key.namespace}/${key.name}"`;
  const wanted = headers['if-match'];
  if (wanted !== undefined && (!stored || !tagAllowed(wanted, manifestTag(stored)))) {
    const stands = stored
      ? `generation ${stored.generation}, attempt ${stored.attempt} is stored`
      : 'it does not exist';
    throw new PipelineError('VersionConflict', `${name} is not at ${wanted}: ${stands}; read it and try again`, {
      details: versionOf(stored),
    });
  }
  if (stored && tagsOf(headers['if-none-match'])?.includes('*')) {
    throw new PipelineError('VersionConflict', `${name} exists already; leave out If-None-Match to change it`, {
      details: versionOf(stored),
    });
  }
}

/** What is to become of a manifest. */
export interface Wish {
  readonly document: unknown;
  readonly deleting: boolean;
  /** Same document, started once more. */
  readonly again: boolean;
}

/** The record that follows `stored`. */
export function nextRecord(
  deps: Pick<Deps, 'clock' | 'ids'>,
  key: ManifestKey,
  stored: ManifestRecord | undefined,
  wish: Wish,
): ManifestRecord {
  const now = deps.clock.now();
  const uid = stored?.uid ?? deps.ids.hash(5);
  const generation = (stored?.generation ?? 0) + (wish.again ? 0 : 1);
  const attempt = wish.again ? (stored?.attempt ?? 0) + 1 : 1;
  return {
    namespace: key.namespace,
    name: key.name,
    uid,
    generation,
    attempt,
    document: wish.document,
    checksum: checksumOf(wish.document),
    deleting: wish.deleting,
    status: wish.deleting ? 'Deleting' : 'Pending',
    runId: `${key.name}-${uid}-g${generation}-a${attempt}`,
    lease: stored?.lease ?? null,
    fence: stored?.fence ?? 0,
    createdAt: stored?.createdAt ?? now.toISOString(),
    updatedAt: now.toISOString(),
    dueAt: new Date(now.getTime() + missedStartSeconds * 1000).toISOString(),
  };
}

/** Stores it if nobody else was faster. Throws `VersionConflict` with what is stored now. */
export async function storeNext(
  deps: Pick<Deps, 'manifests'>,
  stored: ManifestRecord | undefined,
  record: ManifestRecord,
): Promise<void> {
  try {
    if (stored) await deps.manifests.replace(record, { generation: stored.generation, attempt: stored.attempt });
    else await deps.manifests.create(record);
  } catch (cause) {
    if (!isPipelineError(cause, 'VersionConflict')) throw cause;
    const now = await deps.manifests.get(record);
    const name = `manifest "${record.namespace}/${record.name}"`;
    const stands = now ? `generation ${now.generation}, attempt ${now.attempt} is stored now` : 'it is gone now';
    throw new PipelineError('VersionConflict', `${name} was changed by somebody else meanwhile: ${stands}; try again`, {
      cause,
      details: versionOf(now),
    });
  }
}

/**
 * Notes the run and starts it. What fails here is mended by the scheduler, which finds the record due: the manifest
 * is accepted all the same.
 */
export async function startRun(
  deps: Pick<Deps, 'runs' | 'workflows'>,
  record: ManifestRecord,
  reason: string,
): Promise<void> {
  const { namespace, name, runId, generation, attempt, updatedAt } = record;
  const run = { namespace, manifest: name, runId, generation, attempt, reason };
  await Promise.allSettled([deps.runs.put({ ...run, status: 'Queued', queuedAt: updatedAt, clusters: {} })]);
  await Promise.allSettled([deps.workflows.startReconcile(runId, { namespace, name })]);
}

/** 202 for what was started, 200 for what was under way or done before. */
export function acceptedResponse(
  record: ManifestRecord,
  unchanged: boolean,
  warnings: ManifestAccepted['warnings'],
): HttpResponse {
  const { namespace, name, generation, attempt, runId } = record;
  const links = linksOf(record, runId);
  const json: ManifestAccepted = { namespace, name, generation, attempt, runId, unchanged, warnings, links };
  return { status: unchanged ? 200 : 202, json, headers: { etag: manifestTag(record) } };
}

/** Equal for equal documents, whatever the order of their keys. */
export function checksumOf(document: unknown): string {
  const canonical = JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}

function versionOf(record: ManifestRecord | undefined): { generation: number; attempt: number } {
  return { generation: record?.generation ?? 0, attempt: record?.attempt ?? 0 };
}
