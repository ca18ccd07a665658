/** Around each view of an inventory: of which namespace it is, and how old. */
import type { ReactNode } from 'react';
import { go, hrefOf } from '../routes.ts';
import { type QueryState, UpdatedAll } from './states.tsx';
import { ViewTabs } from './view-tabs.tsx';

const views = { clusters: 'Clusters', documents: 'Documents', plan: 'Plan a change', rollouts: 'Roll-outs' } as const;

export interface PlaceInInventory {
  readonly namespace: string;
  /** In which others may be. */
  readonly namespaces: readonly string[];
  readonly chosen: Readonly<Record<string, string>>;
}

interface InventoryFrameProps {
  readonly place: PlaceInInventory;
  readonly view: keyof typeof views;
  /** All that the view shows. */
  readonly of: readonly QueryState[];
  readonly children: ReactNode;
}

export function InventoryFrame({ place: { namespace, namespaces }, view, of, children }: InventoryFrameProps) {
  const all = namespaces.includes(namespace) ? namespaces : [...namespaces, namespace];
  return (
    <>
      <div className="title">
        <h1>Inventory</h1>
        <label>
          <span className="hidden">Namespace</span>
          <select value={namespace} onChange={(event) => go(hrefOf(['inventory', event.target.value, view]))}>
            {all.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <UpdatedAll of={of} />
      </div>
      <ViewTabs place={['inventory', namespace]} views={views} current={view} />
      {children}
    </>
  );
}
