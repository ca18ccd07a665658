/** Everything that needs a person: failures with what to do, and what the last checks found. */
import type { Summary } from '../model/fleet.ts';
import { fleetRow } from '../model/fleet.ts';
import { timeAgo } from '../model/times.ts';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { useFleet } from '../queries.ts';
import { hrefOf } from '../routes.ts';

export default function AttentionPage() {
  const fleet = useFleet();
  if (!fleet.data) return fleet.error ? <Trouble error={fleet.error} what="the fleet" /> : <Loading what="the fleet" />;
  const rows = fleet.data.map(fleetRow);
  const failed = rows.filter(({ group }) => group === 'needsYou');
  const drifted = rows.filter(({ group }) => group === 'drifted');
  return (
    <>
      <div className="title">
        <h1>Needs you</h1>
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
          <ul className="plain">
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
    </>
  );
}

function FailedCard({ summary }: { readonly summary: Summary }) {
  const now = useNow(10);
  const { namespace, name, status, clusters, unreadable } = summary;
  const troubled = clusters.filter(
    (cluster) => cluster.failure || ['NeedsAttention', 'RolledBack', 'Degraded'].includes(cluster.status),
  );
  return (
    <section className="card bad" aria-label={`${namespace}/${name}`}>
      <h2 className="card-title">
        <a href={hrefOf(['manifests', namespace, name])} data-row>
          {namespace}/{name}
        </a>{' '}
        <Status of={status} />
      </h2>
      {unreadable !== undefined && <p>{unreadable}</p>}
      {troubled.map((cluster) => (
        <div key={cluster.cluster}>
          <p className="card-title">
            {cluster.name} <Status of={cluster.status} />
            {cluster.failure && (
              <>
                <strong>{cluster.failure.code}</strong> <span className="dim">{timeAgo(cluster.failure.at, now)}</span>
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
