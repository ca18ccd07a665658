/** A plan: its waypoints, what is made and removed, and what is refused. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { InventoryPlan } from '#contracts/inventory.ts';
import { countOf } from '../model/count-of.ts';
import { keyed } from '../model/keyed.ts';
import { amountsText, totalsOf } from '../model/plan-totals.ts';
import { PlanLines } from './plan-lines.tsx';
import { RowsTable } from './rows-table.tsx';
import { Sign } from './status.tsx';

export function PlanView({ plan }: { readonly plan: PlanReport }) {
  const { paths, totals, warnings, clusters, costOfMonth, budgets, healthChecks, drift } = plan;
  const refusals = clusters.flatMap(({ cluster, refusals }) => refusals.map((refusal) => ({ cluster, ...refusal })));
  return (
    <div className="plan">
      <p className="totals">
        {totalsOf(totals).map(({ what, added, changed, removed }) => (
          <span key={what} className="tag">
            {what} <span className="plus">+{added}</span> <span className="change">~{changed}</span>{' '}
            <span className="minus">−{removed}</span>
          </span>
        ))}
        {!plan.hasWork && refusals.length === 0 && <Sign tone="good" word="no machine changes" />}
      </p>
      {keyed(refusals, (one) => JSON.stringify(one)).map(([key, { cluster, path, reason, fix }]) => (
        <p key={key} className="notice bad">
          <span aria-hidden="true">✗</span>
          <span>
            {cluster}: <code>{path}</code> {reason} <span className="hint">→ {fix}</span>
          </span>
        </p>
      ))}
      {drift.map(({ cluster, differs }) => (
        <p key={cluster} className="notice warn">
          <span aria-hidden="true">!</span> the last check of {cluster} found drift: {differs}
        </p>
      ))}
      {paths.map(({ cluster, summary, waypoints }) => (
        <section key={cluster} aria-label={`Plan of ${cluster}`}>
          <h2>
            {cluster} <span className="dim">{summary}</span>
          </h2>
          <ol className="waypoints">
            {keyed(waypoints, ({ title }) => title).map(([key, { title, lines, stages, forwardOnly }]) => (
              <li key={key}>
                <strong>{title}</strong>
                <PlanLines lines={lines} />
                <details>
                  <summary>
                    {countOf(stages.length, 'stage')} · if it fails:{' '}
                    {forwardOnly ? 'retried, then waits for you' : 'undone'}
                  </summary>
                  <dl>
                    {stages.map(({ stage, reasons }) => (
                      <div key={stage}>
                        <dt>{stage}</dt>
                        <dd>{reasons.join('; ')}</dd>
                      </div>
                    ))}
                  </dl>
                </details>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {keyed(warnings, ({ path, reason }) => `${path} ${reason}`).map(([key, { path, reason, fix }]) => (
        <p key={key} className="notice warn">
          <span aria-hidden="true">!</span>
          <span>
            <code>{path}</code> {reason} {fix !== undefined && <span className="hint">→ {fix}</span>}
          </span>
        </p>
      ))}
      {costOfMonth && <Cost cost={costOfMonth} />}
      <Budgets budgets={budgets} />
      {healthChecks && (
        <p className="dim">
          Health checks of {healthChecks.machines} machines, every {healthChecks.interval}: about $
          {healthChecks.dollarsOfMonth.lambda.toFixed(2)} a month in AWS, nothing on the local platform.
        </p>
      )}
    </div>
  );
}

/** Budgets of the namespace and of the installation: within the budget, or beyond it and to be approved. */
export function Budgets({ budgets }: Pick<PlanReport, 'budgets'>) {
  return budgets.map(({ of, text, needsApproval }) =>
    needsApproval ? (
      <p key={of} className="notice warn">
        <span aria-hidden="true">!</span> <span>{text}: someone with the role approver has to approve it.</span>
      </p>
    ) : (
      <p key={of} className="dim">
        {text}
      </p>
    ),
  );
}

/** What machines cost a month; it says which prices are not known. */
function Cost({ cost }: { readonly cost: NonNullable<PlanReport['costOfMonth']> }) {
  const { machines, lists } = cost;
  return (
    <section aria-label="Cost of a month" className="cost">
      <CostChange cost={cost} />
      <details>
        <summary>
          {countOf(machines.length, 'kind of machine', 'kinds of machines')}; {listsText(lists)}
        </summary>
        <RowsTable
          columns={[
            { title: 'Pool', names: true },
            { title: 'Type' },
            { title: 'Before', number: true },
            { title: 'After', number: true },
            { title: 'Each a month', number: true },
          ]}
          rows={keyed(machines, (machine) => JSON.stringify(machine)).map(([key, machine]) => ({
            key,
            cells: [
              `${machine.cluster}/${machine.pool}`,
              `${machine.provider} ${machine.region} ${machine.serverType}${machine.spot ? ' spot' : ''}`,
              String(machine.before),
              String(machine.after),
              machine.each === null ? 'not known' : amountsText([machine.each]),
            ],
          }))}
        />
      </details>
      <CostLimits />
    </section>
  );
}

/** The cost of all plans of an inventory together. */
export function SumOfCost({ cost }: { readonly cost: Sum }) {
  const { notKnown, lists } = cost;
  return (
    <section aria-label="Cost of a month" className="cost">
      <CostChange cost={cost} />
      <p className="dim">
        {listsText(lists)}
        {notKnown.before + notKnown.after > 0 &&
          `; without a known price: ${countOf(notKnown.before, 'machine')} now, ${notKnown.after} then`}
      </p>
      <CostLimits />
    </section>
  );
}

type Sum = NonNullable<InventoryPlan['costOfMonth']>;

function listsText(lists: Sum['lists']): string {
  if (lists.length === 0) return 'no price is known';
  const texts = lists.map(({ provider, date, source }) => {
    return `${provider} ${date}${source === 'simulated' ? ' (simulated)' : ''}`;
  });
  return `list prices of ${texts.join(', ')}`;
}

function CostChange({
  cost: { before, after, difference },
}: {
  readonly cost: Pick<Sum, 'before' | 'after' | 'difference'>;
}) {
  return (
    <p>
      Machines a month: {amountsText(before)} → <strong>{amountsText(after)}</strong>{' '}
      <span className="dim">({amountsText(difference, { signed: true })})</span>
    </p>
  );
}

const CostLimits = () => (
  <p className="dim">
    Without disks, traffic and taxes, and without public addresses where the provider lists them apart. A price that is
    not known is not guessed.
  </p>
);
