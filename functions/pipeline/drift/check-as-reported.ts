/** A check for drift as soon as what an agent reports may lead to a replacement: it does not wait for the interval, nor for the tick. */
import type { AgentReport } from '#contracts/agent.ts';
import { hasEnded } from '#contracts/has-ended.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { asksForCheck } from '#domain/repair/reported-nodes.ts';
import { readableManifest } from '../records/stored-document.ts';
import { checkPolicyOf, nextCheckOf } from './drift-policy.ts';
import { repairPolicies } from './repair-policies.ts';
import { startDriftCheck } from './start-drift-check.ts';

export async function checkAsReported(
  deps: Parameters<typeof startDriftCheck>[0],
  { stored, record }: { readonly stored: ManifestRecord; readonly record: ClusterRecord },
  { unwell }: AgentReport,
): Promise<void> {
  const now = deps.clock.now();
  const manifest = readableManifest(stored);
  const isIdle = hasEnded(stored) && stored.lease === null && !stored.paused;
  if (manifest === undefined || !isIdle || record.current === null) return;
  if (nextCheckOf(stored, now) === undefined) return;
  const policy = checkPolicyOf(stored);
  const policies = repairPolicies(manifest, policy);
  if (!asksForCheck({ unwell, state: record.current, policies, drift: record.drift, now })) return;
  try {
    await startDriftCheck(deps, stored, {
      policy,
      reason: 'its agent reports nodes that are not ready, or whose cloud takes their machines',
    });
  } catch (error) {
    // Another run was faster.
    if (!isPipelineError(error, 'VersionConflict')) throw error;
  }
}
