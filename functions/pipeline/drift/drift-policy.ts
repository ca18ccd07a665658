/** The drift policy of a manifest: how often it is checked, and what is done about drift. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { CheckPolicy } from '#domain/drift.ts';
import { earliest, firstCheckAt, nextCheckAt } from '#domain/due-times.ts';
import { DriftChecks, intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { manifestOf, readableManifest } from '../records/stored-document.ts';

/** The policy of the manifest, or the default. */
export function driftChecksOf(manifest: Parameters<typeof manifestOf>[0]): DriftChecks {
  return checksIn(manifestOf(manifest));
}

const checksIn = ({ spec }: InputManifest): DriftChecks => spec.driftChecks ?? DriftChecks.parse({});

export function checkPolicyOf(manifest: Parameters<typeof manifestOf>[0]): CheckPolicy {
  return driftChecksOf(manifest).onDrift;
}

/** Whether its checks renew certificates that are about to end. One whose document cannot be read is not checked. */
export function renewsCertificates(record: Pick<ManifestRecord, 'document' | 'paused'>): boolean {
  const manifest = readableManifest(record);
  if (manifest === undefined || record.paused) return false;
  const { interval, onExpiry } = checksIn(manifest);
  return onExpiry !== 'report' && intervalMinutes(interval) !== undefined;
}

/** When a manifest that is done is checked next; undefined: never, because it is being deleted or has no checks. */
export function nextCheckOf(manifest: ManifestRecord, now: Date): string | undefined {
  return momentOf(manifest, now, nextCheckAt);
}

/** At once after `now`, a tick comes anyway. */
const soonestMs = 60_000;

/** The next check, or an earlier one: unhealthy nodes of these clusters do not wait for the interval. Never one without checks. */
export function earlierCheck(
  next: string | undefined,
  clusters: readonly { readonly lookAgainAt?: string }[],
  now: Date,
): string | undefined {
  const soonest = new Date(now.getTime() + soonestMs).toISOString();
  const asked = clusters.flatMap(({ lookAgainAt }) => (lookAgainAt === undefined ? [] : [lookAgainAt]));
  const all = asked.map((at) => (at < soonest ? soonest : at));
  return next === undefined ? undefined : earliest([next, ...all]);
}

/** The same for one that has waited for its first check already. */
export function firstCheckOf(manifest: ManifestRecord, now: Date): string | undefined {
  return momentOf(manifest, now, firstCheckAt);
}

function momentOf(manifest: ManifestRecord, now: Date, moment: typeof nextCheckAt): string | undefined {
  if (manifest.deleting) return undefined;
  const minutes = intervalMinutes(driftChecksOf(manifest).interval);
  return minutes === undefined ? undefined : moment(now, minutes, `${manifest.uid}/${manifest.name}`);
}
