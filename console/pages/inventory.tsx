/** An inventory: its clusters with what they inherit, its documents, plans of changes, and roll-outs. */

import { useFirstInventory, useInventory } from '../inventory-queries.ts';
import { may } from '../model/rights.ts';
import { namespacesOf } from '../model/stored-names.ts';
import { Loading, Trouble, Updated } from '../parts/states.tsx';
import { ViewTabs } from '../parts/view-tabs.tsx';
import { useFleet, useWhoAmI } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';
import { ClustersView } from './inventory/clusters.tsx';
import { DocumentsView } from './inventory/documents.tsx';
import { PlanView } from './inventory/plan.tsx';
import { RollOutsView } from './inventory/roll-outs.tsx';
import '../styles/inventory.css';

const views = { clusters: 'Clusters', documents: 'Documents', plan: 'Plan a change', rollouts: 'Roll-outs' } as const;

interface InventoryPageProps {
  /** Undefined: the first that has an inventory. */
  readonly namespace: string | undefined;
  readonly view: string;
  readonly chosen: Readonly<Record<string, string>>;
}

export default function InventoryPage({ namespace: wanted, view: wantedView, chosen }: InventoryPageProps) {
  const me = useWhoAmI();
  const fleet = useFleet();
  const own = (me.data?.grants ?? []).flatMap(({ namespaces }) => namespaces).filter((one) => one !== '*');
  const all = namespacesOf(
    fleet.data ?? [],
    own.map((namespace) => ({ namespace })),
    wanted === undefined ? [] : [{ namespace: wanted }],
  );
  const namespaces = all.filter((one) => one === wanted || may(me.data, 'viewer', one));
  const first = useFirstInventory(
    namespaces,
    wanted === undefined && me.data !== undefined && fleet.data !== undefined,
  );
  const namespace = wanted ?? first;
  const view = wantedView in views ? wantedView : 'clusters';
  if (namespace === undefined) return <Loading what="inventories" />;
  return <Inventory key={namespace} namespace={namespace} namespaces={namespaces} view={view} chosen={chosen} />;
}

interface InventoryProps {
  readonly namespace: string;
  readonly namespaces: readonly string[];
  readonly view: string;
  readonly chosen: Readonly<Record<string, string>>;
}

function Inventory({ namespace, namespaces, view, chosen }: InventoryProps) {
  const list = useInventory(namespace);
  return (
    <>
      <div className="title">
        <h1>Inventory</h1>
        <label>
          <span className="hidden">Namespace</span>
          <select value={namespace} onChange={(event) => go(hrefOf(['inventory', event.target.value, view]))}>
            {namespaces.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Updated at={list.dataUpdatedAt} error={list.error} />
      </div>
      <ViewTabs place={['inventory', namespace]} views={views} current={view} />
      {list.error && <Trouble error={list.error} what="the inventory" />}
      {!list.data && !list.error && <Loading what="the inventory" />}
      {list.data && view === 'clusters' && <ClustersView namespace={namespace} list={list.data} chosen={chosen} />}
      {list.data && view === 'documents' && <DocumentsView namespace={namespace} list={list.data} chosen={chosen} />}
      {list.data && view === 'plan' && <PlanView namespace={namespace} list={list.data} />}
      {view === 'rollouts' && <RollOutsView namespace={namespace} chosen={chosen} />}
    </>
  );
}
