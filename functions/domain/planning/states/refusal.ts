/** A refusal of the planner: about something that it knows by name, since it sees no document. */
import type { ClusterState, NodePoolState } from '#domain/cluster-state.ts';
import type { Refusal, RefusalSubject } from '#domain/plan.ts';
import { listOf } from './place-of-subject.ts';

export function refusal(about: RefusalSubject, reason: string, fix: string): Refusal {
  const field = about.field === '' ? '' : `.${about.field}`;
  return { path: `${listOf(about)}[${about.name}]${field}`, reason, fix, about };
}

/** A field of a cluster, for refusals. */
export function aboutCluster({ name }: ClusterState, field: string): RefusalSubject {
  return { kind: 'cluster', name, field };
}

/** A field of a pool, for refusals. */
export function aboutPool({ name, source }: NodePoolState, field: string): RefusalSubject {
  return { kind: `${source.kind}Pool`, name, field };
}
