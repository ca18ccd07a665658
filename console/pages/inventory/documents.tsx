/** The documents of an inventory, and which clusters inherit each. */
import { useQuery } from '@tanstack/react-query';
import type { InventoryList } from '#contracts/inventory.ts';
import { type Asked, ask } from '../../api.ts';
import { useInventory } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { timeAgo } from '../../model/times.ts';
import { yamlText } from '../../model/yaml-text.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { InventoryFrame, type PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { Answered, Empty, useNow } from '../../parts/states.tsx';
import { hrefOf } from '../../routes.ts';

type Item = InventoryList['items'][number];

const order: readonly Item['kind'][] = [
  'InventoryOrder',
  'InventoryTemplate',
  'InventoryLayer',
  'InventoryCluster',
  'ManagementPlane',
];

export function DocumentsView({ place }: { readonly place: PlaceInInventory }) {
  const inventory = useInventory(place.namespace);
  return (
    <InventoryFrame place={place} view="documents" of={[inventory]}>
      <Answered of={inventory} what="the inventory">
        {(list) => <Documents {...place} list={list} />}
      </Answered>
    </InventoryFrame>
  );
}

function Documents({ namespace, list, chosen }: PlaceInInventory & { readonly list: InventoryList }) {
  const { items } = list;
  if (items.length === 0)
    return (
      <Empty title={`No inventory in ${namespace}`}>
        <p>Layers of values, templates and the clusters that inherit them are documents of an inventory.</p>
        <CopyCommand command={commands.store('inventory.yaml')} />
      </Empty>
    );
  const shown = items.find(({ kind, name }) => kind === chosen.kind && name === chosen.name);
  return (
    <div className="documents">
      <nav aria-label="Documents">
        {order.map((kind) => {
          const ofKind = items.filter((item) => item.kind === kind);
          if (ofKind.length === 0) return null;
          return (
            <div key={kind}>
              <h2>{kind}</h2>
              <ul className="tree">
                {ofKind.map(({ name, level }) => (
                  <li key={name}>
                    <a
                      href={hrefOf(['inventory', namespace, 'documents'], { kind, name })}
                      aria-current={shown?.kind === kind && shown.name === name ? 'true' : undefined}
                      data-row
                    >
                      {name}
                    </a>{' '}
                    {level !== undefined && <span className="dim">{level}</span>}
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      {shown ? (
        <Document key={`${shown.kind} ${shown.name}`} item={shown} heirs={heirsOf(shown, list)} />
      ) : (
        <p className="dim">
          {chosen.name !== undefined && `There is no ${chosen.kind ?? 'document'} ${chosen.name}. `}
          Choose a document to see it, and the clusters that inherit it.
        </p>
      )}
    </div>
  );
}

/** For an order: all. */
function heirsOf({ kind, name }: Item, { clusters }: InventoryList): readonly string[] {
  const inherits = clusters.filter(({ cluster, template, layers = [] }) =>
    kind === 'InventoryTemplate'
      ? template === name
      : kind === 'InventoryLayer'
        ? layers.includes(name)
        : kind === 'InventoryCluster'
          ? cluster === name
          : kind === 'InventoryOrder',
  );
  return inherits.map(({ cluster }) => cluster);
}

function Document({ item, heirs }: { readonly item: Item; readonly heirs: readonly string[] }) {
  const now = useNow();
  const { namespace, kind, name, generation, by, at } = item;
  const params: Asked<'GET /v1/inventory/{namespace}/documents/{kind}/{name}'>['params'] = { namespace, kind, name };
  const found = useQuery({
    queryKey: ['inventory-document', namespace, kind, name, generation],
    queryFn: ({ signal }) => ask('GET /v1/inventory/{namespace}/documents/{kind}/{name}', { params, signal }),
  });
  return (
    <section aria-labelledby="document-title">
      <h2 id="document-title">
        {kind} {name}{' '}
        <span className="dim">
          generation {generation} by {by}, {timeAgo(at, now)}
        </span>
      </h2>
      <CopyCommand command={commands.inventoryDocument(namespace, kind, name)} />
      {kind !== 'InventoryCluster' && kind !== 'ManagementPlane' && (
        <p>
          {heirs.length === 0 ? 'No cluster inherits it.' : 'Inherited by '}
          {heirs.map((cluster) => (
            <a key={cluster} className="user" href={hrefOf(['inventory', namespace, 'clusters'], { search: cluster })}>
              {cluster}
            </a>
          ))}
        </p>
      )}
      <Answered of={found} what="the document">
        {({ document }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          <pre className="document" tabIndex={0}>
            {yamlText(document)}
          </pre>
        )}
      </Answered>
    </section>
  );
}
