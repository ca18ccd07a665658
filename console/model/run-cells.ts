/** Cells of the tables of a run: which one is chosen, which one a person would want to see, and what happens now. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { type Cell, type CellState, type PlannedStageName, type Row, stageColumns } from './run-rows.ts';

export interface ClusterTable {
  readonly cluster: Pick<ClusterDescription, 'name'>;
  readonly rows: readonly Row[];
}

/** With the name of its cluster. */
export type CellOfCluster = Cell & { readonly cluster: string };

/** In an address: no cell is chosen, although there is one that would be shown. */
export const noCell = 'none';

/** `web.2.kubernetes`: the stage of the second waypoint of web. */
export const cellId = (cluster: string, { number }: Pick<Row, 'number'>, stage: PlannedStageName): string =>
  `${cluster}.${number}.${stage}`;

/** Undefined for what names none. */
export function cellOf(id: string | undefined, tables: readonly ClusterTable[]): CellOfCluster | undefined {
  const [, name, number, stage] = /^(.+)\.(\d+)\.(\w+)$/.exec(id ?? '') ?? [];
  const column = stageColumns.find((one): one is PlannedStageName => one === stage);
  const row = tables.find(({ cluster }) => cluster.name === name)?.rows.find((one) => one.number === Number(number));
  return row && column && name !== undefined ? { ...row.cells[column], cluster: name } : undefined;
}

/** In the order in which they are checked: what failed, then what is done about it, then what runs. */
const wanted: readonly CellState[] = ['failed', 'undone', 'retrying', 'undoing', 'running'];

/** The cell that failed last, or the one that runs; `web`: only of that cluster. Undefined when nothing of either is there. */
export function wantedCell(tables: readonly ClusterTable[], of?: string): string | undefined {
  const cells = tables
    .filter(({ cluster }) => of === undefined || cluster.name === of)
    .flatMap(({ cluster: { name }, rows }) =>
      rows.flatMap((row) =>
        stageColumns.map((stage) => ({ id: cellId(name, row, stage), state: row.cells[stage].state })),
      ),
    );
  for (const state of wanted) {
    const found = cells.findLast((one) => one.state === state);
    if (found) return found.id;
  }
  return undefined;
}

const said: Partial<Readonly<Record<CellState, string>>> = {
  running: 'runs',
  undoing: 'is being undone',
  retrying: 'is retried',
  failed: 'failed',
};

/** `web: nodes of waypoint 2 runs`: what happens now, or went wrong, for who does not see the table. */
export function stagesNow(tables: readonly ClusterTable[]): string {
  return tables
    .flatMap(({ cluster: { name }, rows }) =>
      rows.flatMap(({ number, cells }) =>
        stageColumns.flatMap((stage) => {
          const word = said[cells[stage].state];
          return word === undefined ? [] : [`${name}: ${stage} of waypoint ${number} ${word}`];
        }),
      ),
    )
    .join(', ');
}
