/** The three lines of a failure: what failed where, the cause, what to do. */
import type { FailureReport } from '#contracts/failure-report.ts';
import { failureInLines } from '../model/failure-in-lines.ts';

interface ThreeLinesProps {
  readonly of: Parameters<typeof failureInLines>[0] & Pick<FailureReport, 'at'>;
  /** What the class means, for people. */
  readonly kind: string;
  /** How long ago it was. */
  readonly ago: string;
}

export function ThreeLines({ of, kind, ago }: ThreeLinesProps) {
  const { what, cause, todo } = failureInLines(of);
  return (
    <>
      <p className="card-title">
        <span aria-hidden="true">✗</span> <strong>{what}</strong>
        <span className="dim">{kind}</span>
        <time className="dim" dateTime={of.at}>
          {ago}
        </time>
      </p>
      <pre className="cause">{cause}</pre>
      <dl>
        <div>
          <dt>What to do</dt>
          <dd>{todo}</dd>
        </div>
      </dl>
    </>
  );
}
