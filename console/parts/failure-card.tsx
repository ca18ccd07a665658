/** A failure in its three lines, what was done about it, and where it leads. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { FailureReport } from '#contracts/failure-report.ts';
import type { Name } from '../model/commands.ts';
import { failureClasses } from '../model/failure-classes.ts';
import { may } from '../model/rights.ts';
import { clock, timeAgo } from '../model/times.ts';
import { useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { CopyCommand } from './copy-command.tsx';
import { useNow } from './states.tsx';
import { ThreeLines } from './three-lines.tsx';
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
  const { class: kind, outcome, stage, at, logCommand, logPath, runId } = failure;
  const place = ['manifests', of.namespace, of.name];
  return (
    <section className="card bad" aria-label="Failure">
      <ThreeLines of={failure} kind={failureClasses[kind]} ago={timeAgo(at, now)} />
      <dl>
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
