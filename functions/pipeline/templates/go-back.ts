/** Templates that moved, were used without a person and failed for good: those that worked are used again. */
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import { movedTemplatesText } from '#domain/take-templates.ts';
import type { Using } from '../../ports.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';
import { templatesInUse } from './moved-templates.ts';
import { reportTemplates } from './template-events.ts';

type Ports = Parameters<typeof startNextAttempt>[1] & Using<'clusters.list' | 'events.append'>;

/** Its attempt with them failed, and is not retried automatically. */
export function hasFailedWithMoved({ status, taking, failed, deleting }: ManifestHead): boolean {
  return status === 'Failed' && taking !== undefined && failed?.retryAt === undefined && !deleting;
}

/**
 * Starts a run with the templates before, which changes nothing where the failed run was undone. False when something was made with the new
 * ones and remains: that is left to a person, as going back would replace it again.
 */
export async function goBack(deps: Ports, record: ManifestRecord): Promise<boolean> {
  const { taking, templates = {}, namespace, name, generation, attempt } = record;
  if (taking === undefined) return false;
  const changed = Object.entries(templates).flatMap(([key, from]) => {
    const to = taking.templates[key];
    return to === undefined || to === from ? [] : [{ key, from: to, to: from }];
  });
  const clusters = await deps.clusters.list(record);
  const inUse = new Set(clusters.flatMap((cluster) => [...templatesInUse(cluster)]));
  const failure = clusters.find((cluster) => cluster.failure !== null)?.failure;
  const because = failure ? `${failure.code}: ${failure.message}`.slice(0, 500) : 'its run did not reach its end';
  const moved = movedTemplatesText(changed);
  if (changed.some(({ to }) => inUse.has(to))) {
    const follows =
      'some machines have them, and the rest has not: fix them, or apply the manifest with other templates';
    const message = `templates failed: ${moved}: ${because}; ${follows}`;
    await reportTemplates(deps, record, { kind: 'TemplatesFailed', message });
    return false;
  }
  const now = deps.clock.now().toISOString();
  const behind = Object.fromEntries(
    changed.map(({ key, to }) => [key, { to, since: now, because: `it failed: ${because}`, failed: true as const }]),
  );
  const { templates: before, templateSecrets } = taking;
  const reason = 'back to the templates that worked';
  const version = { namespace, name, generation, attempt, reason };
  const change = { templates: { templates: before, templateSecrets }, behind, retries: undefined };
  if (!(await startNextAttempt(version, deps, change))) return false;
  const follows =
    'those that worked are used again; these are not used until they move, or someone applies the manifest';
  const message = `templates failed: ${moved}: ${because}; ${follows}`;
  await reportTemplates(deps, record, { kind: 'TemplatesFailed', message });
  return true;
}
