/** All manifests: what needs a person first. */
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { FleetCounts } from '#contracts/fleet.ts';
import { commands } from '../model/commands.ts';
import {
  type FleetChoice,
  type FleetRow,
  fleetRow,
  mostRows,
  rowsAtOnce,
  rowsOf,
  type Summary,
  shownStates,
  stateTitles,
} from '../model/fleet.ts';
import { timeAgo } from '../model/times.ts';
import { Bar } from '../parts/bar.tsx';
import { Choice } from '../parts/choice.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { useFleet } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';

export function FleetPage({ chosen }: { readonly chosen: Readonly<Record<string, string>> }) {
  const { search = '', state = '', namespace = '' } = chosen;
  const choice = { search, state, namespace };
  const most = rowsOf(chosen.rows);
  const fleet = useFleet(choice, most);
  const rowOf = useRows();
  const rows = useMemo(() => fleet.data?.items.map(rowOf), [fleet.data, rowOf]);
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
      ) : rows.length === 0 ? (
        <Empty title="Nothing matches">
          <button type="button" onClick={() => choose({ search: '', state: '', namespace: '' })}>
            Show all {counts.all}
          </button>
        </Empty>
      ) : (
        <>
          <FleetTable rows={rows} busy={fleet.isPlaceholderData} />
          {rows.length < counts.fitting && (
            <p className="filters">
              {rows.length} of {counts.fitting} are shown.
              {most < mostRows ? (
                <button
                  type="button"
                  onClick={() => go(hrefOf([], { ...choice, rows: String(most + rowsAtOnce) }), { replace: true })}
                >
                  Show {Math.min(rowsAtOnce, counts.fitting - rows.length)} more
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

interface FiltersProps {
  readonly choice: FleetChoice;
  readonly counts: FleetCounts;
  readonly choose: (change: Partial<FleetChoice>) => void;
}

/** Each with how many there are of it; the addresses of filters are as the API has them. */
function FleetFilters({ choice, counts, choose }: FiltersProps) {
  const on = choice.state.split(',');
  const any = shownStates.reduce((sum, state) => sum + counts.states[state], 0);
  return (
    <fieldset className="filters">
      <legend className="hidden">Filters</legend>
      <Search value={choice.search} choose={(search) => choose({ search })} />
      <Chip title="All" count={any} on={choice.state === ''} choose={() => choose({ state: '' })} />
      {shownStates.map((state) => (
        <Chip
          key={state}
          title={stateTitles[state]}
          count={counts.states[state]}
          on={on.includes(state)}
          choose={() => choose({ state: on.includes(state) ? '' : state })}
        />
      ))}
      <Choice
        title="Namespace"
        of={Object.keys(counts.namespaces)}
        value={choice.namespace}
        choose={(namespace) => choose({ namespace })}
      />
    </fieldset>
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

/** What is written is shown at once, and filtered by when the writer pauses. */
function Search({ value, choose }: { readonly value: string; readonly choose: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  /** With the other filters as they are when the writer pauses. */
  const latest = useRef(choose);
  useEffect(() => {
    latest.current = choose;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useEffect(() => {
    if (value === sent.current) return;
    // Changed elsewhere, as by "Show all" or by going back.
    window.clearTimeout(timer.current);
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <input
      type="search"
      value={text}
      placeholder="Search names, providers, failures   /"
      aria-label="Search"
      onChange={(event) => {
        const { value: written } = event.target;
        setText(written);
        window.clearTimeout(timer.current);
        timer.current = window.setTimeout(() => {
          sent.current = written;
          latest.current(written);
        }, 120);
      }}
    />
  );
}

interface ChipProps {
  readonly title: string;
  readonly count: number;
  readonly on: boolean;
  readonly choose: () => void;
}

function Chip({ title, count, on, choose }: ChipProps) {
  return (
    <button type="button" className="chip" aria-pressed={on} onClick={choose} disabled={count === 0 && !on}>
      {title} <span className="count">{count}</span>
    </button>
  );
}

function FleetTable({ rows, busy }: { readonly rows: readonly FleetRow[]; readonly busy: boolean }) {
  // Often enough to draw all rows.
  const now = useNow(10);
  return (
    <div className="scroll">
      <table className="fleet stack" aria-busy={busy}>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Manifest</th>
            <th scope="col">Now</th>
            <th scope="col" className="number">
              Nodes
            </th>
            <th scope="col">Providers</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FleetLine key={row.key} row={row} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const FleetLine = memo(function FleetLine({ row, now }: { readonly row: FleetRow; readonly now: number }) {
  const { summary, nodes, joins, leaves, providers, remark, hint, state } = row;
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
      <td className="now">
        {state === 'running' && progress && <Bar percent={progress.percent} />}
        {remark !== '' && (
          <span className="remark" title={remark}>
            {remark}
          </span>
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
