/** The one way in which a TemplateGitReference is stored, no matter who sends it: the manifests that use it are answered, and compared at the next tick. */

import { hasEnded } from '#contracts/has-ended.ts';
import type { TemplateUser } from '#contracts/http-documents.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { TemplateGitReference } from '#domain/manifest/schema/template-git-reference.ts';
import { movedTemplateText } from '#domain/take-templates.ts';
import { templatesUserText, templateVersionText } from '#domain/template-version.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { keysOfReference, type Pin, pinOf } from '../manifests/template-versions.ts';
import { recordChange } from '../records/audit-event.ts';
import { readableManifest } from '../records/stored-document.ts';
import { everyManifest } from '../records/stored-manifest.ts';
import { templatesPolicyOf } from './moved-templates.ts';

/** Manifests that are behind it. */
export interface ReferenceUsers {
  /** Those that the caller may see. */
  readonly behind: readonly TemplateUser[];
  /** How many others there are. */
  readonly others: number;
}

/** Written at once. */
const atOnce = 25;

export async function storeTemplateReference(
  deps: SubmissionPorts,
  key: ManifestKey,
  reference: TemplateGitReference,
  caller: AdmittedCaller,
): Promise<ReferenceUsers> {
  await deps.templateReferences.put(key.namespace, key.name, reference);
  await recordChange(deps, key.namespace, `TemplateGitReference ${key.name} stored`, caller);
  // No repository is asked for a reference that nothing uses.
  let pin: Promise<Pin | undefined> | undefined;
  const users: { readonly record: ManifestRecord; readonly rows: readonly TemplateUser[] }[] = [];
  for await (const record of everyManifest(deps)) {
    if (!uses(record, key)) continue;
    pin ??= pinOf(deps, key, { accompanying: [reference] });
    const rows = usersIn(record, key, await pin);
    // What it was reported to be behind may be so no longer.
    if (rows.length > 0 || record.behind !== undefined) users.push({ record, rows });
  }
  for (let from = 0; from < users.length; from += atOnce)
    await Promise.all(users.slice(from, from + atOnce).map(({ record }) => askForTemplates(deps, record)));
  const behind = users.filter(({ rows }) => rows.length > 0);
  const seen = behind.filter(({ record }) => caller.may('viewer', record.namespace));
  return { behind: seen.flatMap(({ rows }) => rows), others: behind.length - seen.length };
}

/** One that is done or failed is due now; one with a run is when that has ended. */
async function askForTemplates(deps: SubmissionPorts, record: ManifestRecord): Promise<void> {
  const now = deps.clock.now().toISOString();
  const ended = hasEnded(record);
  const dueAt = record.templatesAsked ? record.templatesAsked.dueAt : record.dueAt;
  const asked = { since: now, ...(ended && dueAt !== undefined && { dueAt }) };
  await deps.manifests.askForTemplates(record, asked, ended ? now : undefined);
}

function uses(record: ManifestRecord, reference: ManifestKey): boolean {
  const manifest = record.deleting ? undefined : readableManifest(record);
  return manifest !== undefined && keysOfReference(manifest, record.namespace, reference).length > 0;
}

/** A row for each of what uses it and is behind. Where only a runner can say what it names, that is all of them. */
function usersIn(record: ManifestRecord, reference: ManifestKey, pin: Pin | undefined): readonly TemplateUser[] {
  const manifest = record.deleting ? undefined : readableManifest(record);
  if (manifest === undefined) return [];
  const policyOf = templatesPolicyOf(manifest);
  return keysOfReference(manifest, record.namespace, reference).flatMap(({ key, folder }): TemplateUser[] => {
    const from = record.templates?.[key];
    const path = pin && 'commit' in pin ? pin.paths[folder] : undefined;
    const to = pin && 'commit' in pin && path !== undefined ? templateVersionText({ ...pin, path }) : undefined;
    if (from === undefined || from === to) return [];
    const { namespace, name } = record;
    const change =
      to === undefined
        ? `${templatesUserText(key)}, once it is known what it names now`
        : movedTemplateText({ key, from, to });
    return [{ namespace, name, change, next: policyOf(key), ...(record.paused && { paused: true as const }) }];
  });
}
