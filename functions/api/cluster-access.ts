/** Access of people to a cluster: a client certificate of their own, for some hours. */

import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { ClusterRecord } from '#contracts/records.ts';
import { isAbout } from '#domain/certificate-request.ts';
import { type ClusterRole, clusterGroupOf, clusterRoleTable, clusterUserOf } from '#domain/cluster-roles.ts';
import { PipelineError } from '#domain/errors.ts';
import { type AdmittedCaller, callerText } from '../caller.ts';
import { clusterName } from '../pipeline/clusters/cluster-records.ts';
import { readAccess, startAccess } from '../pipeline/jobs/access-requests.ts';
import { recordManifestChange } from './audit-event.ts';
import { clusterOf } from './clusters.ts';
import { handle } from './handle.ts';

export const requestKubeconfig = handle(operations.requestKubeconfig, async ({ path, body, caller }, deps) => {
  const { namespace, name } = path;
  demand(caller, body.role, namespace);
  const subject = { user: clusterUserOf(caller.name), group: clusterGroupOf(body.role) };
  if (!isAbout(body.request, subject)) {
    const wanted = `O=${subject.group}, CN=${subject.user}`;
    throw new PipelineError('InvalidInput', `the request must be PKCS #10 in PEM, and its subject exactly ${wanted}`);
  }
  const cluster = clusterOf(await deps.clusters.list(path), path);
  const title = clusterName(cluster);
  const about = { namespace, manifest: name, cluster: cluster.cluster, clusterName: title, caller: callerText(caller) };
  const question = { kind: 'certificate' as const, ...body, ...about, kubeconfigKey: signableKey(cluster) };
  const id = await startAccess(deps, { namespace, name, cluster: cluster.cluster, caller: caller.name }, question);
  const what = `kubeconfig of ${title} with the role ${body.role} for ${minutesText(body.seconds)}, asked for`;
  await recordManifestChange(deps, { namespace, name, runId: '' }, what, caller);
  const issued = pathOf(operations.getIssuedKubeconfig, { ...path, id });
  return { json: { ...{ namespace, name, cluster: cluster.cluster, id }, links: { issued } } };
});

export const getIssuedKubeconfig = handle(operations.getIssuedKubeconfig, async ({ path, caller }, deps) => {
  const { namespace, name, id } = path;
  const { cluster } = clusterOf(await deps.clusters.list(path), path);
  const found = await readAccess(deps, { namespace, name, cluster, caller: caller.name }, id);
  const { status, buildId: build, startedAt, result } = found;
  const { issued = null, error } = result ?? {};
  const problem = error === undefined ? null : `${error.message} ${error.hint}`;
  return {
    json: { ...{ namespace, name, cluster, id, status, startedAt, build }, issued, problem },
    headers: { 'cache-control': 'no-store' },
  };
});

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
  throw new PipelineError(
    'VerbRefused',
    `cluster "${title}" has a simulated control plane, which signs no certificates; \`kubeloom kubeconfig\` without --ttl and --role gives its kubeconfig`,
  );
}

const minutesText = (seconds: number): string => `${Math.round(seconds / 60)} min`;
