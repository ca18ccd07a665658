/** What waits for templates to be compared, and what keeps those that moved from being used, whatever `onTemplates` says. */
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import { hasFailedWithMoved } from './go-back.ts';

/** If no one compares them for so long, the scheduler does not wait for that. */
const longestWaitMs = 3_600_000;

/** Until they are compared, nothing else is started of it. */
export function waitsForTemplates(head: ManifestHead, now: Date): boolean {
  const { lease, templatesAsked } = head;
  if (!hasEnded(head) || lease !== null || templatesAsked === undefined || hasFailedWithMoved(head)) return false;
  return now.getTime() - Date.parse(templatesAsked.since) < longestWaitMs;
}

/** A sentence; undefined: nothing does. */
export function heldBecause({ paused, status, plan }: ManifestRecord): string | undefined {
  if (paused) return 'the manifest is paused';
  if (status === 'Failed' && plan !== undefined)
    return `its run carries out plan ${plan.id}, and what was approved is not exchanged`;
  return undefined;
}
