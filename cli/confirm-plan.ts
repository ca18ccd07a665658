/** A verb on a stored manifest: planned first, shown to the user at a terminal, and confirmed when it removes anything. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import { counted } from '#domain/planning/text/words.ts';
import type { ApiClient, ManifestName, PlanRequest } from './api-client.ts';
import { type Consent, canAsk, confirm } from './confirm.ts';
import { printWrapped } from './output.ts';
import { showPlan } from './show-plan.ts';

export interface Intention {
  readonly plan: PlanRequest;
  /** As in "delete default/shop". */
  readonly action: string;
  /** Asks on a terminal also when nothing is removed. */
  readonly always: boolean;
  readonly consent: Consent;
}

/**
 * Returns the plan that was confirmed; its `etag` is the version that may be changed. A plan with faults or refusals is
 * not asked about: the API says why it refuses. Throws `CliError` when it is not confirmed.
 */
export async function confirmPlan(
  api: ApiClient,
  key: ManifestName,
  { plan: request, action, always, consent }: Intention,
): Promise<PlanReport> {
  const report = await api.planManifest(key, request);
  const refused = report.faults.length > 0 || report.clusters.some(({ refusals }) => refusals.length > 0);
  if (refused || consent.yes) return report;
  if (canAsk(consent)) {
    showPlan(report);
    const orphans = request.orphan?.split(',') ?? [];
    if (orphans.length > 0) printWrapped(`  orphaned, keeps running: ${counted(orphans.length, 'node')}`);
  }
  const goal = report.rollbackTo === undefined ? '' : ` to generation ${report.rollbackTo}`;
  await confirm({ totals: report.totals, action: `${action}${goal}`, always }, consent);
  return report;
}
