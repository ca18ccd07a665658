/** A failure: the cause in the tool's words, what was done about it, and what to do. */
import type { FailureReport, ManifestDescription } from '#contracts/api-bodies.ts';
import type { Name } from '../model/commands.ts';
import { failureClasses } from '../model/failure-classes.ts';
import { clock, timeAgo } from '../model/times.ts';
import { CopyCommand } from './copy-command.tsx';
import { useNow } from './states.tsx';

interface FailureCardProps {
  readonly of: Name;
  readonly manifest: Pick<ManifestDescription, 'retryAt'>;
  readonly failure: FailureReport;
}

export function FailureCard({ manifest, failure }: FailureCardProps) {
  const now = useNow();
  const { code, class: kind, message, hint, outcome, resource, stage, at, logCommand } = failure;
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
      {logCommand !== undefined && <CopyCommand command={logCommand} />}
    </section>
  );
}
