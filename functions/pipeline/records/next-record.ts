/** The next version of a manifest, from the one that is stored and what is asked for. */
import type { BoundPlan, ManifestKey, ManifestRecord, Origin, Orphans } from '#contracts/records.ts';
import type { HashSource } from '#domain/naming.ts';
import type { StageName } from '#domain/plan.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import type { Using } from '../../ports.ts';
import { checksumOf } from './checksum.ts';
import { attemptRunId } from './run-ids.ts';

/** A run that was not started by then is started by the scheduler. */
export const missedStartSeconds = 60;

/** A request for a new version of a manifest. */
export interface GenerationRequest {
  readonly document: unknown;
  readonly deleting: boolean;
  /** Same document, started once more. */
  readonly again: boolean;
  /** Stages from here on are done again. @default only what did not succeed */
  readonly retryFrom?: StageName;
  /** Its tools say more in their logs. @default false */
  readonly debug?: boolean | undefined;
  /** How often it was started again automatically, with this time. @default a person asks for it */
  readonly retries?: number | undefined;
  /** Templates of their own, by provider instance. @default when started once more, what was pinned before */
  readonly templates?: Pick<ManifestRecord, 'templates' | 'templateSecrets'>;
  /** What its machines cost with that. @default when started once more, as before */
  readonly acceptedCost?: AcceptedCost | undefined;
  /** Documents of management planes. @default as stored */
  readonly planes?: ManifestRecord['planes'];
  /** Which of its templates name another version meanwhile. @default with the templates as before, as before */
  readonly behind?: ManifestRecord['behind'];
  /** Its templates are those that moved, and no person asked for that. @default with the templates as before, as before until it is done */
  readonly taking?: ManifestRecord['taking'];
  /** Its templates have to be compared once it has ended. @default with the templates as before, as before */
  readonly templatesAsked?: ManifestRecord['templatesAsked'];
  /** What a deletion orphans. @default as requested before */
  readonly orphans?: Orphans;
  /** What its run is bound to; null: nothing. @default when started once more before it was done, as before */
  readonly plan?: BoundPlan | null;
  /** Who asks for it and why. @default when started once more, as before */
  readonly origin?: Omit<Origin, 'at'>;
}

/** When a version is made, and where the names of what is new come from. */
export interface Making {
  readonly now: Date;
  readonly ids: HashSource;
}

export const makingNow = ({ clock, ids }: Using<'clock' | 'ids'>): Making => ({ now: clock.now(), ids });

/** The record that follows `stored`. */
export function nextRecord(
  { now, ids }: Making,
  key: ManifestKey,
  stored: ManifestRecord | undefined,
  desired: GenerationRequest,
): ManifestRecord {
  const uid = stored?.uid ?? ids.hash(5);
  const generation = (stored?.generation ?? 0) + (desired.again ? 0 : 1);
  const attempt = desired.again ? (stored?.attempt ?? 0) + 1 : 1;
  const { templates = {}, templateSecrets = {} } = desired.templates ?? (desired.again ? stored : undefined) ?? {};
  const planes = desired.planes ?? stored?.planes ?? {};
  const same = desired.again && !desired.templates ? stored : undefined;
  const behind = desired.behind ?? same?.behind;
  const templatesAsked = desired.templatesAsked ?? same?.templatesAsked;
  const orphans = desired.orphans ?? (stored?.deleting ? stored.orphans : undefined);
  // Neither the check of what is done nor what follows it is bound to the plan of the run before.
  const reached = stored?.status === 'Done' || (stored?.check !== undefined && stored.failed === undefined);
  const bound = desired.again && !reached;
  const kept = bound ? stored?.plan : undefined;
  const taking = desired.taking ?? (reached ? undefined : same?.taking);
  const plan = desired.plan === undefined ? kept : (desired.plan ?? undefined);
  const acceptedCost = desired.acceptedCost ?? (desired.again ? stored?.acceptedCost : undefined);
  const origin = desired.again ? stored?.origin : desired.origin && { at: now.toISOString(), ...desired.origin };
  return {
    namespace: key.namespace,
    name: key.name,
    uid,
    generation,
    attempt,
    document: desired.document,
    checksum: checksumOf(desired.document),
    ...(origin && { origin }),
    deleting: desired.deleting,
    status: desired.deleting ? 'Deleting' : 'Pending',
    ...(Object.keys(templates).length > 0 && { templates }),
    ...(Object.keys(templateSecrets).length > 0 && { templateSecrets }),
    ...(behind && Object.keys(behind).length > 0 && { behind }),
    ...(taking && { taking }),
    ...(templatesAsked && { templatesAsked }),
    ...(Object.keys(planes).length > 0 && { planes }),
    runId: attemptRunId({ name: key.name, uid, generation, attempt }),
    ...(stored?.paused && { paused: true }),
    ...(stored?.cancelRequested !== undefined && { cancelRequested: stored.cancelRequested }),
    ...(plan && { plan }),
    ...(acceptedCost && { acceptedCost }),
    ...(desired.retryFrom && { retryFrom: desired.retryFrom }),
    ...(desired.debug === true && { debug: true }),
    ...(desired.retries !== undefined && { retries: desired.retries }),
    ...(desired.deleting && orphans !== undefined && { orphans }),
    lease: stored?.lease ?? null,
    fence: stored?.fence ?? 0,
    createdAt: stored?.createdAt ?? now.toISOString(),
    updatedAt: now.toISOString(),
    // A paused manifest is checked when it is resumed.
    ...(!stored?.paused && { dueAt: new Date(now.getTime() + missedStartSeconds * 1000).toISOString() }),
  };
}
