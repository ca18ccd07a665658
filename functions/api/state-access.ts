/** What Terraform knows of a cluster, read by the runner that may read states and write none: an access that is an event. */
import { foundIn } from '#contracts/job.ts';
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { dnsWorkspace, workspaceName } from '#rendering/terraform-names.ts';
import { startAccess } from '../pipeline/jobs/access-requests.ts';
import { recordAccess } from '../pipeline/records/audit-event.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { accessResult } from './cluster-access.ts';
import { knownCluster, namedCluster } from './clusters.ts';
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

/** Names of the workspaces of what exists and of what a waypoint leads to. Throws `VerbRefused` for a cluster without one. */
function workspacesOf(record: ClusterRecord): string[] {
  const title = clusterName(record);
  if (record.facts.simulated.includes('machines'))
    throw new PipelineError(
      'VerbRefused',
      `the machines of cluster "${title}" are simulated: Terraform knows none of them`,
    );
  const names = new Set(knownCluster(record).states.flatMap(namesOf));
  if (names.size > 0) return [...names].sort();
  throw new PipelineError('VerbRefused', `cluster "${title}" has nothing that Terraform creates`);
}

function namesOf(state: ClusterState): readonly string[] {
  const machines = allPools(state).flatMap(({ source }) =>
    source.kind === 'dynamic' ? [workspaceName({ kind: 'machines', name: source.provider.name })] : [],
  );
  const dns = state.loadBalancers.map(({ id, dns: { provider } }) =>
    workspaceName({ kind: 'dns', name: dnsWorkspace(id, provider.name) }),
  );
  return [...machines, ...dns];
}
