/** All manifests: what needs a person first. */
import { memo, useMemo, useRef } from 'react';
import type { PlacedPlan } from '#contracts/waiting-plans.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import {
  type Agreement,
  everything,
  type FleetRow,
  fleetRow,
  mostRows,
  orders,
  rowsAtOnce,
  rowsOf,
  type Summary,
  waitingText,
} from '../model/fleet.ts';
import { timeAgo } from '../model/times.ts';
import { Bar } from '../parts/bar.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Sign, Status, type Tone } from '../parts/status.tsx';
import { useFleet } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';
import { FleetFilters } from './fleet-filters.tsx';

export function FleetPage({ chosen }: { readonly chosen: Readonly<Record<string, string>> }) {
  const { search = '', state = '', namespace = '', provider = '' } = chosen;
  const sort = Object.keys(orders).find((one) => one === chosen.sort && one !== 'state') ?? '';
  const choice = { search, state, namespace, provider, sort };
  const most = rowsOf(chosen.rows);
  const fleet = useFleet(choice, most);
  const rowOf = useRows();
  const rows = useMemo(() => fleet.data?.items.map(rowOf), [fleet.data, rowOf]);
  const proposed = fleet.data?.proposed ?? [];
  const counts = fleet.data?.counts;
  if (!rows || !counts)
    return fleet.error ? <Trouble error={fleet.error} what="the fleet" /> : <Loading what="the fleet" />;
  const choose = (change: Partial<typeof choice>) => go(hrefOf([], { ...choice, ...change }), { replace: true });
  return (
    <>
      <div className="title">
        <h1>Fleet</h1>
        <Updated at={fleet.dataUpdatedAt} error={fleet.error} />
        <CopyCommand command={commands.fleet(choice)} />
      </div>
      <FleetFilters choice={choice} counts={counts} choose={choose} />
      {fleet.error && <Trouble error={fleet.error} what="the fleet" />}
      {counts.all === 0 ? (
        <Empty title="No manifests yet">
          <p>A manifest describes clusters; Kubeloom makes them. Its plan is shown before anything happens.</p>
          <p>
            <a className="button" href={hrefOf(['new'])}>
              Write one here
            </a>
          </p>
          <CopyCommand command="kubeloom apply -f manifest.yaml --wait" />
        </Empty>
      ) : rows.length + proposed.length === 0 ? (
        <Empty title="Nothing matches">
          <button type="button" onClick={() => choose({ ...everything, sort })}>
            Show all {counts.all}
          </button>
        </Empty>
      ) : (
        <>
          <FleetTable rows={rows} proposed={proposed} busy={fleet.isPlaceholderData} />
          {rows.length + proposed.length < counts.fitting && (
            <p className="filters">
              {rows.length + proposed.length} of {counts.fitting} are shown.
              {most < mostRows ? (
                <button
                  type="button"
                  onClick={() => go(hrefOf([], { ...choice, rows: String(most + rowsAtOnce) }), { replace: true })}
                >
                  Show {Math.min(rowsAtOnce, counts.fitting - rows.length - proposed.length)} more
                </button>
              ) : (
                ' Search for the others.'
              )}
            </p>
          )}
        </>
      )}
    </>
  );
}

/** The same row for the same summary: what did not change is not drawn again. */
function useRows(): (summary: Summary) => FleetRow {
  const known = useRef(new WeakMap<Summary, FleetRow>());
  return useMemo(
    () => (summary) => {
      const row = known.current.get(summary) ?? fleetRow(summary);
      known.current.set(summary, row);
      return row;
    },
    [],
  );
}

interface FleetTableProps {
  readonly rows: readonly FleetRow[];
  readonly proposed: readonly PlacedPlan[];
  readonly busy: boolean;
}

