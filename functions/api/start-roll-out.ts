/** Starts a roll-out: plans it as a whole, stores what it will do to each cluster, and hands it to the state machine. */
import { operations } from '#contracts/operations/operations.ts';
import { type RollOutGoals, type RollOutRecord, rollOutKeys, wantedPlan } from '#contracts/roll-outs.ts';
import { inventoryPlanName } from '#contracts/waiting-plans.ts';
import { refuseFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { inventoryName } from '#domain/inventory/inventory-documents.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import type { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { approvedShare } from '#domain/prices/budget-share.ts';
import { defaultRollOut, mostClusters, type RollOutSettings, waveNumbers } from '#domain/roll-out/roll-out-settings.ts';
import { aheadOf } from '../ahead.ts';
import { type AdmittedCaller, callerText } from '../caller.ts';
import { parseInput } from '../failures.ts';
import { boundTo } from '../pipeline/plans/plan-id.ts';
import { acceptRollOut, changeRollOut, reportRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { claimClusters, releaseClusters } from '../pipeline/roll-outs/claim-clusters.ts';
import {
  type PlannedChange,
  type PlannedCluster,
  planInBudget,
  plannedChange,
  refuseOtherInventoryPlan,
} from '../pipeline/roll-outs/planned-change.ts';
import { keepDocuments, storeDocuments } from '../pipeline/roll-outs/roll-out-documents.ts';
import { approvalOfChange, proposeRollOut } from '../pipeline/roll-outs/roll-out-proposals.ts';
import { readInventoryPlan } from '../pipeline/roll-outs/stored-inventory-plans.ts';
import { budgetsOfPlans } from '../pipeline/submission/plan-budgets.ts';
import { withinBudgets } from '../pipeline/submission/within-budgets.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { requestDocuments } from './http/request-document.ts';
import { describeRollOut, inOneText, startExecution } from './roll-outs.ts';

type Changing = PlannedCluster & { readonly assessment: NonNullable<PlannedCluster['assessment']> };

export const startRollOut = handle(operations.startRollOut, async (request, deps) => {
  const { caller, query, headers } = request;
  const { namespace } = request.path;
  const wanted = parseInput(wantedPlan, headers['kubeloom-plan'], 'the header Kubeloom-Plan')?.[0];
  const sent = request.body.length > 0 ? requestDocuments(request, deps) : [];
  // An approver starts what someone proposed by the id of its plan alone.
  const proposal =
    wanted !== undefined && sent.length === 0
      ? (await readInventoryPlan(deps, namespace, wanted))?.proposal
      : undefined;
  const documents = proposal?.documents ?? sent;
  const chosen = query.clusters ?? proposal?.clusters;
  const plan = await plannedChange(deps, namespace, { documents, caller, clusters: chosen });
  const key = { namespace, name: 'inventory' };
  refuseFaults('inventory', key, plan.faults.map(inOneText));
  await refuseOtherInventoryPlan(deps, namespace, plan, wanted);
  const refused = plan.clusters.filter(({ impact }) => impact === 'refused');
  const faultsOf = ({ cluster, faults }: PlannedCluster) =>
    faults.map(inOneText).map((fault) => ({ ...fault, reason: `${cluster}: ${fault.reason}` }));
  refuseFaults('inventory', key, refused.flatMap(faultsOf));
  const clusters = plan.clusters.filter(isChanging);
  refuseSize(clusters.length);
  const asked = { ...proposal?.settings, ...ownOf({ query }) };
  // Who names the plan and is an approver approves it with that.
  const approves = wanted !== undefined && caller.may('approver', namespace);
  const refuseUnapproved = async (budgets: BudgetOfPlan[]): Promise<void> => {
    const approval = approvalOfChange(deps, namespace, clusters, budgets);
    if (!approval || plan.id === null || approves) return;
    const about = { namespace, caller, approval, documents, clusters: chosen, settings: asked };
    throw await proposeRollOut(deps, { ...plan, id: plan.id }, about);
  };
  const planned = clusters.map(planInBudget);
  await refuseUnapproved(await budgetsOfPlans(deps, namespace, planned));
  const record = recordOf(deps, plan, clusters, {
    namespace,
    caller,
    plan: wanted,
    settings: { ...defaultRollOut, ...ownOf(plan), ...asked },
  });
  await claimClusters(deps, record);
  try {
    const documents = await keepDocuments(deps, plan, record);
    await Array.fromAsync(aheadOf(clusters, (one) => putGoals(deps, record, one, caller)));
    await withinBudgets(deps, namespace, planned, async (counted) => {
      await refuseUnapproved(counted.budgets);
      const shares = approves ? counted.shares.map(approvedShare) : counted.shares;
      await acceptRollOut(deps, record, { ...counted, shares });
    });
    await storeDocuments(deps, documents, record, caller);
  } catch (error) {
    await withdraw(deps, record);
    throw error;
  }
  if (proposal && wanted !== undefined)
    await deps.waitingPlans.remove({ namespace, name: inventoryPlanName, id: wanted });
  const size = `${clusters.length} clusters in ${new Set(record.clusters.map(({ wave }) => wave)).size} waves`;
  const bound = wanted === undefined ? '' : `, plan ${wanted}${proposal ? `, proposed by ${proposal.by}` : ''}`;
  await reportRollOut(
    deps,
    record,
    'RollOutStarted',
    `started for ${size}${bound} by ${callerText(caller)}`,
    caller.name,
  );
  return { json: describeRollOut(await startExecution(deps, record), 'RUNNING') };
});

/** Cancels a roll-out that could not start and releases its clusters for the next one. */
async function withdraw(deps: ApiPorts, record: RollOutRecord): Promise<void> {
  const endedAt = deps.clock.now().toISOString();
  await Promise.allSettled([changeRollOut(deps, record, () => ({ status: 'Cancelled', endedAt }))]);
  await Promise.allSettled([releaseClusters(deps, record)]);
}

const isChanging = (one: PlannedCluster): one is Changing =>
  one.impact === 'changes' && one.assessment?.record !== undefined;

/** What the request says, or the InventoryOrder as it will be. */
function ownOf(from: { readonly query: Partial<RollOutSettings> } | PlannedChange): Partial<RollOutSettings> {
  const order = 'query' in from ? undefined : from.documents.find(({ document }) => document.kind === 'InventoryOrder');
  const given = 'query' in from ? from.query : (order ?? from.before.order)?.document.spec;
  const { waves, soak, maxFailed } = (given ?? {}) as Partial<RollOutSettings>;
  return { ...(waves && { waves }), ...(soak && { soak }), ...(maxFailed && { maxFailed }) };
}

function refuseSize(clusters: number): void {
  if (clusters === 0) {
    throw new PipelineError(
      'VerbRefused',
      'there is nothing to roll out: no cluster changes, and none is behind its inventory',
    );
  }
  if (clusters <= mostClusters) return;
  const way = 'name some of them, and roll out the others afterwards';
  throw new PipelineError(
    'VerbRefused',
    `${clusters} clusters change, a roll-out takes at most ${mostClusters}; ${way}`,
  );
}

function recordOf(
  deps: Pick<ApiPorts, 'clock' | 'ids'>,
  { documents }: PlannedChange,
  clusters: readonly Changing[],
  about: {
    readonly namespace: string;
    readonly caller: AdmittedCaller;
    readonly plan: string | undefined;
    readonly settings: RollOutSettings;
  },
): RollOutRecord {
  const now = deps.clock.now().toISOString();
  const waves = waveNumbers(clusters.length, about.settings);
  return {
    namespace: about.namespace,
    id: `${now.replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '-')}-${deps.ids.hash(6)}`,
    version: 1,
    execution: 1,
    direction: 'forward',
    status: 'Running',
    settings: about.settings,
    ...(about.plan !== undefined && { plan: about.plan }),
    documents: documents.map(({ document, generation }) => ({
      kind: document.kind,
      name: inventoryName(document),
      before: generation - 1,
    })),
    clusters: clusters.map(({ cluster, stored, assessment }, place) => ({
      name: cluster,
      wave: waves[place] ?? 0,
      state: 'waiting',
      before: stored?.generation ?? null,
      goal: assessment.record?.checksum ?? '',
      acceptedCost: costWhen('after', assessment.costOfMonth),
    })),
    startedBy: about.caller.name,
    startedAt: now,
    updatedAt: now,
  };
}

async function putGoals(
  deps: Pick<ApiPorts, 'artifacts'>,
  rollOut: RollOutRecord,
  { cluster, stored, assessment }: Changing,
  { name: by }: AdmittedCaller,
): Promise<void> {
  const { record, basis } = assessment;
  if (record === undefined || basis === undefined) throw new PipelineError('InternalFault', `${cluster} has no record`);
  const ofPlan = rollOut.plan === undefined ? {} : { plan: boundTo(basis) };
  const goals: RollOutGoals = {
    schema: 1,
    goal: { ...contentOf(record), ...ofPlan, origin: { by, reason: `roll-out ${rollOut.id}` } },
    before: stored === undefined || stored.deleting ? null : contentOf(stored),
  };
  await deps.artifacts.putText(rollOutKeys.goals(rollOut, cluster), JSON.stringify(goals), 'application/json');
}

/** What a generation of a manifest is made of. */
function contentOf({ document, templates, templateSecrets }: NonNullable<PlannedCluster['stored']>) {
  return { document, ...(templates && { templates }), ...(templateSecrets && { templateSecrets }) };
}
