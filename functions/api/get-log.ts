/** GET …/logs/{cluster}/{waypoint}/{stage}/{attempt}?offset=: a piece of a stage's log, and where it goes on. */
import { headerNames } from '#contracts/api-bodies.ts';
import { LogPath, LogQuery } from '#contracts/http-parameters.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { findCluster } from './find-cluster.ts';
import { attemptOfPrefix, attemptPrefix, runPrefix } from './views/api-paths.ts';

/** A function's answer has at most 6 MB; a log is handed over in pieces far below. */
const pieceBytes = 1_000_000;

export const handler = httpHandler(
  { access: viewer, path: LogPath, query: LogQuery },
  async ({ path, query }, deps) => {
    const [stage = '', undo] = path.stage.split('-');
    const cluster = await clusterOfRun(deps, path);
    const folder = `${runPrefix(path, path.run)}${cluster}/${path.waypoint}/${stage}`;
    const at = attemptOfPrefix(`${folder}${undo === undefined ? '' : '-undo'}/${path.attempt}`);
    const prefix = at && attemptPrefix(at);
    // One byte more tells whether anything follows.
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
    return { status: 200, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece), headers };
  },
);

/** The id of the cluster that the path names: one that stands, else one that the run left something of. */
async function clusterOfRun(
  deps: Pick<ApiPorts, 'clusters' | 'artifacts'>,
  path: { readonly namespace: string; readonly name: string; readonly run: string; readonly cluster: string },
): Promise<string> {
  const found = findCluster(await deps.clusters.list(path), path.cluster);
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
