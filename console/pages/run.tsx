/** A run as it happens: waypoints and stages, what went wrong, events, and the log of a stage. */
import { useMemo } from 'react';
import type { ClusterDescription, ShownEvent } from '#contracts/api-bodies.ts';
import { commands } from '../model/commands.ts';
import { type CellOfCluster, cellOf, noCell, stagesNow, wantedCell } from '../model/run-cells.ts';
import { type Row, runTable } from '../model/run-rows.ts';
import { runTitle, storedBy } from '../model/run-title.ts';
import type { TabProps } from '../model/tab.ts';
import { lasted, timeAgo } from '../model/times.ts';
import { useAnnounced } from '../parts/announce.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { EventList } from '../parts/event-list.tsx';
import { FailureCard } from '../parts/failure-card.tsx';
import { LogView } from '../parts/log-view.tsx';
import { RunTable } from '../parts/run-table.tsx';
import { Empty, Loading, Trouble, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { type RunRow, useGenerations, useRunPlan, useRuns } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';

interface RunTabProps extends TabProps {
  /** Undefined while those of the chosen run are asked for. */
  readonly events: readonly ShownEvent[] | undefined;
  /** The chosen run, where it is not among the newest. */
  readonly older: RunRow | undefined;
  /** Why there is no such run. */
  readonly missing: unknown;
}

const none: readonly ShownEvent[] = [];

export function RunTab({ of, manifest, events = none, older, missing, chosen }: RunTabProps) {
  const generations = useGenerations(of, manifest.generation);
  const runs = useRuns(of, `${manifest.runId} ${manifest.lastRun?.status}`);
  const runId = chosen.run ?? manifest.lastRun?.runId ?? manifest.runId;
  const run =
    [manifest.lastRun, older].find((one) => one?.runId === runId) ??
    runs.data?.items.find((one) => one.runId === runId);
  const ofRun = useMemo(() => events.filter((event) => event.runId === runId), [events, runId]);
  const starts = ofRun.filter(({ kind }) => kind === 'WaypointStarted').length;
  const plan = useRunPlan(of, runId, starts);
  const active = run?.status === 'Running' || run?.status === 'Queued';
  const place = ['manifests', of.namespace, of.name, 'run'];
  const choose = (change: Readonly<Record<string, string | undefined>>) =>
    go(hrefOf(place, { run: chosen.run, ...chosen, ...change }), { replace: true });
  const tables = shownClusters(manifest.clusters, ofRun).map((cluster) => {
    const planned = plan.data?.clusters.find((one) => one.cluster === cluster.name);
    const current = active && manifest.runId === runId;
    return { cluster, rows: runTable({ cluster, runId, active: current, events: ofRun, plan: planned }) };
  });
  // What failed, or runs, is what one came for: its log is open unless something else is chosen.
  const shown = chosen.cell ?? wantedCell(tables);
  const open = cellOf(shown, tables);
  useAnnounced(of.name, events === none || plan.isLoading ? undefined : active ? stagesNow(tables) : '');
  return (
    <>
      <RunHead
        run={run}
        runs={runs.data?.items ?? []}
        generations={generations.data?.items ?? []}
        by={ofRun.find(({ by }) => by !== undefined)?.by}
        choose={(id) => choose({ run: id, cell: undefined })}
      />
      {missing && !run ? <Trouble error={missing} what={`run ${runId}`} /> : null}
      {runs.error ? <Trouble error={runs.error} what="the list of runs" /> : null}
      {plan.error ? <Trouble error={plan.error} what="the plan of this run" /> : null}
      {events === none && <Loading what="events of this run" />}
      {events !== none && run && tables.every(({ rows }) => rows.length === 0) && ofRun.length === 0 && (
        <Empty title={active ? 'The run has not started any work yet' : 'Of this run nothing is kept'}>
          <p>{active ? 'Its waypoints appear here as soon as they are planned.' : 'Events are kept for 90 days.'}</p>
        </Empty>
      )}
      {tables.map((table) => (
        <ClusterOfRun
          key={table.cluster.name}
          {...{ of, manifest, runId, active, table }}
          failed={wantedCell(tables, table.cluster.name)}
          selected={open?.cluster === table.cluster.name ? shown : undefined}
          choose={(cell) => choose({ cell: cell ?? noCell })}
        />
      ))}
      <div className="beneath">
        <section aria-labelledby="events-title">
          <h2 id="events-title">
            Events <span className="count">{ofRun.length}</span> <CopyCommand command={commands.events(of)} />
          </h2>
          <EventList events={ofRun} of={of} start={run?.queuedAt} follow={active} />
        </section>
        {open && <LogOfCell id={shown} {...{ of, run, runId, active, open }} close={() => choose({ cell: noCell })} />}
      </div>
    </>
  );
}

interface ClusterOfRunProps extends Pick<TabProps, 'of' | 'manifest'> {
  readonly runId: string;
  readonly active: boolean;
  readonly table: { readonly cluster: ShownCluster; readonly rows: readonly Row[] };
  /** Id of the cell that failed, if one did. */
  readonly failed: string | undefined;
  readonly selected: string | undefined;
  readonly choose: (cell: string | undefined) => void;
}

function ClusterOfRun({ of, manifest, runId, active, table, failed, ...selection }: ClusterOfRunProps) {
  const { cluster, rows } = table;
  return (
    <section aria-labelledby={`cluster-${cluster.name}`}>
      <h2 id={`cluster-${cluster.name}`} className="cluster-title">
        {cluster.name} <Status of={cluster.status} />
        {cluster.kubernetesVersion !== null && <span className="dim">Kubernetes {cluster.kubernetesVersion}</span>}
        {cluster.nodes.length > 0 && <span className="dim">{cluster.nodes.length} nodes</span>}
      </h2>
      {cluster.failure?.runId === runId && (
        <FailureCard
          of={of}
          manifest={manifest}
          failure={cluster.failure}
          current={manifest.runId === runId}
          cell={failed}
        />
      )}
      {cluster.heldPools.map(({ pool, reason, lines }) => (
        <p key={pool} className="notice warn lines">
          <span aria-hidden="true">!</span>{' '}
          {lines ? [lines.what, lines.cause, lines.todo].join('\n') : `pool ${pool} could not be created: ${reason}`}
        </p>
      ))}
      {rows.length > 0 ? (
        <RunTable cluster={cluster.name} rows={rows} {...selection} />
      ) : (
        <p className="dim">{active ? 'No waypoint was started yet.' : 'Nothing had to be done.'}</p>
      )}
    </section>
  );
}

interface LogOfCellProps extends Pick<TabProps, 'of'> {
  readonly run: RunRow | undefined;
  readonly runId: string;
  readonly active: boolean;
  readonly id: string | undefined;
  readonly open: CellOfCluster;
  readonly close: () => void;
}

function LogOfCell({ of, run, runId, active, id, open, close }: LogOfCellProps) {
  const { stage, attempt, cluster, reasons, log, state } = open;
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">
        Log of {stage}, try {attempt}
        {run && <CopyCommand command={commands.log(run.runId, of.namespace, stage, cluster)} />}
        <button type="button" className="quiet" onClick={close}>
          Close
        </button>
      </h2>
      {reasons.length > 0 && <p className="dim">Because {reasons.join('; ')}</p>}
      {log ? (
        <LogView key={`${runId} ${id} ${attempt}`} at={{ ...of, run: runId, cluster, stage, ...log }} active={active} />
      ) : (
        <p className="dim">
          {state === 'kept'
            ? 'It was done before, in an earlier try or run: that one has the log.'
            : active
              ? 'It has not started: there is no log yet.'
              : 'It was not started in this run: there is no log.'}
        </p>
      )}
    </section>
  );
}

