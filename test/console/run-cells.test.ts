/** Cells of the tables of a run: by their ids in addresses, and the one that a person would want to see. */
import { describe, expect, it } from 'vitest';
import { type ClusterTable, cellOf, stagesNow, wantedCell } from '../../console/model/run-cells.ts';
import { type CellState, type Row, stageColumns } from '../../console/model/run-rows.ts';

/** A waypoint whose stages have these states, in the order of the columns; the others have no work. */
function row(number: number, ...states: CellState[]): Row {
  const cells = stageColumns.map((stage, at) => [
    stage,
    { stage, state: states[at] ?? 'none', attempt: 1, reasons: [] },
  ]);
  return { number, cells: Object.fromEntries(cells) } as unknown as Row;
}
const table = (name: string, ...rows: Row[]): ClusterTable => ({ cluster: { name }, rows });

describe('cells of a run', () => {
  it('a cell is named by its cluster, which may have dots, its waypoint and its stage', () => {
    const tables = [table('web.eu', row(1, 'done'), row(2, 'done', 'running'))];
    expect(cellOf('web.eu.2.configuration', tables)).toMatchObject({ cluster: 'web.eu', state: 'running' });
    for (const id of [undefined, '', 'none', 'web.eu.3.nodes', 'web.eu.2.coffee', 'other.1.nodes'])
      expect(cellOf(id, tables)).toBeUndefined();
  });

  it('the cell that a person wants to see failed last; what is undone or runs comes after it', () => {
    expect(wantedCell([table('web', row(1, 'done'), row(2, 'toCome'))])).toBeUndefined();
    expect(wantedCell([table('web', row(1, 'done', 'running'))])).toBe('web.1.configuration');
    expect(wantedCell([table('web', row(1, 'undone', 'failed'), row(2, 'notReached'))])).toBe('web.1.configuration');
    const both = [table('one', row(1, 'failed')), table('two', row(1, 'running'))];
    expect(wantedCell(both)).toBe('one.1.infrastructure');
    expect(wantedCell(both, 'two')).toBe('two.1.infrastructure');
  });

  it('the text about a run names each stage that runs, is undone, is retried or failed', () => {
    const tables = [table('one', row(1, 'done', 'retrying')), table('two', row(2, 'running'), row(3, 'toCome'))];
    expect(stagesNow(tables)).toBe(
      'one: configuration of waypoint 1 is retried, two: infrastructure of waypoint 2 runs',
    );
    expect(stagesNow([])).toBe('');
  });
});
