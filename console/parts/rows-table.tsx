/** A table whose rows become cards in a narrow window, where each cell has the title of its column before it. */
import type { ReactNode } from 'react';

interface Column {
  readonly title: string;
  /** Numbers are at the right. @default false */
  readonly number?: boolean;
  /** It names the row. @default false */
  readonly names?: boolean;
}

interface RowsTableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  /** For those who do not see what is around it. @default none */
  readonly caption?: string;
  readonly className?: string;
}

export function RowsTable({ columns, rows, caption, className = '' }: RowsTableProps) {
  return (
    <div className="scroll">
      <table className={`stack ${className}`}>
        {caption !== undefined && <caption className="hidden">{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ title, number }) => (
              <th key={title} scope="col" className={number ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {columns.map(({ title, number, names }, place) =>
                names ? (
                  <th key={title} scope="row">
                    {cells[place]}
                  </th>
                ) : (
                  <td key={title} className={number ? 'number' : undefined} data-title={title}>
                    {/* One element: what is in a cell stays next to its title. */}
                    {isNothing(cells[place]) ? null : <span>{cells[place]}</span>}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isNothing = (cell: ReactNode): boolean => cell === undefined || cell === null || cell === '' || cell === false;
