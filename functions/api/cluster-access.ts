/** Access of people to a cluster, for some hours: a client certificate of their own, or SSH with a key of their own. */

import type { z } from 'zod';
import type { AccessPath } from '#contracts/http-parameters.ts';
import { errorIn, foundIn } from '#contracts/job.ts';
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { isAbout } from '#domain/certificates/client-request.ts';
import { type ClusterRole, clusterGroupOf, clusterRoleTable, clusterUserOf } from '#domain/cluster-roles.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { type AdmittedCaller, callerText } from '../caller.ts';
import { type AccessPlace, readAccess, startAccess } from '../pipeline/jobs/access-requests.ts';
import { recordAccess } from '../pipeline/records/audit-event.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { refuseVerb } from '../pipeline/records/refuse-verb.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { knownCluster, namedCluster } from './clusters.ts';
import { handle } from './http/handle.ts';

export const requestKubeconfig = handle(operations.requestKubeconfig, async ({ path, body, caller }, deps) => {
  const { namespace, name } = path;
  demand(caller, body.role, namespace);
  const subject = { user: clusterUserOf(caller.name), group: clusterGroupOf(body.role) };
  if (!isAbout(body.request, subject)) {
    const wanted = `O=${subject.group}, CN=${subject.user}`;
    throw new PipelineError('InvalidInput', `the request must be PKCS #10 in PEM, and its subject exactly ${wanted}`);
  }
  const cluster = namedCluster(await deps.clusters.list(path), path);
  const title = clusterName(cluster);
  const about = { namespace, manifest: name, cluster: cluster.cluster, clusterName: title, caller: callerText(caller) };
  const { states, facts } = knownCluster(cluster);
  const known = { kubeconfigKey: signableKey(cluster), states: [...states], facts };
  const question = { kind: 'certificate' as const, ...body, ...about, ...known };
  const place = { namespace, name, cluster: cluster.cluster, kind: 'certificate' as const, caller: caller.name };
  const message = `kubeconfig of ${title} with the role ${body.role} for ${minutesText(body.seconds)}, requested`;
  await recordAccess(deps, path, { kind: 'Requested', message }, caller);
  const id = await startAccess(deps, place, question);
  const issued = pathOf(operations.getIssuedKubeconfig, { ...path, id });
  return { json: { namespace, name, cluster: cluster.cluster, id, links: { issued } } };
});

export const getIssuedKubeconfig = handle(operations.getIssuedKubeconfig, async ({ path, caller }, deps) => {
  const { result, ...answer } = await accessResult(deps, path, 'certificate', caller);
  return {
    json: { ...answer, issued: foundIn('certificate', result) ?? null },
    headers: { 'cache-control': 'no-store' },
  };
});

export const requestSshAccess = handle(operations.requestSshAccess, async ({ path, body, caller }, deps) => {
  const { namespace, name } = path;
  const { publicKey, seconds, target } = body;
  const record = namedCluster(await deps.clusters.list(path), path);
  const { cluster, current, facts } = record;
  const nodes = openable(record, target);
  const about = { namespace, manifest: name, cluster, caller: callerText(caller), publicKey: publicKey.trim() };
  if (current === null) throw new PipelineError('InternalFault', 'a cluster without a state has nodes');
  const place = { namespace, name, cluster, kind: 'ssh' as const, caller: caller.name };
  const message = `SSH access to ${target ?? `all nodes of ${clusterName(record)}`} for ${minutesText(seconds)}, requested`;
  await recordAccess(deps, path, { kind: 'Requested', message }, caller);
  const id = await startAccess(deps, place, { kind: 'ssh', ...about, seconds, nodes, current, facts });
  const opened = pathOf(operations.getSshAccess, { ...path, id });
  return { json: { namespace, name, cluster, id, links: { opened } } };
});

export const getSshAccess = handle(operations.getSshAccess, async ({ path, caller }, deps) => {
  const { result, ...answer } = await accessResult(deps, path, 'ssh', caller);
  return { json: { ...answer, opened: foundIn('ssh', result) ?? null } };
});

/** The result of a request, with the reason if it was refused. Throws `NotFound`. */
export async function accessResult(
  deps: ApiPorts,
  { id, ...path }: z.infer<typeof AccessPath>,
  kind: AccessPlace['kind'],
  caller: AdmittedCaller,
) {
  const { namespace, name } = path;
  const { cluster } = namedCluster(await deps.clusters.list(path), path);
  const found = await readAccess(deps, { namespace, name, cluster, kind, caller: caller.name }, id);
  const { status, buildId: build, startedAt, result } = found;
  const error = errorIn(result);
  const problem = error === undefined ? null : `${error.message} ${error.hint}`;
  return { namespace, name, cluster, id, status, startedAt, build, problem, result };
}

/** Names of the nodes that are meant. Static ones have keys of their owner's. */
function openable(record: ClusterRecord, target: string | undefined): string[] {
  const title = clusterName(record);
  const { current, facts } = record;
  if (facts.simulated.includes('machines')) refuseVerb({ cluster: title }, 'logIn', 'its machines are simulated');
  const all = current === null ? [] : allNodes(current);
  const meant = all.filter(
    ({ node, pool }) => target === undefined || [node.name, pool.name, pool.id].includes(target),
  );
  const own = meant.filter(({ node }) => node.static === undefined).map(({ node }) => node.name);
  if (own.length > 0) return own;
  const why =
    meant.length > 0
      ? `"${target ?? title}" has static nodes only: log in to them with the keys that you gave to Kubeloom`
      : `cluster "${title}" has no node or node pool "${target ?? ''}"; its pools are ${[...new Set(all.map(({ pool }) => pool.name))].join(', ') || 'not there yet'}`;
  throw new PipelineError('NotFound', why);
}

/** Throws `Forbidden` with the role in Kubeloom that is missing. */
function demand(caller: AdmittedCaller, role: ClusterRole, namespace: string): void {
  const { needs } = clusterRoleTable[role];
  if (caller.may(needs, namespace)) return;
  throw new PipelineError(
    'Forbidden',
    `${caller.name} lacks the role ${needs} in namespace "${namespace}", which a kubeconfig with the role ${role} needs`,
  );
}

function signableKey(record: ClusterRecord): string {
  const { facts } = record;
  const title = clusterName(record);
  if (facts.kubeconfigKey === undefined)
    throw new PipelineError('NotFound', `cluster "${title}" has no kubeconfig yet; wait until Kubernetes runs`);
  if (facts.simulated.length === 0) return facts.kubeconfigKey;
  const way = '`kubeloom kubeconfig` without --ttl and --role gives its kubeconfig';
  return refuseVerb({ cluster: title }, 'sign', `its control plane is simulated; ${way}`);
}

const minutesText = (seconds: number): string => `${Math.round(seconds / 60)} min`;
