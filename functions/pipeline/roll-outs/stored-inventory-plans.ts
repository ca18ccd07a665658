/** Plans of inventories that are kept by their ids: what each was made from, and those that wait for an approver. */
import { type InventoryProposal, StoredInventoryPlan, storedPlanKeys } from '#contracts/stored-plans.ts';
import type { InventoryBasis } from '#domain/inventory/inventory-basis.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';

/** What is kept of a plan. Undefined when it was never made here, or has expired. */
export async function readInventoryPlan(
  { artifacts }: Pick<ApiPorts, 'artifacts'>,
  namespace: string,
  id: string,
): Promise<StoredInventoryPlan | undefined> {
  const text = await artifacts.getText(storedPlanKeys.ofInventory(namespace, id));
  return text === undefined ? undefined : StoredInventoryPlan.parse(JSON.parse(text));
}

/** Keeps what the plan was made from, so that a later request can say what moved; a proposal stays one. */
export async function keepInventoryPlan(
  deps: Pick<ApiPorts, 'artifacts' | 'clock'>,
  namespace: string,
  { id, basis }: { readonly id: string | null; readonly basis: InventoryBasis },
  proposal?: InventoryProposal,
): Promise<void> {
  if (id === null) return;
  const kept = proposal ?? (await readInventoryPlan(deps, namespace, id))?.proposal;
  const at = deps.clock.now().toISOString();
  const plan: StoredInventoryPlan = { schema: 1, id, at, basis, ...(kept && { proposal: kept }) };
  await deps.artifacts.putText(storedPlanKeys.ofInventory(namespace, id), JSON.stringify(plan), 'application/json');
}
