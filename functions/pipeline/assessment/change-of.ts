/** What a document that was assessed changes: nothing, or the manifest, once someone has approved it where that is asked for. */
import type { ManifestRecord, Origin } from '#contracts/records.ts';
import type { ProposalOf } from '#contracts/stored-plans.ts';
import { kindOf } from '#domain/documents/validate-documents.ts';
import { planTotals, totalsText } from '#domain/planning/text/plan-totals.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import { sameValue } from '#domain/same-value.ts';
import type { Assessment, NextGeneration } from './assess.ts';
import type { PinnedBefore, WantedDocument } from './known.ts';

export interface SubmittedDocument extends WantedDocument {
  readonly caller: { readonly name: string };
  /** Why its run is started. @default that it was created, changed or applied again */
  readonly reason?: string;
  /** The generation that the document is of, when it is a rollback. */
  readonly rolledBackTo?: number;
  /** @default each repository of templates is asked */
  readonly pinned?: PinnedBefore | undefined;
}

export interface ManifestChange {
  /** Bound to no plan. */
  readonly record: ManifestRecord;
  /** Why the run is started. */
  readonly reason: string;
  /** Who asks for the generation, and why; absent when it is started once more: its origin stays. */
  readonly origin?: Origin;
  readonly proposal: ProposalOf<'apply'>;
}

/** `kept`: the document, with its planes, is in progress or done. */
export function changeOf(
  { record: assessed, same }: NextGeneration,
  { plans, costOfMonth }: Pick<Assessment, 'plans' | 'costOfMonth'>,
  {
    document,
    stored,
    caller,
    rolledBackTo,
    accompanying = [],
    withoutPlanes = [],
    pinned,
    ...wanted
  }: SubmittedDocument,
): ManifestChange | { readonly kept: ManifestRecord } {
  const samePlanes = sameValue(stored?.planes ?? {}, assessed.planes ?? {});
  const hasWork = plans.some(({ waypoints }) => waypoints.length > 0);
  if (stored && same && samePlanes && !needsRun(stored, hasWork)) return { kept: stored };
  const reason = wanted.reason ?? reasonOf(stored, same);
  const back = rolledBackTo !== undefined && { rolledBackTo };
  // Nothing else: a Secret is never kept in a plan.
  const planes = accompanying.filter((one) => kindOf(one) === 'ManagementPlane');
  const { plan: _before, ...unbound } = assessed;
  return {
    record: { ...unbound, acceptedCost: costWhen('after', costOfMonth) },
    reason,
    ...(!same && { origin: { at: assessed.updatedAt, by: caller.name, reason, ...back } }),
    proposal: {
      kind: 'apply',
      document,
      reason,
      summary: totalsText(planTotals(plans)),
      ...back,
      ...(planes.length > 0 && { planes }),
      ...(withoutPlanes.length > 0 && { withoutPlanes: [...withoutPlanes] }),
      ...(pinned && { pinned: { templates: pinned.templates, templateSecrets: pinned.templateSecrets } }),
    },
  };
}

/** The same document has to be done again when it failed, or when templates that it names have changed since. */
function needsRun({ status, failed }: ManifestRecord, hasWork: boolean): boolean {
  return status === 'Failed' || failed !== undefined || (status === 'Done' && hasWork);
}

function reasonOf(stored: ManifestRecord | undefined, same: boolean): string {
  if (stored === undefined) return 'created';
  if (!same) return 'changed';
  const failed = stored.status === 'Failed' || stored.failed !== undefined;
  return failed ? 'applied again after a failed run' : 'applied again after its templates changed';
}
