/** What a waypoint changes, each line with its sign. */
import { keyed } from '../model/keyed.ts';
import type { Row } from '../model/run-rows.ts';

const classes = { '+': 'plus', '-': 'minus', '~': 'change', '=': 'dim', '·': '' } as const;

export function PlanLines({ lines }: Pick<Row, 'lines'>) {
  return (
    <ul className="lines">
      {keyed(lines, ({ text }) => text).map(([key, { mark, text }]) => (
        <li key={key} className={classes[mark]}>
          <span className="mark-sign">{mark}</span> {text}
        </li>
      ))}
    </ul>
  );
}
