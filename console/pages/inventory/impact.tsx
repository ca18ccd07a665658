/** What the plan of an inventory does to each cluster that depends on the change. */
import type { InventoryPlan } from '#contracts/inventory.ts';
import { countOf } from '../../model/count-of.ts';
import { totalsOf } from '../../model/plan-totals.ts';
import { Budgets, SumOfCost } from '../../parts/plan-view.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';

type Row = InventoryPlan['clusters'][number];

const impacts: Readonly<Record<Row['impact'], readonly [tone: Tone, word: string]>> = {
  changes: ['work', 'changes'],
  overrides: ['calm', 'has its own value'],
  same: ['calm', 'stays as it is'],
  refused: ['bad', 'is refused'],
  removed: ['warn', 'leaves the inventory'],
};

export function ImpactOfChange({ plan }: { readonly plan: InventoryPlan }) {
  return (
    <section aria-labelledby="impact-title" className="plan">
      <h2 id="impact-title">
        {countOf(plan.depend, 'cluster')} {plan.depend === 1 ? 'depends' : 'depend'} on this; {plan.changes}{' '}
        {plan.changes === 1 ? 'changes' : 'change'}
      </h2>
      <p className="totals">
        {totalsOf(plan.totals).map(({ what, added, changed, removed }) => (
          <span key={what} className="tag">
            {what} <span className="plus">+{added}</span> <span className="change">~{changed}</span>{' '}
            <span className="minus">−{removed}</span>
          </span>
        ))}
      </p>
      <Faults faults={plan.faults} />
      {plan.costOfMonth && <SumOfCost cost={plan.costOfMonth} />}
      <Budgets budgets={plan.budgets} />
      <ul className="tree">
        {plan.clusters.map((row) => (
          <li key={row.cluster}>
            <p className="card-title">
              <strong>{row.cluster}</strong> <Sign tone={impacts[row.impact][0]} word={impacts[row.impact][1]} />
              {row.impact === 'changes' && <span className="dim">{countOf(row.waypoints, 'waypoint')}</span>}
            </p>
            <Faults faults={row.faults} />
            {row.changes.length > 0 && (
              <ul>
                {row.changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Faults({ faults }: Pick<InventoryPlan, 'faults'>) {
  return faults.map(({ document, path, reason, fix }) => (
    <p key={`${path} ${reason}`} className="notice bad">
      <span aria-hidden="true">✗</span>
      <span>
        {document && `${document.kind} ${document.name}: `}
        <code>{path}</code> {reason} {fix !== undefined && <span className="hint">→ {fix}</span>}
      </span>
    </p>
  ));
}
