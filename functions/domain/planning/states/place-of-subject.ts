/** Where a document has what the planner speaks of: the only place where names of things become places in a document. */

import { pathText } from '../../manifest/faults/fault.ts';
import type { InputManifest } from '../../manifest/schema/input-manifest.ts';
import type { RefusalSubject } from '../../plan.ts';

const lists = {
  cluster: ['kubernetes', 'clusters'],
  dynamicPool: ['nodePools', 'dynamic'],
  staticPool: ['nodePools', 'static'],
  loadBalancer: ['loadBalancers', 'clusters'],
  provider: ['providers'],
} as const satisfies Record<RefusalSubject['kind'], readonly string[]>;

/** `spec.nodePools.dynamic` */
export function listOf({ kind }: Pick<RefusalSubject, 'kind'>): string {
  return pathText(['spec', ...lists[kind]]);
}

/** `spec.nodePools.dynamic[1].image`; the list when the document does not have it any more. */
export function placeOfSubject({ kind, name, field }: RefusalSubject, { spec }: InputManifest): string {
  const named: Readonly<Record<RefusalSubject['kind'], readonly { readonly name: string }[]>> = {
    cluster: spec.kubernetes.clusters,
    dynamicPool: spec.nodePools.dynamic,
    staticPool: spec.nodePools.static,
    loadBalancer: spec.loadBalancers.clusters,
    provider: spec.providers,
  };
  const index = named[kind].findIndex((thing) => thing.name === name);
  const rest = field === '' ? [] : field.split('.');
  return index < 0 ? listOf({ kind }) : pathText(['spec', ...lists[kind], index, ...rest]);
}
