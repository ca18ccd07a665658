/** What a waypoint changes, each line with its sign. */
import type { Row } from '../model/run-table.ts';

const classes = { '+': 'plus', '-': 'minus', '~': 'change', '=': 'dim', '·': '' } as const;

export function PlanLines({ lines }: Pick<Row, 'lines'>) {
  return (
    <ul className="lines">
      {lines.map(({ mark, text }) => (
        <li key={text} className={classes[mark]}>
          <span className="mark-sign">{mark}</span> {text}
        </li>
      ))}
    </ul>
  );
}
