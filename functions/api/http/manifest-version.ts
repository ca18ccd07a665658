/** Versions of a manifest as HTTP knows them: entity tags, preconditions, and the answer to a change that was accepted. */
import type { ManifestAccepted } from '#contracts/api-bodies.ts';
import { planIds } from '#contracts/http-parameters.ts';
import type { ManifestHead, ManifestKey } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { parseInput } from '../../failures.ts';
import { entityTags, tagAllowed } from '../../http.ts';
import { versionOf } from '../../pipeline/manifests/next-generation.ts';
import { versionText } from '../../pipeline/plans/plan-id.ts';
import type { Submitted } from '../../pipeline/submission/submit-document.ts';
import { linksOf } from '../views/api-paths.ts';

/**
 * Entity tag of a manifest: changes with every accepted document and every new attempt, not with its progress. One that
 * is deleted and created again counts from 1 again, so its `uid` is part of the tag.
 */
export function manifestTag({ uid, generation, attempt }: TaggedVersion): string {
  return `"${versionText({ uid, generation, attempt })}"`;
}
type TaggedVersion = Pick<ManifestHead, 'uid' | 'generation' | 'attempt'>;

/** Throws `VersionConflict` when `If-Match` or `If-None-Match` does not fit what is stored. */
export function checkPreconditions(
  headers: Readonly<Record<string, string>>,
  key: ManifestKey,
  stored: ManifestHead | undefined,
): void {
  const name = `manifest "${key.namespace}/${key.name}"`;
  const wanted = headers['if-match'];
  if (wanted !== undefined && (!stored || !tagAllowed(wanted, manifestTag(stored)))) {
    const existing = stored
      ? `generation ${stored.generation}, attempt ${stored.attempt} is stored`
      : 'it does not exist';
    const why = isOldTag(wanted) ? 'the entity tag is of an older version of Kubeloom' : existing;
    throw new PipelineError('VersionConflict', `${name} is not at ${wanted}: ${why}; read it and retry`, {
      details: versionOf(stored),
    });
  }
  if (stored && entityTags(headers['if-none-match'])?.includes('*')) {
    throw new PipelineError('VersionConflict', `${name} exists already; leave out If-None-Match to change it`, {
      details: versionOf(stored),
    });
  }
}

/** As they were written before they had a `uid`. */
function isOldTag(header: string): boolean {
  return entityTags(header)?.some((tag) => /^"g\d+-a\d+"$/.test(tag)) === true;
}

/** The header `Kubeloom-Plan`. Throws `InvalidInput`. */
export function wantedPlans(headers: Readonly<Record<string, string>>): readonly string[] | undefined {
  return parseInput(planIds, headers['kubeloom-plan'], 'the header Kubeloom-Plan');
}

/** What the answer contains apart from the stored version. */
type Remarks = Pick<Submitted, 'warnings' | 'left'>;

interface Accepted<Status> {
  readonly status: Status;
  readonly json: ManifestAccepted;
  readonly headers: { readonly etag: string };
}

/** For what was started or waits to be. */
export function acceptedResponse(record: ManifestHead, remarks: Remarks = {}): Accepted<202> {
  return { status: 202, ...accepted(record, remarks, false) };
}

/** The answer for a document that is already done or in progress. */
export function unchangedResponse(record: ManifestHead, remarks: Remarks = {}): Accepted<200> {
  return { status: 200, ...accepted(record, remarks, true) };
}

/** For a change that was submitted. */
export function submittedResponse({ record, unchanged, ...remarks }: Submitted): Accepted<200 | 202> {
  return unchanged ? unchangedResponse(record, remarks) : acceptedResponse(record, remarks);
}

function accepted(record: ManifestHead, { warnings = [], left }: Remarks, unchanged: boolean) {
  const { namespace, name, generation, attempt, runId, paused = false } = record;
  const version = { namespace, name, generation, attempt, runId };
  const json = {
    ...version,
    unchanged,
    paused,
    ...(left && { left: [...left] }),
    warnings: [...warnings],
    links: linksOf(record, runId),
  };
  return { json, headers: { etag: manifestTag(record) } };
}
