/** Which of the new pools of a provider instance a failed Terraform run is about. */
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { poolModule } from '#rendering/terraform-names.ts';
import { type FailedPool, poolsThatMayFail } from '../failed-pools.ts';
import type { StageContext } from '../stage-context.ts';
import { type FailurePart, StageFailure } from '../stage-failure.ts';

/**
 * None when it is about something that exists already, or is not a failure of a tool. All new pools of the instance when Terraform
 * did not say which, as for wrong credentials: the run without them then shows whether they were the cause.
 */
export function poolsThatFailed(context: StageContext, provider: string, reason: unknown): readonly FailedPool[] {
  if (!(reason instanceof StageFailure)) return [];
  const here = dynamicPoolsOf(context.document.target, provider).map(({ id }) => id);
  const dispensable = new Set(poolsThatMayFail(context).map(({ id }) => id));
  const added = here.filter((id) => dispensable.has(id));
  const { parts, error } = reason;
  // It is about machines that exist, or about no pool at all: without the pools the bucket would refuse the state as well.
  if (error.code === 'ReplacementRefused' || error.class === 'platform') return [];
  const isOf = (pool: string) => (part: FailurePart) =>
    part.address?.startsWith(`module.${poolModule(pool)}.`) === true;
  const existing = here.filter((id) => !dispensable.has(id));
  if (existing.some((pool) => parts.some(isOf(pool)))) return [];
  const namesPools = parts.length > 0 && parts.every((part) => added.some((pool) => isOf(pool)(part)));
  if (!namesPools) return added.map((pool) => ({ pool, error }));
  return added.flatMap((pool) => {
    const part = parts.find(isOf(pool));
    return part === undefined ? [] : [{ pool, error: part.error }];
  });
}
