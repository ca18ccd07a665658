/** Who changed what, or got access to what, and from where: an event of the manifest, or of its namespace for what belongs to no manifest. */
import { createHash } from 'node:crypto';
import { changesOf } from '#contracts/change-events.ts';
import type { ManifestKey, ManifestRecord, NewEvent } from '#contracts/records.ts';
import { type AdmittedCaller, callerText } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';

type Ports = Pick<SubmissionPorts, 'clock' | 'events'>;

type ChangeKind =
  | 'Requested'
  | 'ScaleRequested'
  | 'ReplacementRequested'
  | 'StateEditRequested'
  | 'PlanProposed'
  | 'PlanBeyondBudget'
  | 'PlanSuperseded'
  | 'PlanRejected'
  | 'PlanWithdrawn';

/** `what` is a past participle with its object, as in `paused` or `applied as generation 3`. */
export async function recordManifestChange(
  deps: Ports,
  { namespace, name, runId }: Pick<ManifestRecord, 'namespace' | 'name' | 'runId'>,
  what: string,
  caller: AdmittedCaller,
  kind: ChangeKind = 'Requested',
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

/** Access that is given out, or read: `message` is its object with a past participle, as in `kubeconfig of web read`. */
export interface ReadAccess {
  readonly kind: 'Requested' | 'KubeconfigRead' | 'LogRead' | 'SecretsListed' | 'StateRead';
  readonly message: string;
  readonly runId?: string;
}

/** To be awaited before the answer: what cannot be recorded is not given, so it throws what the store throws. */
export async function recordAccess(
  deps: Ports,
  { namespace, name }: ManifestKey,
  access: ReadAccess,
  caller: AdmittedCaller,
): Promise<void> {
  await deps.events.append({ namespace, name }, [accessEvent(deps, access, caller)]);
}

/** The same, once an hour for each caller and `thing`: who follows a log asks every few seconds. */
export async function recordReading(
  deps: Ports & Pick<ApiPorts, 'events'>,
  { namespace, name }: ManifestKey,
  thing: string,
  access: ReadAccess,
  caller: AdmittedCaller,
): Promise<void> {
  const event = accessEvent(deps, access, caller);
  const reader = createHash('sha256').update(`${caller.name} ${caller.from}`).digest('hex').slice(0, 16);
  await deps.events.appendOnce({ namespace, name }, `${event.at.slice(0, 13)}#${reader}#${thing}`, event);
}

function accessEvent({ clock }: Ports, { message, runId = '', kind }: ReadAccess, caller: AdmittedCaller): NewEvent {
  const words = `${message} by ${callerText(caller)}`;
  return { at: clock.now().toISOString(), level: 'info', runId, kind, message: words, by: caller.name };
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
