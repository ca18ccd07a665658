/** The Terraform workspaces of a cluster, by name. */
import type { ClusterRecord } from '#contracts/records.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { dnsWorkspace, workspaceName } from '#rendering/terraform-names.ts';
import { clusterName } from '../records/cluster-records.ts';

/** Names of the workspaces of what exists and of what a waypoint leads to. Throws `VerbRefused` for a cluster without one. */
export function workspacesOf(record: ClusterRecord): string[] {
  const title = clusterName(record);
  if (record.facts.simulated.includes('machines'))
    throw new PipelineError(
      'VerbRefused',
      `the machines of cluster "${title}" are simulated: Terraform knows none of them`,
    );
  const names = new Set([record.current, record.attempted].flatMap((state) => (state === null ? [] : namesOf(state))));
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
