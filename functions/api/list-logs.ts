/** GET …/runs/{run}/logs: the logs that the stages of a run left, in the order of waypoints and stages. */
import type { LogList } from '#contracts/api-bodies.ts';
import { RunPath } from '#contracts/http-parameters.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { RunnerStage } from '#domain/plan.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedRun } from './stored-run.ts';
import { attemptOfPrefix, logPath, runPrefix } from './views/api-paths.ts';

const logName = waypointKeys.log('');

export const handler = httpHandler({ access: viewer, path: RunPath }, async ({ path }, deps) => {
  const artifacts = await deps.artifacts.list(runPrefix(path, path.run));
  if (artifacts.length === 0) await storedRun(deps, path);
  const keys = new Set(artifacts.map((artifact) => artifact.key));
  const items = artifacts.flatMap(({ key, size }) => {
    const prefix = key.endsWith(logName) ? key.slice(0, -logName.length) : '';
    const at = attemptOfPrefix(prefix);
    if (!at) return [];
    const { waypoint, stage, mode, attempt } = at;
    const cluster = nameOfCluster(at.cluster);
    const ended = keys.has(waypointKeys.result(prefix));
    return [{ cluster, waypoint, stage, mode, attempt, size, ended, path: logPath({ ...at, cluster }) }];
  });
  return { status: 200, json: { items: items.sort(inOrder) } satisfies LogList };
});

/** By cluster and waypoint; within it what was done before what was undone, each stage after the one before it. */
function inOrder(left: LogList['items'][number], right: LogList['items'][number]): number {
  const place = (log: typeof left): string =>
    [
      log.cluster,
      log.waypoint,
      log.mode,
      RunnerStage.options.indexOf(log.stage),
      String(log.attempt).padStart(4, '0'),
    ].join(' ');
  return place(left) < place(right) ? -1 : 1;
}
