/** One manifest: what it is now, and its views. */
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { RequestRefused } from '../api.ts';
import type { Name } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { startOfSpan } from '../model/times.ts';
import { useAnnounced } from '../parts/announce.tsx';
import { Bar } from '../parts/bar.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { Empty, Loading, Trouble, Updated } from '../parts/states.tsx';
import { Status, statusWord } from '../parts/status.tsx';
import { Verbs } from '../parts/verbs.tsx';
import { requestsOfPlanTab, useLive, useOldRun, useProposedPlans, useRuns } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { RunTab } from './run.tsx';

const NodesTab = lazy(() => import('./nodes.tsx'));
const TopologyTab = lazy(() => import('./topology.tsx'));
const EventsTab = lazy(() => import('./events.tsx'));
const PlanTab = lazy(() => import('./plan.tsx'));
const HistoryTab = lazy(() => import('./history.tsx'));
const DriftTab = lazy(() => import('./drift.tsx'));
const ProposedManifest = lazy(() => import('./proposed-manifest.tsx'));

const tabs = {
  run: 'Run',
  topology: 'Topology',
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

export function ManifestViews({ of, tab, chosen }: ManifestPageProps) {
  const first = useRuns(of, undefined);
  const wanted = chosen.run ?? first.data?.items[0]?.runId;
  const newest = first.data?.items.find(({ runId }) => runId === wanted);
  const older = useOldRun(of, first.data && !newest ? wanted : undefined);
  const shown = newest ?? older.data;
  // Events are shown from the start of the run on; if no run has that name, from the start of the newest run.
  const settled = first.data !== undefined && (shown !== undefined || wanted === undefined || older.error !== null);
  const since = shown?.queuedAt ?? first.data?.items[0]?.queuedAt ?? '1970-01-01T00:00:00.000Z';
  const from = useSpan(chosen.from, tab === 'events');
  const live = useLive(of, settled ? (from ?? since) : undefined, tab === 'plan' ? requestsOfPlanTab : 1);
  useAnnounced(of.name, live.data && statusWord(live.data.manifest));
  const error = live.error ?? first.error;
  // Also one that was there a moment ago.
  if (error instanceof RequestRefused && error.problem.status === 404)
    return <NotStored of={of} shown={tab === 'plan' ? chosen.plan : undefined} />;
  if (!live.data) {
    return error ? <Trouble error={error} what={of.name} /> : <Loading what={of.name} />;
  }
  const { manifest } = live.data;
  const shownEvents = live.isPlaceholderData ? undefined : live.data.events;
  const place = ['manifests', of.namespace, of.name];
  return (
    <>
      <Head of={of} manifest={manifest} live={live} />
      {manifest.unreadable !== undefined && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {manifest.unreadable}
        </p>
      )}
      {manifest.behind && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> Behind its templates:{' '}
          {manifest.behind.map(({ change, because }) => [change, because].filter(Boolean).join(': ')).join('; ')}.{' '}
          <a href={hrefOf([...place, 'plan'])}>What using them changes</a>
        </p>
      )}
      <nav className="tabs" aria-label="Views">
        {Object.entries(tabs).map(([id, title]) => (
          <a key={id} href={hrefOf([...place, id])} aria-current={tab === id ? 'page' : undefined}>
            {title}
            {badgeOf(id, manifest)}
          </a>
        ))}
      </nav>
      <Boundary place={tab}>
        <Suspense fallback={<Loading what="the view" />}>
          {tab === 'run' && (
            <RunTab {...{ of, manifest, chosen }} events={shownEvents} older={older.data} missing={older.error} />
          )}
          {tab === 'topology' && <TopologyTab of={of} manifest={manifest} chosen={chosen} />}
          {tab === 'nodes' && <NodesTab of={of} manifest={manifest} chosen={chosen} />}
          {tab === 'events' && <EventsTab {...{ of, chosen }} events={shownEvents} />}
          {tab === 'plan' && <PlanTab of={of} manifest={manifest} chosen={chosen} />}
          {tab === 'drift' && <DriftTab of={of} manifest={manifest} chosen={chosen} />}
          {tab === 'history' && <HistoryTab of={of} manifest={manifest} chosen={chosen} />}
          {!Object.hasOwn(tabs, tab) && (
            <Empty title="There is no such view">
              <a href={hrefOf(place)}>The run of {of.name}</a>
            </Empty>
          )}
        </Suspense>
      </Boundary>
    </>
  );
}

interface HeadProps {
  readonly of: Name;
  readonly manifest: ManifestDescription;
  readonly live: Pick<ReturnType<typeof useLive>, 'dataUpdatedAt' | 'error'>;
}

function Head({ of, manifest, live }: HeadProps) {
  return (
    <div className="title head">
      <nav className="crumbs" aria-label="Where you are">
        <a href={hrefOf([])}>Fleet</a> <span aria-hidden="true">›</span>{' '}
        <a href={hrefOf([], { namespace: of.namespace })}>{of.namespace}</a> <span aria-hidden="true">›</span>
      </nav>
      <h1>{of.name}</h1>
      <Status of={manifest.status} paused={manifest.paused} cancelling={manifest.cancelling} />
      {manifest.status === 'Running' && manifest.progress && <Bar percent={manifest.progress.percent} />}
      <span className="dim">
        generation {manifest.generation}, attempt {manifest.attempt}
        {manifest.simulated.length > 0 && ` · simulated: ${manifest.simulated.join(', ')}`}
      </span>
      {manifest.proposed && (
        <a
          className="sign warn"
          href={hrefOf(['manifests', of.namespace, of.name, 'plan'], { plan: manifest.proposed[0]?.id })}
        >
          <span aria-hidden="true">!</span> {countOf(manifest.proposed.length, 'plan waits', 'plans wait')} for an
          approval
        </a>
      )}
      <Verbs of={of} manifest={manifest} />
      <Updated at={live.dataUpdatedAt} error={live.error} />
    </div>
  );
}

/** Where a choice of time begins; undefined without one. It stays where it was when it was chosen. */
function useSpan(chosen: string | undefined, on: boolean): string | undefined {
  return useMemo(() => (on && chosen !== undefined ? startOfSpan(chosen, Date.now()) : undefined), [chosen, on]);
}

function badgeOf(tab: string, { clusters, proposed = [] }: ManifestDescription): ReactNode {
  const count =
    tab === 'nodes'
      ? clusters.reduce((sum, { nodes }) => sum + nodes.length, 0)
      : tab === 'drift'
        ? clusters.reduce((sum, { drift }) => sum + (drift?.items.length ?? 0), 0)
        : tab === 'plan'
          ? proposed.length
          : 0;
  return count === 0 ? null : <span className="count"> {count}</span>;
}

/** It may be only proposed. `shown`: the plan that the address names, which may have been decided about meanwhile. */
function NotStored({ of, shown }: { readonly of: Name; readonly shown: string | undefined }) {
  const plans = useProposedPlans(of);
  const waiting = plans.data?.items.find(({ state }) => state === 'Proposed');
  const plan = shown ?? waiting?.id;
  if (plan === undefined) return plans.isPending ? <Loading what={of.name} /> : <Missing of={of} />;
  return (
    <Suspense fallback={<Loading what="the plan" />}>
      <ProposedManifest of={of} shown={plan} />
    </Suspense>
  );
}

function Missing({ of }: { readonly of: Name }) {
  return (
    <Empty page title={`There is no manifest ${of.namespace}/${of.name}`}>
      <p>It was deleted, or there never was one of this name.</p>
      <a href={hrefOf([])}>Back to the fleet</a>
    </Empty>
  );
}
