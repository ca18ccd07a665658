/** Certificates that end while nothing checks their cluster: a manifest that is paused, or whose checks are off, is reminded every week. */
import type { ManifestRecord, NewEvent } from '#contracts/records.ts';
import { earliest } from '#domain/due-times.ts';
import { expiryWarnings, knownExpiries, nextWarningAt } from '#domain/expiry.ts';
import type { Using } from '../../ports.ts';
import { clusterName } from '../records/cluster-records.ts';

const weekMs = 7 * 86_400_000;

/**
 * Reports what ends too soon, unless that was done within the last week. Returns the change of the record, and when it is compared again;
 * undefined: nothing is known to end.
 */
export async function remindOfExpiry(
  deps: Using<'clusters.list' | 'events.append'>,
  { namespace, name, runId, remindedAt }: Pick<ManifestRecord, 'namespace' | 'name' | 'runId' | 'remindedAt'>,
  now: Date,
): Promise<{ readonly change: Pick<ManifestRecord, 'remindedAt'>; readonly again: string | undefined }> {
  const clusters = (await deps.clusters.list({ namespace, name })).map((record) => {
    const known = knownExpiries(record);
    return { cluster: clusterName(record), warnings: expiryWarnings(known, now), warnAt: nextWarningAt(known) };
  });
  const events = clusters.flatMap(({ cluster, warnings }) =>
    warnings.map((message): NewEvent => {
      return { at: now.toISOString(), runId, level: 'error', kind: 'CertificatesEnd', cluster, message };
    }),
  );
  if (events.length === 0) return { change: {}, again: earliest(clusters.map(({ warnAt }) => warnAt)) };
  const next = remindedAt === undefined ? undefined : aWeekAfter(remindedAt);
  if (next !== undefined && next > now.toISOString()) return { change: {}, again: next };
  await deps.events.append({ namespace, name }, events);
  return { change: { remindedAt: now.toISOString() }, again: aWeekAfter(now.toISOString()) };
}

const aWeekAfter = (at: string): string => new Date(Date.parse(at) + weekMs).toISOString();
