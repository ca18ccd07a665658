/** Manifests whose templates are to be compared with their references: what submits for GitSources does it, as it may submit and ask runners. */
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import { earliest } from '#domain/due-times.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { nextCheckOf } from '../drift/drift-policy.ts';
import { followTemplates } from './follow-templates.ts';
import { waitsForTemplates } from './held-templates.ts';

export type TemplatesStep = 'leftAlone' | 'asked' | 'replaced' | 'compared';

/** Between two questions to a runner. */
const waitSeconds = 20;

/** After that it is due for what it was due for before. */
export async function compareTemplates(deps: SubmissionPorts, head: ManifestHead): Promise<TemplatesStep> {
  const now = deps.clock.now();
  const record = await deps.manifests.get(head);
  if (record === undefined || record.runId !== head.runId || !waitsForTemplates(record, now)) return 'leftAlone';
  try {
    const { outcome, record: next } = await followTemplates(deps, record);
    if (outcome === 'started') return 'replaced';
    const wait = new Date(now.getTime() + waitSeconds * 1000).toISOString();
    await store(deps, next, outcome === 'asked' ? wait : dueAfter(record, now));
    return outcome === 'asked' ? 'asked' : 'compared';
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
    return 'leftAlone';
  }
}

/** One without checks is due at once: the scheduler knows when it is reminded. */
function dueAfter(record: ManifestRecord, now: Date): string {
  const { templatesAsked, failed } = record;
  return templatesAsked?.dueAt ?? earliest([nextCheckOf(record, now), failed?.retryAt]) ?? now.toISOString();
}

async function store(deps: SubmissionPorts, record: ManifestRecord, dueAt: string): Promise<void> {
  const { generation, attempt, checks = 0 } = record;
  await deps.manifests.replace({ ...record, dueAt }, { generation, attempt, checks });
}