interface RunHeadProps {
  readonly run: RunRow | undefined;
  readonly runs: readonly RunRow[];
  readonly generations: Parameters<typeof storedBy>[1];
  /** Who asked for the run, where its events say so. */
  readonly by: string | undefined;
  readonly choose: (id: string) => void;
}

function RunHead({ run, runs, generations, by, choose }: RunHeadProps) {
  const now = useNow(60);
  if (!run && runs.length === 0) return null;
  const listed = run && !runs.some(({ runId }) => runId === run.runId) ? [...runs, run] : runs;
  return (
    <div className="run-head">
      <label>
        Run{' '}
        <select value={run?.runId ?? ''} onChange={(event) => choose(event.target.value)}>
          {!run && <option value="">choose one</option>}
          {listed.map((one) => (
            <option key={one.runId} value={one.runId}>
              {runTitle(one, (one === run ? by : undefined) ?? storedBy(one, generations), now)}
            </option>
          ))}
        </select>
      </label>
      {run && <RunRemark run={run} />}
    </div>
  );
}

function RunRemark({ run }: { readonly run: RunRow }) {
  const { startedAt = run.queuedAt, endedAt } = run;
  const now = useNow(endedAt === undefined ? 1 : 10);
  const ends = endedAt === undefined ? now : Date.parse(endedAt);
  return (
    <>
      <Status of={run.status} />
      <span className="dim">
        {endedAt === undefined ? 'for' : 'took'} {lasted((ends - Date.parse(startedAt)) / 1000)}
        {endedAt !== undefined && `, ended ${timeAgo(endedAt, now)}`}
        {run.plan?.approvedBy !== undefined && `; plan approved by ${run.plan.approvedBy}`} · <code>{run.runId}</code>
      </span>
    </>
  );
}

/** What the page shows of a cluster; of one that is deleted, only the events know. */
type ShownCluster = Pick<
  ClusterDescription,
  'name' | 'kubernetesVersion' | 'progress' | 'nodes' | 'failure' | 'heldPools'
> & { readonly status: ClusterDescription['status'] | 'Deleted' };

/** Those that exist, and those that only the events still know. */
function shownClusters(
  clusters: readonly ClusterDescription[],
  events: readonly ShownEvent[],
): readonly ShownCluster[] {
  const known = new Set(clusters.map(({ name }) => name));
  const gone = new Set(events.flatMap(({ cluster }) => (cluster === undefined || known.has(cluster) ? [] : [cluster])));
  const nothing = { kubernetesVersion: null, progress: null, nodes: [], failure: null, heldPools: [] };
  return [...clusters, ...[...gone].map((name) => ({ name, status: 'Deleted' as const, ...nothing }))];
}
