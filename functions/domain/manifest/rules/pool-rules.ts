/** Rules of all node pools, and of the machines of static ones. */
import { dnsForm } from '#domain/naming.ts';
import { isReservedLabel } from '#domain/node-labels.ts';
import { error, type Fault, pathText, warning } from '../faults/fault.ts';
import { addressFault, normalAddress } from '../schema/address-fault.ts';
import { shown } from '../schema/names.ts';
import { NodeAddress } from '../schema/node-address.ts';
import type { ManifestIndex, Path, PlacedPool } from './manifest-index.ts';
import { sourceExists } from './provider-rules.ts';
import { uniqueNames } from './references.ts';

/** Names, use, labels and taints of every pool. */
export function* poolRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  yield* uniqueNames('pool', manifestIndex.pools, dnsForm);
  for (const pool of manifestIndex.pools) {
    const { name } = pool.thing;
    if (name !== undefined && manifestIndex.complete.uses && !manifestIndex.uses.has(name)) {
      yield error(
        [...pool.path, 'name'],
        `no cluster and no load balancer uses the pool ${shown(name)}`,
        'name it in one, or remove it',
      );
    }
    yield* metadataRules(pool);
  }
}

function* metadataRules({ kind, thing, path }: PlacedPool): Iterable<Fault> {
  for (const key of Object.keys(thing.labels)) {
    if (isReservedLabel(key, kind)) {
      yield warning(
        'reserved-label',
        [...path, 'labels', key],
        'Kubeloom sets this label, and your value is ignored',
        'leave it out',
      );
    }
  }
  const seen = new Set<string>();
  for (const [index, taint] of thing.taints.entries()) {
    if (taint === undefined) continue;
    const key = JSON.stringify([taint.key, taint.value, taint.effect]);
    if (seen.has(key))
      yield warning('repeated-taint', [...path, 'taints', index], 'the taint is listed twice', 'remove one of the two');
    seen.add(key);
  }
}

/** Addresses and keys of static machines, and that each machine has one purpose only. */
export function* staticPoolRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  const seen = new Map<string, Path>();
  for (const pool of manifestIndex.pools) {
    if (pool.kind !== 'static') continue;
    for (const [index, node] of pool.thing.nodes.entries()) {
      const path = [...pool.path, 'nodes', index];
      yield* sourceExists(manifestIndex, node.secretRef, [...path, 'secretRef']);
      if (node.endpoint === undefined) continue;
      const unusable = NodeAddress.safeParse(node.endpoint).success ? addressFault(node.endpoint) : undefined;
      if (unusable !== undefined) yield error([...path, 'endpoint'], unusable.reason, unusable.fix);
      const address = normalAddress(node.endpoint);
      const before = seen.get(address);
      const elsewhere = manifestIndex.context.endpointsInUse?.get(address);
      if (before !== undefined) {
        yield error(
          [...path, 'endpoint'],
          `${shown(node.endpoint)} is already the node ${pathText(before)}`,
          'list each machine once',
        );
      } else if (elsewhere !== undefined) {
        yield error(
          [...path, 'endpoint'],
          `${shown(node.endpoint)} is a node of the manifest ${shown(elsewhere)}`,
          'use another machine, or remove it there first',
        );
      }
      seen.set(address, before ?? path);
    }
    yield* onePurpose(manifestIndex, pool.thing.name ?? '');
  }
}

function* onePurpose(manifestIndex: ManifestIndex, pool: string): Iterable<Fault> {
  const [first, ...others] = manifestIndex.uses.get(pool) ?? [];
  for (const use of others) {
    if (first === undefined || (first.by === use.by && first.as === use.as)) continue;
    yield error(
      use.path,
      `the static pool ${shown(pool)} is already ${first.as === 'load balancer' ? 'load balancer' : `${first.as} pool of`} ${shown(first.by)}`,
      'a machine can be used once only: split the pool in two',
    );
  }
}
