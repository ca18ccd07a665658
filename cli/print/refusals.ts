/** Why a plan is refused, as faults of its document: the same words in `plan`, `apply` and `rollback --plan`. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import { located, type ShownFault } from './faults.ts';

/** Each reason once: clusters that share a pool are refused for the same. With file and line where `document` was read from a file. */
export function refusedFaults({ clusters }: Pick<PlanReport, 'clusters'>, document?: unknown): (Fault & ShownFault)[] {
  const all = clusters.flatMap(({ refusals }) =>
    refusals.map(({ about: _, ...fault }) => ({ ...fault, severity: 'error' as const })),
  );
  return located(document, [...new Map(all.map((one) => [`${one.path} ${one.reason}`, one])).values()]);
}

/** Whether `apply` of this plan would be refused. */
export const isRefused = ({ faults, clusters }: Pick<PlanReport, 'faults' | 'clusters'>): boolean =>
  faults.length > 0 || clusters.some(({ refusals }) => refusals.length > 0);
