/** All manifests: what needs a person first. */
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { commands } from '../model/commands.ts';
import { countsOf, type FleetRow, fleetRow, groups, groupTitles, type Summary, shownRows } from '../model/fleet.ts';
import { timeAgo } from '../model/times.ts';
import { Bar } from '../parts/bar.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { useFleet } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';

export function FleetPage({ chosen }: { readonly chosen: Readonly<Record<string, string>> }) {
  const fleet = useFleet();
  const rowOf = useRows();
  const filter = { search: chosen.search ?? '', group: chosen.group ?? '', namespace: chosen.namespace ?? '' };
  const rows = useMemo(() => fleet.data?.map(rowOf), [fleet.data, rowOf]);
  if (!rows) return fleet.error ? <Trouble error={fleet.error} what="the fleet" /> : <Loading what="the fleet" />;
  const counts = countsOf(rows);
  const namespaces = [...new Set(rows.map(({ summary }) => summary.namespace))].sort();
  const shown = shownRows(rows, filter);
  const choose = (change: Partial<typeof filter>) => go(hrefOf([], { ...filter, ...change }), { replace: true });
  return (
    <>
      <div className="title">
        <h1>Fleet</h1>
        <Updated at={fleet.dataUpdatedAt} error={fleet.error} />
        <CopyCommand command={commands.fleet()} />
      </div>
      <fieldset className="filters">
        <legend className="hidden">Filters</legend>
        <Search value={filter.search} choose={(search) => choose({ search })} />
        <Chip title="All" count={rows.length} on={filter.group === ''} choose={() => choose({ group: '' })} />
        {groups.map((group) => (
          <Chip
            key={group}
            title={groupTitles[group]}
            count={counts[group]}
            on={filter.group === group}
            choose={() => choose({ group: filter.group === group ? '' : group })}
          />
        ))}
        {namespaces.length > 1 && (
          <label>
            Namespace{' '}
            <select value={filter.namespace} onChange={(event) => choose({ namespace: event.target.value })}>
              <option value="">all</option>
              {namespaces.map((namespace) => (
                <option key={namespace}>{namespace}</option>
              ))}
            </select>
          </label>
        )}
      </fieldset>
      {rows.length === 0 ? (
        <Empty title="No manifests yet">
          <p>A manifest describes clusters; Kubeloom makes them. Plan one here, or submit one from a terminal:</p>
          <p>
            <a className="button" href={hrefOf(['new'])}>
              Plan a manifest
            </a>
          </p>
          <CopyCommand command={commands.store('manifest.yaml')} />
        </Empty>
      ) : shown.length === 0 ? (
        <Empty title="Nothing matches">
          <button type="button" onClick={() => choose({ search: '', group: '', namespace: '' })}>
            Show all {rows.length}
          </button>
        </Empty>
      ) : (
        <FleetTable rows={shown} />
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

function FleetTable({ rows }: { readonly rows: readonly FleetRow[] }) {
  // Often enough to draw all rows.
  const now = useNow(10);
  return (
    <div className="scroll">
      <table className="fleet">
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
  const { summary, nodes, joins, leaves, providers, remark, hint, group } = row;
  const { namespace, name, status, paused, progress, generation, updatedAt } = summary;
  return (
    <tr className={group}>
      <td>
        <Status of={status} paused={paused} />
      </td>
      <th scope="row">
        <a href={hrefOf(['manifests', namespace, name])} data-row>
          {name}
        </a>{' '}
        <span className="dim">
          {namespace} · g{generation}
        </span>
      </th>
      <td className="now">
        {group === 'underWay' && progress && <Bar percent={progress.percent} />}
        <span className="remark">{remark}</span>
        {hint !== '' && group === 'needsYou' && <span className="hint">→ {hint}</span>}
      </td>
      <td className="number">
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
      <td className="dim">{providers.join(', ')}</td>
      <td className="dim">
        <time dateTime={updatedAt}>{timeAgo(updatedAt, now)}</time>
      </td>
    </tr>
  );
});
