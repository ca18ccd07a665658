/** One manifest: what it is now, and its views. */
import { lazy, type ReactNode, Suspense } from 'react';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { ProblemAnswer } from '../api.ts';
import type { Name } from '../model/commands.ts';
import { Bar } from '../parts/bar.tsx';
import { Empty, Loading, Trouble, Updated } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Verbs } from '../parts/verbs.tsx';
import { useLive, useRuns } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { RunTab } from './run.tsx';

const NodesTab = lazy(() => import('./nodes.tsx'));
const EventsTab = lazy(() => import('./events.tsx'));
const PlanTab = lazy(() => import('./plan.tsx'));
const HistoryTab = lazy(() => import('./history.tsx'));
const DriftTab = lazy(() => import('./drift.tsx'));

const tabs = {
  run: 'Run',
  nodes: 'Nodes',
  events: 'Events',
  plan: 'Plan',
  drift: 'Drift',
  history: 'History',
} as const;

interface ManifestPageProps {
  readonly of: Name;
  readonly tab: string;
  readonly chosen: Readonly<Record<string, string>>;
}

export function ManifestPage({ of, tab, chosen }: ManifestPageProps) {
  const first = useRuns(of, undefined);
  const wanted = chosen.run ?? first.data?.items[0]?.runId;
  const shown = first.data?.items.find(({ runId }) => runId === wanted);
  // Events are shown from the start of the run on; of one that is not on the first page, from the oldest on.
  const since = first.data === undefined ? undefined : (shown ?? first.data.items.at(-1))?.queuedAt;
  const live = useLive(of, since ?? (first.data && '1970-01-01T00:00:00.000Z'));
  const error = live.error ?? first.error;
  // Also one that was there a moment ago.
  if (error instanceof ProblemAnswer && error.problem.status === 404) return <Missing of={of} />;
  if (!live.data) {
    return error ? <Trouble error={error} what={of.name} /> : <Loading what={of.name} />;
  }
  const { manifest, events } = live.data;
  const place = ['manifests', of.namespace, of.name];
  return (
    <>
      <nav className="crumbs" aria-label="Where you are">
        <a href={hrefOf([])}>Fleet</a> <span aria-hidden="true">›</span>{' '}
        <a href={hrefOf([], { namespace: of.namespace })}>{of.namespace}</a> <span aria-hidden="true">›</span>
      </nav>
      <div className="title">
        <h1>{of.name}</h1>
        <Status of={manifest.status} paused={manifest.paused} />
        {manifest.status === 'Running' && manifest.progress && <Bar percent={manifest.progress.percent} />}
        <span className="dim">
          generation {manifest.generation}, attempt {manifest.attempt}
        </span>
        {manifest.simulated.length > 0 && <span className="tag">simulated: {manifest.simulated.join(', ')}</span>}
        <Updated at={live.dataUpdatedAt} error={live.error} />
      </div>
      {manifest.unreadable !== undefined && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {manifest.unreadable}
        </p>
      )}
      <Verbs of={of} manifest={manifest} />
      <nav className="tabs" aria-label="Views">
        {Object.entries(tabs).map(([id, title]) => (
          <a key={id} href={hrefOf([...place, id])} aria-current={tab === id ? 'page' : undefined}>
            {title}
            {badgeOf(id, manifest)}
          </a>
        ))}
      </nav>
      <Suspense fallback={<Loading what="the view" />}>
        {tab === 'run' && <RunTab of={of} manifest={manifest} events={events} chosen={chosen} />}
        {tab === 'nodes' && <NodesTab of={of} manifest={manifest} chosen={chosen} />}
        {tab === 'events' && <EventsTab of={of} manifest={manifest} chosen={chosen} />}
        {tab === 'plan' && <PlanTab of={of} manifest={manifest} chosen={chosen} />}
        {tab === 'drift' && <DriftTab of={of} manifest={manifest} chosen={chosen} />}
        {tab === 'history' && <HistoryTab of={of} manifest={manifest} chosen={chosen} />}
      </Suspense>
    </>
  );
}

function badgeOf(tab: string, { clusters }: ManifestDescription): ReactNode {
  const count =
    tab === 'nodes'
      ? clusters.reduce((sum, { nodes }) => sum + nodes.length, 0)
      : tab === 'drift'
        ? clusters.reduce((sum, { drift }) => sum + (drift?.items.length ?? 0), 0)
        : 0;
  return count === 0 ? null : <span className="count"> {count}</span>;
}

function Missing({ of }: { readonly of: Name }) {
  return (
    <Empty page title={`There is no manifest ${of.namespace}/${of.name}`}>
      <p>It was deleted, or there never was one of this name.</p>
      <a href={hrefOf([])}>Back to the fleet</a>
    </Empty>
  );
}
