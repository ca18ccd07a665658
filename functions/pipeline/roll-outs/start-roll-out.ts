/** Starts a roll-out: plans it as a whole, stores what it will do to each cluster; the state machine carries it out. */
import { type RollOutGoals, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { refuseFaults } from '#documents/wire-faults.ts';
import { inventoryName } from '#domain/inventory/inventory-documents.ts';
import { costWhen } from '#domain/prices/accepted-cost.ts';
import type { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { approvedShare } from '#domain/prices/budget-share.ts';
import {
  defaultRollOut,
  mostClusters,
  type RollOutSettings,
  settingsIn,
  waveNumbers,
} from '#domain/roll-out/roll-out-settings.ts';
import { aheadOf } from '../../ahead.ts';
import { type AdmittedCaller, callerText } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import type { Assessment } from '../assessment/assess.ts';
import { boundTo } from '../plans/plan-id.ts';
import { inventoryPlanKey, refuseIfMoved } from '../proposals/kept-plans.ts';
import { refuseVerb } from '../records/refuse-verb.ts';
import { budgetsOfPlans } from '../submission/plan-budgets.ts';
import { withinBudgets } from '../submission/within-budgets.ts';
import { acceptRollOut, changeRollOut, reportRollOut } from './change-roll-out.ts';
import { claimClusters, releaseClusters } from './claim-clusters.ts';
import { inOneText, type PlannedChange, type PlannedCluster, planInBudget, plannedChange } from './planned-change.ts';
import { keepDocuments, storeDocuments } from './roll-out-documents.ts';
import { approvalOfChange, proposeRollOut } from './roll-out-proposals.ts';

type Changing = PlannedCluster & { readonly assessment: Assessment & Required<Pick<Assessment, 'next'>> };

export interface RollOutToStart {
  readonly documents: readonly unknown[];
  /** Only these. @default all */
  readonly clusters?: readonly string[] | undefined;
  /** What was asked for; the rest is as the InventoryOrder has it. */
  readonly settings: Partial<RollOutSettings>;
  readonly caller: AdmittedCaller;
  /** Id of the plan that it has to be. @default any */
  readonly wanted?: string | undefined;
  /** @default no one else did */
  readonly proposedBy?: string;
}

/** Throws `InvalidManifest` with every fault, `PlanMoved`, `VerbRefused`, and `ApprovalRequired` when it is only kept. */
export async function rollOut(
  deps: ApiPorts,
  namespace: string,
  { documents: sent, clusters: chosen, settings, caller, wanted, proposedBy }: RollOutToStart,
): Promise<RollOutRecord> {
  const plan = await plannedChange(deps, namespace, { documents: sent, caller, clusters: chosen });
  const key = { namespace, name: 'inventory' };
  refuseFaults('inventory', key, plan.faults.map(inOneText));
  await refuseIfMoved(deps, inventoryPlanKey(namespace), plan, wanted === undefined ? undefined : [wanted]);
  const refused = plan.clusters.filter(({ impact }) => impact === 'refused');
  const faultsOf = ({ cluster, faults }: PlannedCluster) =>
    faults.map(inOneText).map((fault) => ({ ...fault, reason: `${cluster}: ${fault.reason}` }));
  refuseFaults('inventory', key, refused.flatMap(faultsOf));
  const clusters = plan.clusters.filter(isChanging);
  refuseSize(namespace, clusters.length);
  // Who names the plan and is an approver approves it with that; not alone what no one else proposed.
  const isProposed = proposedBy !== undefined || deps.config.KUBELOOM_OWN_APPROVALS === 'allowed';
  const approves = wanted !== undefined && isProposed && caller.may('approver', namespace);
  const refuseUnapproved = async (budgets: BudgetOfPlan[]): Promise<void> => {
    const approval = approvalOfChange(deps, namespace, clusters, budgets);
    if (!approval || plan.id === null || approves) return;
    const about = { namespace, caller, approval, documents: sent, clusters: chosen, settings };
    throw await proposeRollOut(deps, { ...plan, id: plan.id }, about);
  };
  const planned = clusters.map(planInBudget);
  await refuseUnapproved(await budgetsOfPlans(deps, namespace, planned));
  const record = recordOf(deps, plan, clusters, {
    namespace,
    caller,
    plan: wanted,
    settings: { ...defaultRollOut, ...ownOf(plan), ...settings },
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
  const size = `${clusters.length} clusters in ${new Set(record.clusters.map(({ wave }) => wave)).size} waves`;
  const proposer = proposedBy === undefined ? '' : `, proposed by ${proposedBy}`;
  const bound = wanted === undefined ? '' : `, plan ${wanted}${proposer}`;
  const message = `started for ${size}${bound} by ${callerText(caller)}`;
  await reportRollOut(deps, record, 'RollOutStarted', message, caller.name);
  return record;
}

/** Cancels a roll-out that could not start and releases its clusters for the next one. */
async function withdraw(deps: ApiPorts, record: RollOutRecord): Promise<void> {
  const endedAt = deps.clock.now().toISOString();
  await Promise.allSettled([changeRollOut(deps, record, () => ({ status: 'Cancelled', endedAt }))]);
  await Promise.allSettled([releaseClusters(deps, record)]);
}

const isChanging = (one: PlannedCluster): one is Changing =>
  one.impact === 'changes' && one.assessment?.next !== undefined;

/** What the InventoryOrder says, as it will be. */
function ownOf({ documents, before }: PlannedChange): Partial<RollOutSettings> {
  const order = documents.find(({ document }) => document.kind === 'InventoryOrder') ?? before.order;
  return settingsIn((order?.document.spec ?? {}) as Partial<RollOutSettings>);
}

function refuseSize(inventory: string, clusters: number): void {
  if (clusters === 0) refuseVerb({ inventory }, 'rollOut', 'no cluster changes, and none is behind it');
  if (clusters <= mostClusters) return;
  const way = 'name some of them, and roll out the others afterwards';
  const why = `${clusters} clusters change, a roll-out takes at most ${mostClusters}; ${way}`;
  refuseVerb({ inventory }, 'rollOut', why);
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
      goal: assessment.next.record.checksum,
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
  const { record, basis } = assessment.next;
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
