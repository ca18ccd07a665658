/** What Terraform knows of a cluster, read by the runner that may read states and write none: an access that is an event. */
import { foundIn } from '#contracts/job.ts';
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import { startAccess } from '../pipeline/jobs/access-requests.ts';
import { recordAccess } from '../pipeline/records/audit-event.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { workspacesOf } from '../pipeline/state-edits/known-workspaces.ts';
import { accessResult } from './cluster-access.ts';
import { namedCluster } from './clusters.ts';
import { handle } from './http/handle.ts';

export const requestState = handle(operations.requestState, async ({ path, body, caller }, deps) => {
  const { namespace, name } = path;
  const record = namedCluster(await deps.clusters.list(path), path);
  const { cluster } = record;
  const workspaces = workspacesOf(record);
  const place = { namespace, name, cluster, kind: 'state' as const, caller: caller.name };
  const what = body.address === undefined ? 'Terraform states' : `${body.address} in the Terraform states`;
  const message = `${what} of ${clusterName(record)} read`;
  await recordAccess(deps, path, { kind: 'StateRead', message }, caller);
  const about = { namespace, manifest: name, cluster };
  const id = await startAccess(deps, place, { kind: 'state', ...body, ...about, workspaces });
  return { json: { namespace, name, cluster, id, links: { read: pathOf(operations.getState, { ...path, id }) } } };
});

export const getState = handle(operations.getState, async ({ path, caller }, deps) => {
  const { result, ...answer } = await accessResult(deps, path, 'state', caller);
  return { json: { ...answer, read: foundIn('state', result) ?? null }, headers: { 'cache-control': 'no-store' } };
});