function FleetTable({ rows, proposed, busy }: FleetTableProps) {
  // Often enough to draw all rows.
  const now = useNow(10);
  return (
    <div className="scroll">
      <table className="fleet stack" aria-busy={busy}>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Manifest</th>
            <th scope="col">Desired state</th>
            <th scope="col">Now</th>
            <th scope="col" className="number">
              Nodes
            </th>
            <th scope="col">Providers</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {proposed.map((plan) => (
            <ProposedLine key={plan.id} plan={plan} now={now} />
          ))}
          {rows.map((row) => (
            <FleetLine key={row.key} row={row} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** It does not exist yet, and is opened at the plan that creates it. */
function ProposedLine({ plan, now }: { readonly plan: PlacedPlan; readonly now: number }) {
  const { namespace, name, id, at } = plan;
  if (name === null) return null;
  return (
    <tr className="attention">
      <td>
        <Status of="Proposed" />
      </td>
      <th scope="row">
        <a href={hrefOf(['manifests', namespace, name, 'plan'], { plan: id })} data-row>
          {name}
        </a>{' '}
        <span className="dim nowrap">{namespace}</span>
      </th>
      <td className="dim">does not exist yet</td>
      <td className="now">
        <span className="remark">{waitingText(plan)}</span>
      </td>
      <td />
      <td />
      <td className="dim changed" data-title="Changed">
        <time dateTime={at} title={at}>
          {timeAgo(at, now)}
        </time>
      </td>
    </tr>
  );
}

/** Apart from how it fares: whether what exists is what was asked for. */
function DesiredState({ row: { agreement, differences, summary } }: { readonly row: FleetRow }) {
  if (agreement === 'drifted')
    return (
      <a href={hrefOf(['manifests', summary.namespace, summary.name, 'drift'])}>
        <Sign tone="warn" word={countOf(differences, 'difference')} />
      </a>
    );
  const [tone, word] = agreements[agreement];
  return <Sign tone={tone} word={word} />;
}

const agreements = {
  desired: ['good', 'reached'],
  changing: ['work', 'changing'],
  unreached: ['bad', 'not reached'],
} as const satisfies Readonly<Record<Exclude<Agreement, 'drifted'>, readonly [tone: Tone, word: string]>>;

const FleetLine = memo(function FleetLine({ row, now }: { readonly row: FleetRow; readonly now: number }) {
  const { summary, nodes, joins, leaves, providers, remark, hint, state, failed } = row;
  const place = ['manifests', summary.namespace, summary.name];
  const { namespace, name, status, paused, cancelling, progress, generation, updatedAt } = summary;
  return (
    <tr className={state}>
      <td>
        <Status of={status} paused={paused} cancelling={cancelling} />
      </td>
      <th scope="row">
        <a href={hrefOf(['manifests', namespace, name])} data-row>
          {name}
        </a>{' '}
        <span className="dim nowrap">
          {namespace} · g{generation}
        </span>
      </th>
      <td className={`agreement ${row.agreement}`}>
        <DesiredState row={row} />
      </td>
      <td className="now">
        {state === 'running' && progress && <Bar percent={progress.percent} />}
        {failed ? (
          <a className="remark" title={remark} href={hrefOf([...place, 'run'])}>
            {remark}
          </a>
        ) : (
          remark !== '' && (
            <span className="remark" title={remark}>
              {remark}
            </span>
          )
        )}
        {hint !== '' && state === 'attention' && (
          <span className="hint" title={hint}>
            → {hint}
          </span>
        )}
      </td>
      <td className="number" data-title="Nodes">
        {nodes}
        {joins > 0 && (
          <span className="plus" title={`${joins} join`}>
            {' '}
            +{joins}
          </span>
        )}
        {leaves > 0 && (
          <span className="minus" title={`${leaves} leave`}>
            {' '}
            −{leaves}
          </span>
        )}
      </td>
      <td className="dim" data-title="Providers">
        {providers.join(', ')}
      </td>
      <td className="dim changed" data-title="Changed">
        <time dateTime={updatedAt} title={updatedAt}>
          {timeAgo(updatedAt, now)}
        </time>
      </td>
    </tr>
  );
});
