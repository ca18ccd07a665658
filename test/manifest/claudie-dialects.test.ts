/** One manifest for each minor version of Claudie: what is refused, with the line to write, and what `adopt` writes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adoption } from '#cli/claudie/adoption.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';

const folder = new URL('../manifests/claudie/', import.meta.url);
const read = (minor: string) => parseDocuments(readFileSync(new URL(`${minor}.yaml`, folder))).documents;
const faultsOf = (documents: readonly unknown[]) =>
  validateDocuments(documents, { readObjects }).flatMap(({ faults }) => faults);

const version = ['spec.kubernetes.clusters[0].version', 'use one of 1.'];
const hetznerDns = ['spec.providers[1].providerType', 'write `providerType: hetzner`; its Secret has `credentials`'];
const templates = (at: number, fix = "remove it: these are Claudie's own templates") => [
  `spec.providers[${at}].templates`,
  fix,
];
const ownModules = 'write `templatesRef: { name: NAME }` and a TemplateGitReference';

/** Faults of each: place and part of the fix; and the places that are left when `adopt` has written it. */
const minors: readonly (readonly [string, readonly (readonly string[])[], readonly string[]])[] = [
  ['0.4', [hetznerDns, version], ['version']],
  [
    '0.5',
    [
      hetznerDns,
      ['spec.nodePools.dynamic[2].taints', 'write `taints: [{ key: "key1", value: "value1", effect: NoSchedule }]`'],
      version,
    ],
    ['version'],
  ],
  ['0.6', [version], ['version']],
  ['0.7', [['spec.providers[0].providerType', 'write `providerType: plugin`'], version], ['providerType', 'version']],
  ['0.8', [version], ['version']],
  ['0.9', [templates(0), hetznerDns, templates(1)], []],
  ['0.10', [templates(0)], []],
  ['0.11', [templates(0, ownModules)], []],
  ['0.12', [], []],
  ['0.13', [templates(0)], []],
  ['0.14', [], []],
  ['0.15', [templates(0, ownModules)], []],
  ['0.16', [], []],
];

describe.each(minors)('a manifest of Claudie %s', (minor, expected, left) => {
  it('a manifest of that version is accepted, or refused with the line to write', () => {
    const faults = faultsOf(read(minor));
    expect(faults.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
    for (const [index, [, fix]] of expected.entries()) expect(faults[index]?.fix).toContain(fix);
  });

  it('a manifest of that version is moved by adopt, which says what it wrote and what a person has to', () => {
    const { files, faults } = adoption(read(minor));
    const written = files.find(({ path }) => path.endsWith('manifest.yaml'))?.text ?? '';
    const places = faultsOf(parseDocuments(written).documents).map(({ path }) => path.split('.').at(-1));
    expect(places).toEqual(left);
    expect(faults).toHaveLength(left.length);
  });
});

it('a taint list, hetzner and no templates are what adopt writes, and it says so', () => {
  const changes = ['0.5', '0.9'].flatMap((minor) => adoption(read(minor)).changes);
  for (const part of [
    'provider hetznerdns-1: hetznerdns is hetzner; in its Secret write credentials',
    'pool compute: its taints are a list',
    'provider hetzner-1: templates are left out',
  ])
    expect(changes.join('\n')).toContain(part);
});

it('a manifest of before Claudie 0.4 is refused with the frame to write, and its credentials are not repeated', () => {
  const [fault] = faultsOf(read('0.3'));
  for (const line of [
    'kind: InputManifest',
    'metadata: { name: shopraw }',
    'providers: [{ name: hetzner-1, providerType: hetzner, secretRef: { name: hetzner-1, namespace: default } }]',
  ])
    expect(fault?.fix).toContain(line);
  const { faults, files } = adoption(read('0.3'));
  expect(files).toEqual([]);
  expect(faults.join()).toContain("Claudie's manifest of before 0.4");
  expect(JSON.stringify([fault, faults])).not.toContain('planted-token');
});

it('documents that only lack their kind are not taken for manifests of Claudie', () => {
  const fixes = [{ name: 'x' }, { apiVersion: 'v1', nodePools: {} }, { kind: 7, nodePools: {} }].map((document) =>
    faultsOf([document])
      .map(({ fix }) => fix)
      .join(),
  );
  for (const fix of fixes) expect(fix).toContain('use one of InputManifest');
});
