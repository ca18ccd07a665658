/** Documents of an inventory that do not exist yet: a plan that waits for an approval would store them. */
import type { InventoryKey } from '#contracts/inventory.ts';
import type { Proposal } from '#contracts/stored-plans.ts';
import type { PlacedPlan } from '#contracts/waiting-plans.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { aheadOf } from '../../ahead.ts';
import { fittingPlans } from '../../pipeline/proposals/fitting-plans.ts';
import { readPlan } from '../../pipeline/proposals/kept-plans.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { placedPlan } from './waiting-plans.ts';

type Title = Pick<InventoryKey, 'kind' | 'name'>;
export const titleOfDocument = ({ kind, name }: Title): string => `${kind} ${name}`;

/** Those of a namespace, by kind and name; undefined without any. `stored`: what exists. */
export async function proposedDocuments(
  deps: Pick<ApiPorts, 'artifacts' | 'inventory' | 'manifests' | 'waitingPlans'>,
  namespace: string,
  stored: readonly Title[],
): Promise<Record<string, PlacedPlan> | undefined> {
  const fitting = await fittingPlans(deps, await deps.waitingPlans.list({ namespace }));
  const read = aheadOf(fitting, async (record) => {
    const plan = await readPlan(deps, record, record.id);
    return plan?.proposal === undefined
      ? []
      : titlesIn(plan.proposal).map((title) => [title, placedPlan(record)] as const);
  });
  const known = new Set(stored.map(titleOfDocument));
  const rows = (await Array.fromAsync(read)).flat().filter(([title]) => !known.has(title));
  return rows.length === 0 ? undefined : Object.fromEntries(rows.sort());
}

function titlesIn(proposal: Proposal): readonly string[] {
  const documents =
    proposal.kind === 'rollOut' ? proposal.documents : proposal.kind === 'apply' ? (proposal.planes ?? []) : [];
  return documents.flatMap((document) => {
    const kind = inventoryKinds.find((one) => one === kindOf(document));
    return kind ? [titleOfDocument({ kind, name: documentName(document).name })] : [];
  });
}

/** "olga proposed it at … (1 node added), and its plan waits for an approval: kubeloom approve …" */
export function proposedText({ namespace, name, id, by, at, summary }: PlacedPlan): string {
  const way =
    name === null
      ? `kubeloom rollout start -n ${namespace} --plan ${id}`
      : `kubeloom approve ${name} -n ${namespace} --plan ${id}`;
  return `${by} proposed it at ${at} (${summary}), and its plan waits for an approval: ${way}`;
}
