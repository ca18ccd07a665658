/** GET …/runs/{run}/plan: the way of each cluster, from what its waypoints left when they started. */
import { operations } from '#contracts/operations/operations.ts';
import { PlannedPath, type RunPlan } from '#contracts/run-plan.ts';
import { waypointKeys, waypointOf } from '#contracts/stage.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { readDocument } from '../pipeline/records/known-facts.ts';
import { handle } from './http/handle.ts';
import { storedRun } from './runs.ts';
import { runPrefix } from './views/api-paths.ts';

type Way = RunPlan['clusters'][number]['waypoints'];

export const getRunPlan = handle(operations.getRunPlan, async ({ path }, deps) => {
  const prefix = runPrefix(path, path.run);
  const ending = waypointKeys.path('');
  const artifacts = await deps.artifacts.list(prefix);
  if (artifacts.length === 0) await storedRun(deps, path);
  const starts = artifacts.flatMap(({ key }) => (key.endsWith(ending) ? [key.slice(0, -ending.length)] : []));
  const paths = await Promise.all(
    starts.toSorted(inOrder).map(async (start) => ({
      start: waypointOf(start),
      id: start.slice(prefix.length).split('/')[0] ?? '',
      path: await readDocument(deps, waypointKeys.path(start), PlannedPath),
    })),
  );
  const ways = new Map<string, Way>();
  for (const { id, start, path: planned } of paths) {
    if (planned) ways.set(id, wayFrom(ways.get(id) ?? [], start, planned));
  }
  const clusters = [...ways].map(([id, waypoints]) => ({ cluster: nameOfCluster(id), waypoints }));
  return { json: { clusters } };
});

/** `w100` comes after `w99`. */
const inOrder = (one: string, other: string): number => one.length - other.length || (one < other ? -1 : 1);

/** Earlier waypoints stay; from the waypoint that was started on, the path is the one that was planned then. */
function wayFrom(before: Way, start: string, { number, waypoints }: PlannedPath): Way {
  const again = before.find((one) => one.number === number)?.starts ?? [];
  const planned = waypoints.map((waypoint, index) => ({
    ...waypoint,
    number: number + index,
    starts: index === 0 ? [...again, start] : [],
  }));
  return [...before.filter((one) => one.number < number), ...planned];
}
