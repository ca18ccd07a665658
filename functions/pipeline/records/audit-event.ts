/** Who changed what, and from where: an event of the manifest, or of its namespace for what belongs to no manifest. */
import { changesOf } from '#contracts/change-events.ts';
import type { ManifestKey, ManifestRecord, NewEvent } from '#contracts/records.ts';
import { type AdmittedCaller, callerText } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';

type Ports = Pick<SubmissionPorts, 'clock' | 'events'>;

/** `what` is a past participle with its object, as in `paused` or `applied as generation 3`. */
export async function recordManifestChange(
  deps: Ports,
  { namespace, name, runId }: Pick<ManifestRecord, 'namespace' | 'name' | 'runId'>,
  what: string,
  caller: AdmittedCaller,
  kind: 'Requested' | 'ScaleRequested' | 'ReplacementRequested' = 'Requested',
): Promise<void> {
  await report(
    deps,
    { namespace, name },
    { runId, kind, message: `${what} by ${callerText(caller)}`, by: caller.name },
  );
}

/** For Secrets, templates and roles; `what` names the thing. */
export async function recordChange(
  deps: Ports,
  namespace: string,
  what: string,
  caller: AdmittedCaller,
): Promise<void> {
  const message = `${what} by ${callerText(caller)}`;
  await report(deps, changesOf(namespace), { runId: '', kind: 'Requested', message, by: caller.name });
}

/** A change is not undone because its event could not be stored. */
async function report(
  { clock, events }: Ports,
  key: ManifestKey,
  change: Pick<NewEvent, 'runId' | 'kind' | 'message' | 'by'>,
): Promise<void> {
  const event: NewEvent = { at: clock.now().toISOString(), level: 'info', ...change };
  await Promise.allSettled([events.append(key, [event])]);
}
