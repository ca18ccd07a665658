/** The one place that decides about templates that moved, however that was noticed: a manifest that is due has its own compared with their references. */
import type { BehindTemplates } from '#contracts/moved-templates.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { sameValue } from '#domain/same-value.ts';
import { type MovedTemplate, type TakenTemplates, takeTemplates } from '#domain/take-templates.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { lookUpTemplates } from '../jobs/template-lookups.ts';
import { manifestOf } from '../records/stored-document.ts';
import { heldBecause } from './held-templates.ts';
import { type MovedTemplates, movedTemplates, pinsWith, plansWith, templatesPolicyOf } from './moved-templates.ts';
import { type SubmittedMove, submitMoved } from './submit-moved.ts';
import { movedEventText, reportTemplates } from './template-events.ts';

/** A runner that does not answer for so long is not waited for: the next check starts another look-up. */
const longestQuestionMs = 15 * 60_000;

/** `asked`: a runner looks one up, ask again. `started`: a run with them was started. `known`: nothing is to be waited for. */
export interface FollowedTemplates {
  readonly outcome: 'asked' | 'started' | 'known';
  /** The record as it has to be stored next; not when a run was started. */
  readonly record: ManifestRecord;
}

/** The manifest is done or failed. Throws `VersionConflict` when another request was faster. */
export async function followTemplates(deps: SubmissionPorts, record: ManifestRecord): Promise<FollowedTemplates> {
  const now = deps.clock.now();
  const { templatesAsked, ...rest } = record;
  if (record.deleting) return { outcome: 'known', record: rest };
  const since = templatesAsked?.since ?? now.toISOString();
  // One look-up of a runner, however long it takes.
  const found = await movedTemplates(deps, record, (...asked) => lookUpTemplates(deps, ...asked, since));
  if (found === undefined) {
    const late = now.getTime() - Date.parse(since) > longestQuestionMs;
    if (late) return { outcome: 'known', record: rest };
    return { outcome: 'asked', record: { ...record, templatesAsked: { ...templatesAsked, since } } };
  }
  const { behind: before = {}, ...others } = rest;
  if (found.moved.length === 0) return { outcome: 'known', record: others };
  if (await changesNothing(deps, record, found)) {
    return { outcome: 'known', record: { ...others, ...pinsWith(record, found.moved, found.now) } };
  }
  const policyOf = templatesPolicyOf(manifestOf(record));
  const decided = takeTemplates({ moved: found.moved, policyOf, behind: before, held: heldBecause(record) });
  return act(deps, { record: { ...others, behind: before }, found, decided });
}

/** Only for what is done: what failed is started again with them. */
async function changesNothing(
  deps: SubmissionPorts,
  record: ManifestRecord,
  { moved, now }: MovedTemplates,
): Promise<boolean> {
  if (record.status !== 'Done') return false;
  const plans = await plansWith(deps, record, pinsWith(record, moved, now));
  return plans.every(({ plan }) => plan.waypoints.length === 0 && plan.refusals.length === 0);
}

interface Acting {
  /** `behind`: as it was. */
  readonly record: ManifestRecord & { readonly behind: Readonly<Record<string, BehindTemplates>> };
  readonly found: MovedTemplates;
  readonly decided: TakenTemplates;
}

async function act(deps: SubmissionPorts, { record, found, decided }: Acting): Promise<FollowedTemplates> {
  const { behind: before } = record;
  const at = deps.clock.now().toISOString();
  const behindOf = (one: MovedTemplate, more: Partial<BehindTemplates>): [string, BehindTemplates] => {
    const known = before[one.key];
    return [one.key, { to: one.to, since: known?.to === one.to ? known.since : at, ...more }];
  };
  const others = Object.fromEntries(
    decided.reported.map((one) => {
      const { because, failed } = one;
      return behindOf(one, { ...(because !== undefined && { because }), ...(failed && { failed }) });
    }),
  );
  const chosen = decided.taken.length > 0 ? decided.taken : decided.proposed;
  const proposeOnly = decided.taken.length === 0;
  const pins = pinsWith(record, chosen, found.now);
  const submitted: SubmittedMove =
    chosen.length === 0
      ? { outcome: 'kept', because: '' }
      : await submitMoved(deps, record, { moved: chosen, pins, behind: others, proposeOnly });
  if (submitted.outcome === 'started') {
    await reportTemplates(deps, record, {
      kind: 'TemplatesTaken',
      message: movedEventText(chosen, 'they are replaced, pool by pool'),
    });
    return { outcome: 'started', record };
  }
  if (submitted.outcome === 'unchanged') {
    return { outcome: 'known', record: { ...withBehind(record, others), ...pins } };
  }
  const { because, plan } = submitted;
  const kept = chosen.map((one) => behindOf(one, { because, ...(plan !== undefined && { plan }) }));
  const behind = { ...others, ...Object.fromEntries(kept) };
  await reportNews(deps, record, found.moved, behind);
  return { outcome: 'known', record: withBehind(record, behind) };
}

function withBehind(
  { behind: _, ...record }: ManifestRecord,
  behind: NonNullable<ManifestRecord['behind']>,
): ManifestRecord {
  return Object.keys(behind).length === 0 ? record : { ...record, behind };
}

/** Once for each version, and again when something else holds it. */
async function reportNews(
  deps: SubmissionPorts,
  record: Acting['record'],
  moved: readonly MovedTemplate[],
  behind: Readonly<Record<string, BehindTemplates>>,
): Promise<void> {
  const news = moved.filter(({ key }) => !sameValue(behind[key], record.behind[key]));
  const groups = Map.groupBy(news, ({ key }) => behind[key]?.because ?? '');
  for (const [because, some] of groups) {
    const follows =
      because === ''
        ? 'nothing is changed: apply the manifest again to use that (`kubeloom plan` shows what it replaces)'
        : `not used yet: ${because}`;
    await reportTemplates(deps, record, { kind: 'TemplatesMoved', message: movedEventText(some, follows) });
  }
}
