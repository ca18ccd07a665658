/** The clusters of an inventory by template: what each inherits, and whether its manifest is as the inventory says. */

import type { InventoryList } from '#contracts/inventory.ts';
import { ask } from '../../api.ts';
import { type InventoryClusterRow, useInventory } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { may } from '../../model/rights.ts';
import { found } from '../../model/stored-names.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { InventoryFrame, type PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';

const states: Readonly<Record<InventoryClusterRow['state'], readonly [tone: Tone, word: string]>> = {
  current: ['good', 'as the inventory says'],
  behind: ['warn', 'behind'],
  missing: ['calm', 'not made yet'],
  refused: ['bad', 'cannot be made'],
};

export function ClustersView({ place }: { readonly place: PlaceInInventory }) {
  const inventory = useInventory(place.namespace);
  return (
    <InventoryFrame place={place} view="clusters" of={[inventory]}>
      <Answered of={inventory} what="the inventory">
        {(list) => <Clusters {...place} list={list} />}
      </Answered>
    </InventoryFrame>
  );
}

function Clusters({ namespace, list, chosen }: PlaceInInventory & { readonly list: InventoryList }) {
  const search = chosen.search ?? '';
  const place = ['inventory', namespace, 'clusters'];
  if (list.clusters.length === 0)
    return (
      <Empty title="No cluster inherits anything here">
        <p>An InventoryCluster names layers of values and a template; Kubeloom makes its manifest of them.</p>
        <CopyCommand command={commands.store('inventory.yaml')} />
      </Empty>
    );
  const rows = found(list.clusters, search, ({ cluster, template, layers = [], state }) =>
    [cluster, template, ...layers, state].join(' '),
  );
  const templates = [...new Set(rows.map(({ template }) => template))].sort();
  const behind = list.clusters.filter(({ state }) => state === 'behind' || state === 'missing').length;
  return (
    <>
      <div className="filters">
        <input
          type="search"
          aria-label="Search clusters"
          placeholder="Search clusters, layers, states   /"
          value={search}
          onChange={(event) => go(hrefOf(place, { search: event.target.value }), { replace: true })}
        />
        <CopyCommand command={commands.inventory(namespace)} />
      </div>
      {behind > 0 && (
        <p className="notice warn">
          <span aria-hidden="true">!</span>
          <span>
            {countOf(behind, 'cluster')} behind, or not made yet.{' '}
            <a href={hrefOf(['inventory', namespace, 'plan'], { of: 'behind' })}>Plan what is behind</a>
          </span>
        </p>
      )}
      {rows.length === 0 && <Empty title="Nothing matches" />}
      {templates.map((template) => (
        <section key={template} aria-labelledby={`template-${template}`}>
          <h2 id={`template-${template}`}>
            Made by{' '}
            <a href={hrefOf(['inventory', namespace, 'documents'], { kind: 'InventoryTemplate', name: template })}>
              {template}
            </a>
          </h2>
          <ul className="tree">
            {rows
              .filter((row) => row.template === template)
              .map((row) => (
                <ClusterLine key={row.cluster} namespace={namespace} row={row} />
              ))}
          </ul>
        </section>
      ))}
      {list.planes.length > 0 && <Planes planes={list.planes} />}
    </>
  );
}

function ClusterLine({ namespace, row }: { readonly namespace: string; readonly row: InventoryClusterRow }) {
  const me = useWhoAmI();
  const { cluster, layers = [], state, changes, faults } = row;
  const [tone, word] = states[state];
  const key = { namespace, name: cluster };
  return (
    <li>
      <p className="card-title">
        {state === 'missing' || state === 'refused' ? (
          <strong>{cluster}</strong>
        ) : (
          <a href={hrefOf(['manifests', namespace, cluster])} data-row>
            <strong>{cluster}</strong>
          </a>
        )}
        <Sign tone={tone} word={word} />
        <span>
          {layers.map((layer) => (
            <a
              key={layer}
              className="tag"
              href={hrefOf(['inventory', namespace, 'documents'], { kind: 'InventoryLayer', name: layer })}
            >
              {layer}
            </a>
          ))}
        </span>
        <span className="line-end">
          {(state === 'behind' || state === 'missing') && may(me.data, 'operator', namespace) && (
            <AskFirst
              title="Apply"
              about={cluster}
              word={state === 'behind' ? cluster : undefined}
              says="Its manifest is made of the inventory as it is now, and submitted: a run starts. To see before what it does, or for several clusters at once: plan them, and roll that out."
              command={commands.applyInventory(namespace, cluster)}
              send={() => ask('POST /v1/inventory/{namespace}/clusters/{name}/apply', { params: key })}
            />
          )}
          {state !== 'missing' && <CopyCommand command={commands.explain(key)} />}
        </span>
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ document, path, reason, fix }) => (
            <li key={`${path} ${reason}`}>
              {document && `${document.kind} ${document.name}: `}
              <code>{path}</code> {reason} {fix !== undefined && <span className="hint">→ {fix}</span>}
            </li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <details>
          <summary>applying it makes {countOf(changes.length, 'change')}</summary>
          <ul>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Planes({ planes }: { readonly planes: InventoryList['planes'] }) {
  return (
    <section aria-labelledby="planes-title">
      <h2 id="planes-title">Management planes</h2>
      <ul className="tree">
        {planes.map(({ plane, manifest, cluster, state, components }) => (
          <li key={plane}>
            <strong>{plane}</strong> on {manifest}/{cluster}{' '}
            <Sign tone={state === 'installed' ? 'good' : state === 'changing' ? 'work' : 'calm'} word={state} />
            <ul className="tree">
              {components.map((component) => (
                <li key={component.document}>
                  {component.kind} {component.provider}
                  {component.instance !== undefined && ` (${component.instance})`} {component.installed ?? 'none'}
                  {component.installed !== component.desired && ` → ${component.desired}`}{' '}
                  <Sign tone={component.works ? 'good' : 'warn'} word={component.works ? 'works' : 'does not work'} />{' '}
                  <span className="dim">{component.remark}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
