/** The list of who compares what, against the code: what it says exists, and what exists it says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import {
  ClusterState,
  DnsState,
  DynamicSource,
  LoadBalancerState,
  NodePoolState,
  NodeState,
  RoleState,
} from '#domain/cluster-state.ts';
import { comparedFacts, comparedFields, comparedSecrets } from '#domain/compared-facts.ts';
import { comparedKinds } from '#domain/compared-kinds.ts';
import { DriftKind } from '#domain/drift.ts';
import { eventKinds } from '#domain/event-kinds.ts';

const looks = 'runner-images/runner/drift';
const kinds = Object.entries(comparedKinds);

it('every kind of finding is in the list, and is made by the file that the list names', () => {
  expect(kinds.map(([kind]) => kind).toSorted()).toEqual([...DriftKind.options].toSorted());
  const wrong = kinds.filter(([kind, { file }]) => !readFileSync(`${looks}/${file}`, 'utf8').includes(`'${kind}'`));
  expect(wrong).toEqual([]);
});

it('every field of the state of a cluster is in the list, and no other', () => {
  const shapes: Readonly<Record<keyof typeof comparedFields, z.ZodObject>> = {
    cluster: ClusterState,
    pool: NodePoolState,
    source: DynamicSource,
    node: NodeState,
    loadBalancer: LoadBalancerState,
    role: RoleState,
    dns: DnsState,
  };
  for (const [part, shape] of Object.entries(shapes))
    expect(Object.keys(comparedFields[part as keyof typeof comparedFields]).toSorted(), part).toEqual(
      Object.keys(shape.shape).toSorted(),
    );
});

it('what follows from a difference is a kind of finding or an event that exists', () => {
  const known = new Set<string>([
    ...DriftKind.options,
    ...Object.values(eventKinds).flatMap((rows) => Object.keys(rows)),
    'onTemplates',
    'credentials',
  ]);
  const words = Object.values(comparedFacts).flatMap(({ follows }) => follows.match(/(?<=`)[A-Za-z]+(?=`)/g) ?? []);
  expect(words.filter((word) => !known.has(word))).toEqual([]);
  const said = words.filter((word) => DriftKind.safeParse(word).success);
  expect([...new Set(said)].toSorted()).toEqual([...DriftKind.options].toSorted());
});

it('every row is about a field of a state, a use of a Secret, a certificate, or what waits for a person', () => {
  const fields = Object.values(comparedFields).flatMap((part) => Object.values<string>(part));
  const others = ['certificates', 'requests', 'templates', 'plans', 'rollOuts', 'inventory'];
  const named = new Set([...fields, ...Object.values(comparedSecrets), ...others]);
  expect([...named].filter((name) => name !== 'identity' && name !== 'parts').toSorted()).toEqual(
    Object.keys(comparedFacts).toSorted(),
  );
});
