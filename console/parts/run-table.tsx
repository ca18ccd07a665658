/** Waypoints as rows, stages as columns: a table, so that everyone can read it. */
import { cellId } from '../model/run-cells.ts';
import type { Cell, CellState, PlannedStageName, Row, RowState } from '../model/run-rows.ts';
import { stageColumns } from '../model/run-rows.ts';
import { clock, lasted, span } from '../model/times.ts';
import { PlanLines } from './plan-lines.tsx';
import { useNow } from './states.tsx';

interface RunTableProps {
  readonly cluster: string;
  readonly rows: readonly Row[];
  /** `web.2.kubernetes` */
  readonly selected: string | undefined;
  readonly choose: (cell: string | undefined) => void;
}

export function RunTable({ cluster, rows, selected, choose }: RunTableProps) {
  return (
    <div className="scroll">
      <table className="run stack">
        <caption className="hidden">Waypoints of {cluster} and their stages</caption>
        <thead>
          <tr>
            <th scope="col">Waypoint</th>
            {stageColumns.map((stage) => (
              <th scope="col" key={stage}>
                {stage}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.number} className={row.state}>
              <th scope="row">
                <span className="waypoint">
                  <span className="number">{row.number}</span> {row.title || row.direction}
                </span>
                <RowRemark row={row} />
              </th>
              {stageColumns.map((stage) => {
                const id = cellId(cluster, row, stage);
                return (
                  <td key={stage} data-title={stage} className={row.cells[stage].state}>
                    <CellButton
                      cell={row.cells[stage]}
                      step={stepOf(row, stage)}
                      where={`${stage} of waypoint ${row.number}`}
                      on={selected === id}
                      choose={() => choose(selected === id ? undefined : id)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The order of the stages that have work, from 1; a shrink begins with the last column. */
function stepOf({ direction, cells }: Row, stage: PlannedStageName): number {
  const order = direction === 'shrink' || direction === 'destroy' ? stageColumns.toReversed() : stageColumns;
  return order.filter((one) => cells[one].state !== 'none').indexOf(stage) + 1;
}

const rowWords: Readonly<Record<RowState, string>> = {
  toCome: 'to come',
  notReached: 'not reached',
  inProgress: 'in progress',
  reached: 'reached',
  undone: 'undone',
  stopped: 'stopped',
};

function RowRemark({ row }: { readonly row: Row }) {
  const { state, forwardOnly, lines } = row;
  return (
    <>
      <span className="dim">
        {rowWords[state]}
        {forwardOnly && state !== 'reached' && ' · if it fails: retried, never undone'}
      </span>
      {lines.length > 0 && (
        <details>
          <summary>What changes</summary>
          <PlanLines lines={lines} />
        </details>
      )}
    </>
  );
}

const cellWords: Readonly<Record<CellState, readonly [sign: string, word: string]>> = {
  none: ['', 'no work'],
  toCome: ['○', 'to come'],
  notReached: ['–', 'not reached'],
  running: ['◐', 'running'],
  undoing: ['◐', 'is being undone'],
  retrying: ['↻', 'is retried'],
  done: ['✓', 'done'],
  failed: ['✗', 'failed'],
  cancelled: ['■', 'stopped'],
  undone: ['↩', 'undone'],
  kept: ['✓', 'was done before'],
};

interface CellButtonProps {
  readonly cell: Cell;
  /** The how manyth of its waypoint it is. */
  readonly step: number;
  /** `nodes of waypoint 2` */
  readonly where: string;
  readonly on: boolean;
  readonly choose: () => void;
}

function CellButton({ cell, step, where, on, choose }: CellButtonProps) {
  const { state, attempt, seconds, counts = {} } = cell;
  const [sign, word] = cellWords[state];
  if (state === 'none')
    return (
      <span className="cell none">
        <span aria-hidden="true">·</span>
        <span className="hidden">no work</span>
      </span>
    );
  const numbers = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .slice(0, 2)
    .map(([name, count]) => `${count} ${name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`);
  const took = seconds === undefined ? '' : ` · ${lasted(seconds)}`;
  return (
    <button
      type="button"
      className={`cell ${state}`}
      aria-pressed={on}
      onClick={choose}
      title={cell.reasons.join('; ')}
    >
      <span className="cell-state">
        <span className="step" aria-hidden="true">
          {step}
        </span>
        <span className="cell-sign" aria-hidden="true">
          {sign}
        </span>{' '}
        {word}
        {cell.since === undefined ? took : <Since at={cell.since} />}
        {attempt > 1 && ` · try ${attempt}`}
        <span className="hidden">
          {' '}
          ({where}, step {step})
        </span>
      </span>
      {numbers.length > 0 && <span className="dim">{numbers.join(', ')}</span>}
    </button>
  );
}

/** Counts on, second by second. */
function Since({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <>
      {' · '}
      <time dateTime={at} title={`since ${clock(at, now)}`}>
        {span(now - Date.parse(at))}
      </time>
    </>
  );
}
