/** Changes of an inventory that need an approval: which do, and those that are kept until an approver starts them by the id of their plan. */
import type { InventoryProposal } from '#contracts/stored-plans.ts';
import { inventoryPlanName } from '#contracts/waiting-plans.ts';
import { kindOf } from '#domain/documents/validate-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import { planTotals, sumOf, totalsText } from '#domain/planning/text/plan-totals.ts';
import { sumOfCosts } from '#domain/prices/sum-costs.ts';
import { listed } from '#domain/words.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { inventoryVersion } from '../inventory/stored-inventory.ts';
import { beyondBudgets } from '../submission/plan-budgets.ts';
import { needsApproval } from '../submission/stored-plans.ts';
import type { PlannedChange, PlannedCluster } from './planned-change.ts';
import { keepInventoryPlan, readInventoryPlan } from './stored-inventory-plans.ts';

/** Clusters whose change has to be approved; with the reason where a budget asks for it. */
export interface ApprovalOfChange {
  readonly clusters: readonly string[];
  readonly beyond?: string | undefined;
}

/** `clusters`: those that change. Undefined when no one has to approve it. */
export function approvalOfChange(
  deps: Pick<ApiPorts, 'config'>,
  namespace: string,
  clusters: readonly PlannedCluster[],
  budgets: Parameters<typeof beyondBudgets>[0],
): ApprovalOfChange | undefined {
  const beyond = beyondBudgets(budgets);
  const guarded = clusters.filter(({ cluster: name, stored, assessment }) =>
    needsApproval(deps, { namespace, name }, stored, assessment?.record),
  );
  const asked = beyond === undefined ? guarded : clusters;
  return asked.length === 0 ? undefined : { clusters: asked.map(({ cluster }) => cluster), beyond };
}

interface Proposing extends Pick<InventoryProposal, 'settings'> {
  readonly documents: readonly unknown[];
  /** Only these. @default all */
  readonly clusters?: readonly string[] | undefined;
  readonly namespace: string;
  readonly caller: AdmittedCaller;
  readonly approval: ApprovalOfChange;
}

/** Keeps it as proposed. Returns `ApprovalRequired` with what to do. */
export async function proposeRollOut(
  deps: Pick<ApiPorts, 'artifacts' | 'clock' | 'waitingPlans'>,
  plan: PlannedChange & { readonly id: string },
  { namespace, caller, approval, documents, clusters, settings }: Proposing,
): Promise<PipelineError> {
  const why = approval.beyond === undefined ? '' : ` (${approval.beyond})`;
  const asked = `changes of ${listed(approval.clusters)} have to be approved${why}`;
  const refusal = (text: string): PipelineError =>
    new PipelineError('ApprovalRequired', `${asked}: ${text}`, { details: { plan: plan.id } });
  // A Secret is never kept in a plan.
  if (documents.some((one) => kindOf(one) === 'Secret'))
    return refusal('a plan is kept without Secrets; apply those first, then propose the rest; nothing was changed');
  const changing = plan.clusters.filter(({ impact }) => impact === 'changes');
  const totals = sumOf(changing.map(({ assessment }) => planTotals(assessment?.plans ?? [])));
  const costs = changing.flatMap(({ assessment }) => assessment?.costOfMonth ?? []);
  const before = (await readInventoryPlan(deps, namespace, plan.id))?.proposal;
  const proposal: InventoryProposal = before ?? {
    at: deps.clock.now().toISOString(),
    by: caller.name,
    documents: [...documents],
    settings,
    ...(clusters && { clusters: [...clusters] }),
    summary: totalsText(totals),
  };
  await keepInventoryPlan(deps, namespace, plan, proposal);
  await deps.waitingPlans.put({
    namespace,
    name: inventoryPlanName,
    id: plan.id,
    version: inventoryVersion(plan.before),
    at: proposal.at,
    by: proposal.by,
    reason: 'roll-out',
    summary: proposal.summary,
    ...(costs.length > 0 && { difference: sumOfCosts(costs).difference }),
  });
  const way = `kubeloom rollout start -n ${namespace} --plan ${plan.id}`;
  return refusal(
    `plan ${plan.id} is kept as proposed (${proposal.summary}); someone with the role approver can start it: ${way}`,
  );
}
