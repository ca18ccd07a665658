/** What is done about unhealthy nodes of each pool, as a check may do it. */
import type { CheckPolicy } from '#domain/drift.ts';
import { intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { NodeRepair } from '#domain/manifest/schema/node-repair.ts';
import type { RepairPolicy } from '#domain/repair/observed-node.ts';

/** By name of the pool. A check on request does what it was requested for, and replaces nothing. */
export function repairPolicies(manifest: InputManifest, check: CheckPolicy): Readonly<Record<string, RepairPolicy>> {
  const pools = manifest.spec.nodePools.dynamic.map(({ name, repair }) => [name, policyOf(repair, check)] as const);
  return Object.fromEntries(pools);
}

function policyOf(given: NodeRepair | undefined, check: CheckPolicy): RepairPolicy {
  const { onUnhealthy, after, startAfter, atOnce, perHour, maxUnhealthy } = given ?? NodeRepair.parse({});
  const numbers = {
    after: intervalMinutes(after) ?? 10,
    looks: 2,
    startAfter: intervalMinutes(startAfter) ?? 20,
    atOnce,
    perHour,
    maxUnhealthy: Number.parseInt(maxUnhealthy, 10),
  };
  if (check === 'reportAll' || check === 'repairAll') return { ...numbers, onUnhealthy: 'report', onRequest: true };
  if (onUnhealthy === 'replace') return { ...numbers, onUnhealthy };
  // A machine that is gone is recreated by the repair of its check, before another one starts.
  if (check === 'repair') return { ...numbers, onUnhealthy: 'recreate', after: 0, looks: 1, atOnce: perHour };
  return { ...numbers, onUnhealthy: 'report' };
}
