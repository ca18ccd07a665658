/** An inventory: its clusters with what they inherit, its documents, plans of changes, and roll-outs. */
import { useFirstInventory } from '../inventory-queries.ts';
import { useNamespaces } from '../namespaces.ts';
import type { PlaceInInventory } from '../parts/inventory-frame.tsx';
import { Empty, Loading, Trouble } from '../parts/states.tsx';
import { ClustersView } from './inventory/clusters.tsx';
import { DocumentsView } from './inventory/documents.tsx';
import { InventoryPlanView } from './inventory/plan.tsx';
import { RollOutsView } from './inventory/roll-outs.tsx';
import '../styles/inventory.css';

interface InventoryPageProps extends Pick<PlaceInInventory, 'chosen'> {
  /** Undefined: the first that has an inventory. */
  readonly namespace: string | undefined;
  readonly view: string;
}

export default function InventoryPage({ namespace: wanted, view, chosen }: InventoryPageProps) {
  const { names, error: unknown } = useNamespaces(wanted === undefined ? [] : [wanted]);
  const first = useFirstInventory(names, wanted === undefined);
  const namespace = wanted ?? first.data;
  const error = unknown ?? first.error;
  if (namespace === undefined && error) return <Trouble error={error} what="inventories" />;
  if (names?.length === 0) return <Empty page title="You lack a role in any namespace" />;
  if (namespace === undefined) return <Loading what="inventories" />;
  const place = { namespace, namespaces: names ?? [namespace], chosen };
  if (view === 'documents') return <DocumentsView key={namespace} place={place} />;
  if (view === 'plan') return <InventoryPlanView key={namespace} place={place} />;
  if (view === 'rollouts') return <RollOutsView key={namespace} place={place} />;
  return <ClustersView key={namespace} place={place} />;
}
