/** Everything that needs a person: failures with what to do, and what the last checks found. */
import { commands } from '../model/commands.ts';
import { failureClasses } from '../model/failure-classes.ts';
import type { Summary } from '../model/fleet.ts';
import { fleetRow } from '../model/fleet.ts';
import { may } from '../model/rights.ts';
import { timeAgo } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Verbs } from '../parts/verbs.tsx';
import { useFleet, useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';

const inNeed = { search: '', state: 'attention,drifted', namespace: '' };
/** More cards than a person reads. */
const most = 200;

export default function AttentionPage() {
  const fleet = useFleet(inNeed, most);
  if (!fleet.data) return fleet.error ? <Trouble error={fleet.error} what="the fleet" /> : <Loading what="the fleet" />;
  const rows = fleet.data.items.map(fleetRow);
  const failed = rows.filter(({ state }) => state === 'attention');
  const drifted = rows.filter(({ state }) => state === 'drifted');
  const more = (fleet.data.counts?.fitting ?? rows.length) - rows.length;
  return (
    <>
      <div className="title">
        <h1>Needs you</h1>
        <CopyCommand command={commands.fleet(inNeed)} />
        <Updated at={fleet.dataUpdatedAt} error={fleet.error} />
      </div>
      {failed.length === 0 && (
        <Empty title="Nothing needs you">
          <p>Every manifest is as desired, or Kubeloom is at work on it.</p>
        </Empty>
      )}
      {failed.map(({ key, summary }) => (
        <FailedCard key={key} summary={summary} />
      ))}
      {drifted.length > 0 && (
        <section aria-labelledby="drifted-title">
          <h2 id="drifted-title">Drifted</h2>
          <ul className="plain rows">
            {drifted.map(({ key, summary, remark }) => (
              <li key={key}>
                <a href={hrefOf(['manifests', summary.namespace, summary.name, 'drift'])} data-row>
                  {key}
                </a>{' '}
                {remark}
              </li>
            ))}
          </ul>
        </section>
      )}
      {more > 0 && (
        <p>
          <a href={hrefOf([], { state: failed.length < rows.length ? 'drifted' : 'attention' })}>
            {more} more in the fleet
          </a>
        </p>
      )}
    </>
  );
}

function FailedCard({ summary }: { readonly summary: Summary }) {
  const now = useNow(10);
  const me = useWhoAmI();
  const { namespace, name, status, clusters, unreadable } = summary;
  const place = ['manifests', namespace, name];
  const troubled = clusters.filter(
    (cluster) => cluster.failure || ['NeedsAttention', 'RolledBack', 'Degraded'].includes(cluster.status),
  );
  return (
    <section className="card bad attention-card" aria-label={`${namespace}/${name}`}>
      <h2 className="card-title">
        <a href={hrefOf(place)} data-row>
          {namespace}/{name}
        </a>{' '}
        <Status of={status} />
      </h2>
      <div className="ways">
        <Verbs of={summary} manifest={summary} brief />
        <a href={hrefOf([...place, 'run'])}>Run and its logs</a>
        {may(me.data, 'operator', namespace) && unreadable === undefined && (
          <a href={hrefOf([...place, 'plan'], { goal: 'rollback' })}>Roll back</a>
        )}
        <CopyCommand command={commands.describe(summary)} />
      </div>
      {unreadable !== undefined && <p>{unreadable}</p>}
      {troubled.map((cluster) => (
        <div key={cluster.cluster}>
          <p className="card-title">
            {cluster.name} <Status of={cluster.status} />
            {cluster.failure && (
              <>
                <strong>{cluster.failure.code}</strong>
                <span className="dim">
                  {cluster.failure.class}: {failureClasses[cluster.failure.class]} · {timeAgo(cluster.failure.at, now)}
                </span>
              </>
            )}
          </p>
          {cluster.failure && (
            <>
              <pre className="cause">{cluster.failure.message}</pre>
              <p>
                <strong>What to do:</strong> {cluster.failure.hint}
              </p>
            </>
          )}
        </div>
      ))}
    </section>
  );
}
