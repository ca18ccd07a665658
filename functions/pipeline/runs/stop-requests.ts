/** Requests that runners read and obey: in AWS a build that is stopped from outside is killed, and nothing is stored. */
import { StopRequest, waypointKeys } from '#contracts/stage.ts';
import type { Using } from '../../ports.ts';
import { readDocument } from '../records/known-facts.ts';

/** A runner reads its requests every few seconds, and gives its tool 45 s to end, an apply of Terraform 140; after this time it does neither. */
export const overdueSeconds = 180;

export type AskPorts = Using<'artifacts.getText' | 'artifacts.putText' | 'clock'>;

/** Asks what works at `place`, a waypoint or an attempt, to stop; once. Returns whether it has been asked for so long that its builds are to be stopped. */
export async function askToStop(
  { artifacts, clock }: AskPorts,
  place: string,
  reason: StopRequest['reason'],
): Promise<boolean> {
  const key = waypointKeys.stop(place);
  const now = clock.now();
  const asked = await readDocument({ artifacts }, key, StopRequest);
  if (asked) return now.getTime() - Date.parse(asked.at) >= overdueSeconds * 1000;
  const request: StopRequest = { schema: 1, at: now.toISOString(), reason };
  await artifacts.putText(key, JSON.stringify(request), 'application/json');
  return false;
}
