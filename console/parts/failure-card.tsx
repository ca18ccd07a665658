/** A failure: the cause in the tool's words, what was done about it, and what to do. */
import type { FailureReport, ManifestDescription } from '#contracts/api-bodies.ts';
import type { Name } from '../model/commands.ts';
import { failureClasses } from '../model/failure-classes.ts';
import { may } from '../model/rights.ts';
import { clock, timeAgo } from '../model/times.ts';
import { useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { CopyCommand } from './copy-command.tsx';
import { useNow } from './states.tsx';
import { Verbs } from './verbs.tsx';

interface FailureCardProps {
  readonly of: Name;
  readonly manifest: Pick<
    ManifestDescription,
    'retryAt' | 'status' | 'paused' | 'deleting' | 'cancelling' | 'clusters' | 'unreadable'
  >;
  readonly failure: FailureReport;
  /** Whether the run that failed is the present one: only then there is something to do about it. */
  readonly current: boolean;
  /** The cell of the run with the log; undefined if no cell has one. */
  readonly cell: string | undefined;
}

export function FailureCard({ of, manifest, failure, current, cell }: FailureCardProps) {
  const now = useNow();
  const me = useWhoAmI();
  const { code, class: kind, message, hint, outcome, resource, stage, at, logCommand, logPath, runId } = failure;
  const place = ['manifests', of.namespace, of.name];
  return (
    <section className="card bad" aria-label="Failure">
      <p className="card-title">
        <span aria-hidden="true">✗</span> <strong>{code}</strong>
        <span className="dim">
          {kind}: {failureClasses[kind]}
        </span>
        {stage !== undefined && <span className="dim">in {stage}</span>}
        {resource !== undefined && <code>{resource}</code>}
        <time className="dim" dateTime={at}>
          {timeAgo(at, now)}
        </time>
      </p>
      <pre className="cause">{message}</pre>
      <dl>
        <div>
          <dt>What to do</dt>
          <dd>{hint}</dd>
        </div>
        <div>
          <dt>What was done</dt>
          <dd>
            {outcome}
            {manifest.retryAt !== undefined && ` It is retried automatically at ${clock(manifest.retryAt, now)}.`}
          </dd>
        </div>
      </dl>
      <div className="ways">
        {current && <Verbs of={of} manifest={manifest} brief />}
        {logPath !== undefined && cell !== undefined && (
          <a href={hrefOf([...place, 'run'], { run: runId, cell })}>The log of {stage ?? 'this stage'}</a>
        )}
        {current && may(me.data, 'operator', of.namespace) && (
          <a href={hrefOf([...place, 'plan'], { goal: 'rollback' })}>Roll back</a>
        )}
        {logCommand !== undefined && <CopyCommand command={logCommand} />}
      </div>
    </section>
  );
}
