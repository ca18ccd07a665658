/** Documents of an inventory that do not exist yet: a plan that waits for an approval would store them. */
import type { InventoryKey, ProposedDocument } from '#contracts/inventory.ts';
import type { Proposal } from '#contracts/stored-plans.ts';
import { inventoryPlanName, type WaitingPlanRecord } from '#contracts/waiting-plans.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { aheadOf } from '../../ahead.ts';
import { readPlan } from '../../pipeline/proposals/kept-plans.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { fittingPlans, shownPlan } from './waiting-plans.ts';

/** Of a namespace, by kind and name; `stored`: those that exist. */
export async function proposedDocuments(
  deps: Pick<ApiPorts, 'artifacts' | 'inventory' | 'manifests' | 'waitingPlans'>,
  namespace: string,
  stored: readonly Pick<InventoryKey, 'kind' | 'name'>[],
): Promise<readonly ProposedDocument[]> {
  const fitting = await fittingPlans(deps, await deps.waitingPlans.list({ namespace }));
  const read = aheadOf(fitting, async (record) => {
    const plan = await readPlan(deps, record, record.id);
    return plan?.proposal === undefined ? [] : documentsOf(plan.proposal, record);
  });
  const known = new Set(stored.map(titleOf));
  const rows = (await Array.fromAsync(read)).flat().filter((row) => !known.has(titleOf(row)));
  return rows.sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
}

const titleOf = ({ kind, name }: Pick<InventoryKey, 'kind' | 'name'>): string => `${kind} ${name}`;

function documentsOf(proposal: Proposal, record: WaitingPlanRecord): readonly ProposedDocument[] {
  const documents =
    proposal.kind === 'rollOut' ? proposal.documents : proposal.kind === 'apply' ? (proposal.planes ?? []) : [];
  const manifest = record.name === inventoryPlanName ? null : record.name;
  return documents.flatMap((document) => {
    const kind = inventoryKinds.find((one) => one === kindOf(document));
    return kind ? [{ kind, name: documentName(document).name, manifest, plan: shownPlan(record) }] : [];
  });
}

/** "olga proposed it at … (1 node added), and its plan waits for an approval: kubeloom approve …" */
export function proposedText(namespace: string, { manifest, plan }: ProposedDocument): string {
  const { id, by, at, summary } = plan;
  const way =
    manifest === null
      ? `kubeloom rollout start -n ${namespace} --plan ${id}`
      : `kubeloom approve ${manifest} -n ${namespace} --plan ${id}`;
  return `${by} proposed it at ${at} (${summary}), and its plan waits for an approval: ${way}`;
}
