/** Changes of an inventory that need an approval: which do, and how a roll-out is proposed. */
import type { ProposalOf } from '#contracts/stored-plans.ts';
import { kindOf } from '#domain/documents/validate-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import { planTotals, sumOf, totalsText } from '#domain/planning/text/plan-totals.ts';
import { sumOfCosts } from '#domain/prices/sum-costs.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { needsApproval, toApprove } from '../proposals/bind-plan.ts';
import { inventoryPlanKey } from '../proposals/kept-plans.ts';
import type { ProposingPorts } from '../proposals/propose.ts';
import { beyondBudgets } from '../submission/plan-budgets.ts';
import type { PlannedChange, PlannedCluster } from './planned-change.ts';

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
    needsApproval(deps, { namespace, name }, stored, assessment?.next?.record),
  );
  const asked = beyond === undefined ? guarded : clusters;
  return asked.length === 0 ? undefined : { clusters: asked.map(({ cluster }) => cluster), beyond };
}

interface RollOutToPropose extends Pick<ProposalOf<'rollOut'>, 'settings'> {
  readonly documents: readonly unknown[];
  /** Only these. @default all */
  readonly clusters?: readonly string[] | undefined;
  readonly namespace: string;
  readonly caller: AdmittedCaller;
  readonly approval: ApprovalOfChange;
}

/** Keeps it as proposed. Returns `ApprovalRequired` with what to do. */
export async function proposeRollOut(
  deps: ProposingPorts,
  plan: PlannedChange & { readonly id: string },
  { namespace, caller, approval, documents, clusters, settings }: RollOutToPropose,
): Promise<PipelineError> {
  const subject = toApprove(approval.clusters, approval.beyond);
  // A Secret is never kept in a plan.
  if (documents.some((one) => kindOf(one) === 'Secret')) {
    const way = 'a plan is kept without Secrets; apply those first, then propose the rest; nothing was changed';
    return new PipelineError('ApprovalRequired', `${subject}: ${way}`, { details: { plan: plan.id } });
  }
  const changing = plan.clusters.filter(({ impact }) => impact === 'changes');
  const totals = sumOf(changing.map(({ assessment }) => planTotals(assessment?.plans ?? [])));
  const costs = changing.flatMap(({ assessment }) => assessment?.costOfMonth ?? []);
  const { propose, proposed } = await import('../proposals/propose.ts');
  const { id, proposal } = await propose(deps, inventoryPlanKey(namespace), {
    basis: plan.basis,
    caller,
    beyond: approval.beyond,
    proposal: {
      kind: 'rollOut',
      documents: [...documents],
      ...(clusters && { clusters: [...clusters] }),
      settings,
      reason: 'roll-out',
      summary: totalsText(totals),
    },
    difference: costs.length > 0 ? sumOfCosts(costs).difference : undefined,
  });
  const way = `start it: kubeloom rollout start -n ${namespace} --plan ${id}`;
  return proposed(subject, { id, text: proposal.summary, way });
}
