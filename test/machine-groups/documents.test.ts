/** Documents of machine groups: the tree of groups, their fields, and the faults of wrong documents. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { placed } from '#documents/text-places.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { groupsWith, leaf } from './groups.ts';

const faultsOf = (document: unknown) =>
  validateMachineGroups(document, { readObjects }).faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`);
const kadende = readFileSync(new URL('kadende.yaml', import.meta.url), 'utf8');

describe('the tree of groups', () => {
  it('groups in groups become pools that are named after their path', () => {
    const { manifest, faults } = validateMachineGroups(groupsWith({ web: leaf, batch: { small: leaf, big: leaf } }), {
      readObjects,
    });
    expect(faults).toEqual([]);
    expect(manifest?.spec.nodePools.dynamic.map(({ name, count }) => [name, count])).toEqual([
      ['web', 2],
      ['batch-small', 2],
      ['batch-big', 2],
    ]);
    expect(manifest?.spec.kubernetes.clusters).toMatchObject([
      { name: 'shop', machinesOnly: true, pools: { control: [], compute: ['web', 'batch-small', 'batch-big'] } },
    ]);
  });

  it.each([
    [
      'machines and a group',
      { web: { ...leaf, more: leaf } },
      'spec.groups.web: has machines (size) and the group "more"',
    ],
    ['nothing', { web: {} }, 'spec.groups.web: is empty'],
    ['fields, but no machines', { web: { image: 'i' } }, 'spec.groups.web: has image, but neither machines nor groups'],
    ['a list', { web: [leaf] }, 'spec.groups.web: is not a map'],
    ['a name that no machine can have', { 'w.b': leaf }, 'spec.groups["w.b"]: "w.b" is not a name'],
    [
      'too many levels',
      { a: { b: { c: { d: { e: { f: leaf } } } } } },
      'spec.groups.a.b.c.d.e: groups are more than 5 deep',
    ],
    ['no group at all', {}, 'spec.groups: is empty'],
    ['machines, but no size', { web: { ...leaf, size: undefined } }, 'spec.groups.web.size: is missing'],
  ])('KA-3: a group with %s is a fault with its path', (_, groups, fault) => {
    expect(faultsOf(groupsWith(groups)).join('\n')).toContain(fault);
  });

  it('a property of a plugin may be called size', () => {
    const plugin = { size: 1, resourcePlugin: { name: 'sim' }, resourceProperties: { size: 'large' } };
    expect(faultsOf(groupsWith({ web: plugin })).join()).toContain('there is no property "size"');
  });

  it('two paths that make one name are a fault', () => {
    expect(faultsOf(groupsWith({ a: { b: leaf }, 'a-b': leaf })).join()).toContain(
      'spec.groups.a-b: the name "a-b" is taken',
    );
  });

  it('a name that is too long for machines is a fault where it is', () => {
    const faults = faultsOf(groupsWith({ ['g'.repeat(40)]: leaf }));
    expect(faults.join()).toMatch(/^spec\.groups\.g+: names of machines would be too long/);
  });
});

describe('the fields of a group', () => {
  it('every fault is reported at once, at its place in the document', () => {
    const broken = { size: -1, providerSpec: { name: 'sim-2', region: 'r' }, serverTyp: 't', image: 'i', boot: 3 };
    expect(faultsOf(groupsWith({ batch: { small: broken } }))).toEqual([
      expect.stringContaining('spec.groups.batch.small.size: -1 is negative'),
      expect.stringContaining('spec.groups.batch.small.providerSpec.name: there is no provider "sim-2"'),
      expect.stringContaining(
        'spec.groups.batch.small.serverTyp: there is no field "serverTyp" here; did you mean serverType?',
      ),
      expect.stringContaining('spec.groups.batch.small.boot: is neither a script nor a list of commands'),
    ]);
  });

  it('a list of commands becomes a script that ends with the first one that fails', () => {
    const boot = ['echo one', 'echo two'];
    const { manifest } = validateMachineGroups(groupsWith({ web: { ...leaf, boot } }), { readObjects });
    expect(manifest?.spec.nodePools.dynamic[0]?.boot).toBe('#!/bin/bash\nset -euo pipefail\necho one\necho two\n');
  });

  it('a boot script with its own first line stays unchanged', () => {
    const boot = '#!/usr/bin/python3\nprint(1)\n';
    const { manifest } = validateMachineGroups(groupsWith({ web: { ...leaf, boot } }), { readObjects });
    expect(manifest?.spec.nodePools.dynamic[0]?.boot).toBe(boot);
  });

  it('machines of the user have addresses and keys, and each machine one purpose', () => {
    const nodes = [{ endpoint: '203.0.113.5', secretRef: { name: 'key', namespace: 'default' } }];
    const { faults } = validateMachineGroups(groupsWith({ own: { nodes }, other: { nodes } }), { readObjects });
    expect(faults.map(({ path }) => path)).toEqual(['spec.groups.other.nodes[0].endpoint']);
  });

  it('parsing what was accepted again changes nothing', () => {
    const { document, manifest } = validateMachineGroups(
      groupsWith({ web: { ...leaf, boot: ['true'], openPorts: [80] } }),
      { readObjects },
    );
    const again = validateMachineGroups(document, { readObjects });
    expect(again.document).toEqual(document);
    expect(again.manifest).toEqual(manifest);
  });

  it('a load balancer forwards to a group, and runs on one that is nothing else', () => {
    const roles = [{ name: 'http', protocol: 'tcp', port: 80, targetPort: 80, targetPools: ['web'] }];
    const clusters = [
      { name: 'entry', roles: ['http'], dns: { dnsZone: 'a.test', provider: 'sim-1' }, pools: ['front'] },
    ];
    const { manifest, faults } = validateMachineGroups(
      groupsWith({ web: leaf, front: leaf }, { loadBalancers: { roles, clusters } }),
      { readObjects },
    );
    expect(faults).toEqual([]);
    expect(manifest?.spec.kubernetes.clusters[0]?.pools.compute).toEqual(['web']);
    expect(manifest?.spec.loadBalancers.clusters).toMatchObject([{ targetedK8s: 'shop', pools: ['front'] }]);
  });

  it('a load balancer of machine groups may forward port 6443: Kubernetes on them is the affair of the user', () => {
    const roles = [{ name: 'k3s', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['web'] }];
    const clusters = [
      { name: 'entry', roles: ['k3s'], dns: { dnsZone: 'a.test', provider: 'sim-1' }, pools: ['front'] },
    ];
    expect(faultsOf(groupsWith({ web: leaf, front: leaf }, { loadBalancers: { roles, clusters } }))).toEqual([]);
  });

  it('validation never throws, whatever the document is', () => {
    const names = fc.constantFrom(
      'size',
      'nodes',
      'providerSpec',
      'resourcePlugin',
      'resourceProperties',
      'boot',
      'a',
      'b_',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.dictionary(names, tie('tree'), { maxKeys: 4 })),
    }));
    fc.assert(fc.property(tree, (groups) => Array.isArray(faultsOf(groupsWith(groups)))));
  });
});

describe('faults in the words of groups', () => {
  const metal = { nodes: [{ endpoint: '192.0.2.1', secretRef: { name: 'key', namespace: 'default' } }] };

  it.each([
    [
      'a group of no machines',
      { web: { ...leaf, size: 0 } },
      ['spec.groups.web.size: is too small: a group has at least'],
    ],
    [
      'two groups whose paths make one name',
      { 'batch-small': leaf, batch: { small: leaf } },
      ['spec.groups.batch.small: the name "batch-small" is taken by spec.groups.batch-small'],
    ],
    [
      'a machine that is in two groups',
      { one: metal, two: metal },
      ['spec.groups.two.nodes[0].endpoint: "192.0.2.1" is already the node spec.groups.one.nodes[0]'],
    ],
    [
      'a port as text',
      { web: { ...leaf, openPorts: ['80'] } },
      ['spec.groups.web.openPorts[0]: is neither a port nor'],
    ],
    ['a port out of range', { web: { ...leaf, openPorts: [0] } }, ['spec.groups.web.openPorts[0]: 0 is not a port']],
    ['a group with nothing below it', { web: leaf, batch: null }, ['spec.groups.batch: is empty']],
    [
      'an empty group in a group',
      { web: leaf, batch: { small: leaf, big: null } },
      ['spec.groups.batch.big: is empty'],
    ],
  ])('%s is named where it is written', (_, groups, expected) => {
    expect(faultsOf(groupsWith(groups))).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('a field of a group without a value is as if it were not there', () => {
    expect(faultsOf(groupsWith({ web: { ...leaf, health: null, labels: null } }))).toEqual([]);
  });
});

describe('documents of Kadende (KA-1 to KA-4)', () => {
  const [document] = parseDocuments(kadende).documents;

  it('KA-1: a document without kind is read, its name becomes one that machines can have', () => {
    const [verdict] = validateDocuments([document], { readObjects });
    expect(verdict).toMatchObject({ kind: 'MachineGroups', name: 'web-shop', faults: [] });
  });

  it('KA-2: groups can be a map or a list with names, with the same result', () => {
    const asList = parseDocuments(
      JSON.stringify({ version: '1', name: 'a', groups: [{ name: 'g', size: 1, resourcePlugin: { name: 'sim' } }] }),
    ).documents[0];
    const asMap = parseDocuments(
      JSON.stringify({ version: '1', name: 'a', groups: { g: { size: 1, resourcePlugin: { name: 'sim' } } } }),
    ).documents[0];
    expect(asList).toEqual(asMap);
  });

  it.each([
    ['one name twice', ['g', 'g'], 'spec.groups: has the name "g" twice'],
    ['a group without a name', ['g', undefined], 'spec.groups: is a list in which a group has no name'],
  ])('KA-2: a list of groups with %s is one fault, and none of them is left out', (_, names, fault) => {
    const groups = names.map((name) => ({
      ...(name !== undefined && { name }),
      size: 1,
      resourcePlugin: { name: 'sim' },
    }));
    const [list] = parseDocuments(JSON.stringify({ version: '1', name: 'a', groups })).documents;
    expect(faultsOf(list)).toEqual([expect.stringContaining(fault)]);
  });

  it('KA-3: groups in groups have their machines, each with the provider of its plugin', () => {
    const { manifest } = validateMachineGroups(document, { readObjects });
    expect(manifest?.spec.providers.map(({ name, providerType }) => [name, providerType])).toEqual([
      ['local', 'local'],
      ['sim', 'sim'],
    ]);
    expect(manifest?.spec.nodePools.dynamic.map(({ name, count, serverType }) => [name, count, serverType])).toEqual([
      ['group1', 2, 't2.small'],
      ['group2-sub-group1', 2, 't2.micro'],
      ['group2-sub-group2', 3, 'standard'],
    ]);
  });

  it('KA-4: a plugin that does not exist is named with what was meant, at its line', () => {
    const [wrong] = parseDocuments(kadende.replace('name: sim', 'name: gcd')).documents;
    const { faults } = validateMachineGroups(wrong, { readObjects });
    expect(placed(wrong, faults)).toEqual([
      expect.objectContaining({
        path: 'spec.groups.group2.sub-group2.resourcePlugin.name',
        reason: 'there is no provider type "gcd"',
        fix: 'did you mean gcp?',
        line: kadende.split('\n').indexOf('        name: sim') + 1,
      }),
    ]);
  });

  it('KA-5: properties that a provider needs are asked for by the names that its users know', () => {
    const plugin = { size: 2, resourcePlugin: { name: 'aws' }, resourceProperties: { instanceType: 't3.small' } };
    expect(faultsOf(groupsWith({ own: plugin }))).toEqual([
      expect.stringContaining('spec.groups.own.resourceProperties.region: is missing'),
      expect.stringContaining('spec.groups.own.resourceProperties.image: is missing'),
    ]);
  });

  it('KA-6: a library of Go is refused with the reason', () => {
    const url = 'https://example.com/releases/plugin.so';
    const plugin = { size: 2, resourcePlugin: { name: 'mine', version: '0.0.1', url }, resourceProperties: {} };
    expect(faultsOf(groupsWith({ own: plugin }))).toEqual([
      expect.stringContaining(
        'spec.groups.own.resourcePlugin.url: "https://example.com/releases/plugin.so" is a library of Go',
      ),
    ]);
  });

  it('properties that have no effect here are warnings', () => {
    const { warnings } = validateMachineGroups(document, { readObjects });
    expect(warnings.map(({ path }) => path)).toEqual([
      'spec.groups.group1.resourceProperties.key',
      'spec.groups.group2.sub-group1.resourcePlugin.version',
      'spec.groups.group2.sub-group1.resourceProperties.key',
      'spec.groups.group2.sub-group2.resourceProperties.memory',
      'spec.groups.group2.sub-group2.resourceProperties.sshKey',
    ]);
  });
});
