/** The logs that the stages of a run left: which there are, and the text of one, piece by piece. */
import { headerNames, type LogList } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import { RunWork, waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { recordReading } from '../pipeline/records/audit-event.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { findClusterRecord } from './clusters.ts';
import { handle } from './http/handle.ts';
import { storedRun } from './runs.ts';
import { attemptOfPrefix, attemptPrefix, logPath, runPrefix } from './views/api-paths.ts';

const logName = waypointKeys.log('');

/** In the order of waypoints and stages. */
export const listLogs = handle(operations.listLogs, async ({ path }, deps) => {
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
  return { json: { items: items.sort(inOrder) } };
});

/** By cluster and waypoint; within it what was done before what was undone, each stage after the one before it. */
function inOrder(left: LogList['items'][number], right: LogList['items'][number]): number {
  const place = (log: typeof left): string =>
    [
      log.cluster,
      log.waypoint,
      log.mode,
      RunWork.options.indexOf(log.stage),
      String(log.attempt).padStart(4, '0'),
    ].join(' ');
  return place(left) < place(right) ? -1 : 1;
}

/** A function's answer has at most 6 MB; a log is handed over in pieces far below. */
const pieceBytes = 1_000_000;

/** The log from an offset on; two headers say where the next part begins and whether the log is complete. */
export const getLog = handle(operations.getLog, async ({ path, query, caller }, deps) => {
  const [stage = '', undo] = path.stage.split('-');
  const cluster = await clusterOfRun(deps, path);
  const folder = `${runPrefix(path, path.run)}${cluster}/${path.waypoint}/${stage}`;
  const at = attemptOfPrefix(`${folder}${undo === undefined ? '' : '-undo'}/${path.attempt}`);
  const prefix = at && attemptPrefix(at);
  // One byte more shows whether anything follows.
  const wanted = { from: query.offset, length: pieceBytes + 1 };
  const result = prefix === undefined ? undefined : await deps.artifacts.getText(waypointKeys.result(prefix));
  const log = prefix === undefined ? undefined : await deps.artifacts.getBytes(waypointKeys.log(prefix), wanted);
  if (log === undefined && result === undefined) {
    throw new PipelineError('NotFound', `run "${path.run}" has no log of this stage and attempt; list its logs`);
  }
  const bytes = log ?? new Uint8Array();
  const last = result !== undefined && bytes.length <= pieceBytes;
  const piece = last ? bytes : wholeCharacters(bytes.subarray(0, pieceBytes));
  const next = query.offset + piece.length;
  const headers = { [headerNames.nextOffset]: String(next), [headerNames.ended]: String(last) };
  const { namespace, name, run: runId } = path;
  const read = { kind: 'LogRead' as const, message: `logs of run ${runId} read`, runId };
  await recordReading(deps, { namespace, name }, runId, read, caller);
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece), headers };
});

/** The id of the cluster that the path names: an existing one, else one that the run left files of. */
async function clusterOfRun(
  deps: Pick<ApiPorts, 'clusters' | 'artifacts'>,
  path: { readonly namespace: string; readonly name: string; readonly run: string; readonly cluster: string },
): Promise<string> {
  const found = findClusterRecord(await deps.clusters.list(path), path.cluster);
  if (found) return found.cluster;
  const prefix = runPrefix(path, path.run);
  const ids = (await deps.artifacts.list(`${prefix}${path.cluster}`)).map(
    ({ key }) => key.slice(prefix.length).split('/')[0],
  );
  return ids.find((id) => id !== undefined && nameOfCluster(id) === path.cluster) ?? path.cluster;
}

/** Leaves out a character at the end of which not all bytes are there; the next piece begins with it. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const tail = bytes.subarray(Math.max(0, bytes.length - 3));
  const lead = tail.findLastIndex((byte) => byte >= 0xc0);
  if (lead < 0) return bytes;
  const first = tail[lead] ?? 0;
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const present = tail.length - lead;
  return present < needed ? bytes.subarray(0, bytes.length - present) : bytes;
}
