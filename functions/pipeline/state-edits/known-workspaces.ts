/** The Terraform workspaces of a cluster, by name. */
import type { ClusterRecord } from '#contracts/records.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { dnsWorkspace, workspaceName } from '#rendering/terraform-names.ts';
import { clusterName } from '../records/cluster-records.ts';
import { refuseVerb } from '../records/refuse-verb.ts';

/** Names of the workspaces of what exists and of what a waypoint leads to. Throws `VerbRefused` for a cluster without one. */
export function workspacesOf(record: ClusterRecord): string[] {
  const cluster = clusterName(record);
  if (record.facts.simulated.includes('machines'))
    refuseVerb({ cluster }, 'readState', 'its machines are simulated, Terraform knows none of them');
  const names = new Set([record.current, record.attempted].flatMap((state) => (state === null ? [] : namesOf(state))));
  if (names.size > 0) return [...names].sort();
  return refuseVerb({ cluster }, 'readState', 'it has nothing that Terraform creates');
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
