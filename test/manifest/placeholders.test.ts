/** What a scaffold or a documentation left open is a fault, in every kind of document, and no value of anyone is taken for it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { type DocumentKind, validateDocuments } from '#domain/documents/validate-documents.ts';
import { isUnfinished } from '#domain/manifest/faults/placeholders.ts';
import { propertyRuns } from '../property-runs.ts';
import { manifestWith } from './manifest-files.ts';

const own = (kind: DocumentKind, spec: object) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind,
  metadata: { name: 'one' },
  spec,
});

/** Documents with the word at the end of the path. */
const documents: readonly (readonly [path: string, documentWith: (word: string) => unknown])[] = [
  [
    'spec.nodePools.dynamic[0].providerSpec.region',
    (word) =>
      manifestWith(({ nodePools: { dynamic } }) => {
        for (const pool of dynamic.slice(0, 1)) pool.providerSpec.region = word;
      }),
  ],
  [
    'spec.nodePools.dynamic[1].serverType',
    (word) => manifestWith(({ nodePools: { dynamic } }) => Object.assign(dynamic[1] ?? {}, { serverType: word })),
  ],
  [
    'spec.loadBalancers.clusters[0].dns.dnsZone',
    (word) =>
      manifestWith(({ loadBalancers }) => Object.assign(loadBalancers.clusters[0]?.dns ?? {}, { dnsZone: word })),
  ],
  [
    'spec.groups.web.image',
    (word) =>
      own('MachineGroups', {
        providers: [{ name: 'sim-1', providerType: 'sim' }],
        groups: {
          web: { size: 1, providerSpec: { name: 'sim-1', region: 'here' }, serverType: 'small', image: word },
        },
      }),
  ],
  [
    'spec.groups.web.resourceProperties.region',
    (word) =>
      own('MachineGroups', {
        groups: { web: { size: 1, resourcePlugin: { name: 'sim' }, resourceProperties: { region: word } } },
      }),
  ],
  [
    'stringData.credentials',
    (word) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { credentials: word } }),
  ],
  [
    'data.credentials',
    (word) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'one' },
      data: { credentials: Buffer.from(word).toString('base64') },
    }),
  ],
  [
    'spec.commit',
    (word) =>
      own('TemplateGitReference', {
        endpoint: { url: 'git.example.com/a/b', protocol: 'https' },
        commit: word,
        paths: { terraformer: 't' },
      }),
  ],
  ['spec.ref', (word) => own('GitSource', { url: 'git.example.com/a/b', ref: word })],
  [
    'spec.subjects[0].user',
    (word) => own('RoleBinding', { role: 'viewer', namespaces: ['*'], subjects: [{ user: word }] }),
  ],
  [
    'spec.secretRef.name',
    (word) => own('Notification', { to: 'slack', secretRef: { name: word }, events: ['failures'] }),
  ],
  ['spec.values.region', (word) => own('InventoryLayer', { level: 'site', values: { region: word } })],
];

const placeholders = [
  'REPLACE-ME',
  'replace-me',
  'REPLACEME',
  'REPLACE_ME_WITH_A_TOKEN',
  'ami-REPLACE-ME',
  'CHANGEME',
  'change-me',
  '<your-region>',
  '<token>',
  'YOUR_ACCESS_KEY',
  'your-api-token',
  'INSERT-TOKEN-HERE',
  'TODO',
  'TODO: choose one',
  'TBD',
  'xxxxxxxx',
  'ami-xxxxxxxxxxxxxxxxx',
  '...',
  '…',
  '???',
];

const faultsOf = (document: unknown) => validateDocuments([document], { readObjects }).flatMap(({ faults }) => faults);

describe('a placeholder', () => {
  it.each(documents)('a placeholder at %s is the one fault there', (path, documentWith) => {
    for (const word of placeholders) {
      const found = faultsOf(documentWith(word)).filter((fault) => fault.path === path);
      expect([word, found]).toEqual([
        word,
        [{ path, reason: 'is a placeholder', fix: expect.any(String), severity: 'error' }],
      ]);
    }
  });

  it('the fault keeps what belongs there, and warnings of the same place are left out', () => {
    const provider = { name: 'sim-1', providerType: 'aws', secretRef: { name: 'a', namespace: 'b' } };
    const document = manifestWith((spec) => {
      Object.assign(spec.providers, [provider]);
      for (const pool of spec.nodePools.dynamic) Object.assign(pool, { image: 'REPLACE-ME' });
    });
    const static1 = { name: 'metal', nodes: [{ endpoint: 'REPLACE-ME', secretRef: { name: 'k', namespace: 'n' } }] };
    const [judged] = validateDocuments(
      [{ ...document, spec: { ...document.spec, nodePools: { ...document.spec.nodePools, static: [static1] } } }],
      { readObjects },
    );
    expect(judged?.faults).toContainEqual({
      path: 'spec.nodePools.static[0].nodes[0].endpoint',
      reason: 'is a placeholder',
      fix: 'give the address of the machine',
      severity: 'error',
    });
    expect([...(judged?.warnings ?? [])].filter(({ path }) => path.endsWith('image'))).toEqual([]);
  });

  it('remarks of people, scripts and ordinary names are no placeholders', () => {
    const document = manifestWith(({ nodePools: { dynamic } }) => {
      for (const pool of dynamic) pool.annotations = { 'example.com/note': 'TODO: another region' };
    });
    expect(faultsOf(document)).toEqual([]);
    for (const word of [
      'todo',
      'fixme',
      'your-shop',
      'replacement',
      'replace-metal',
      'xx',
      'here',
      'my-cluster',
      'eu-west-1',
      '',
    ])
      expect([word, isUnfinished(word)]).toEqual([word, false]);
    expect(isUnfinished(`#!/bin/sh\n${'echo REPLACE-ME\n'.repeat(20)}`)).toBe(false);
  });

  it('keys, ids and names that machines make are no placeholders', () => {
    const made = fc.oneof(
      fc.uuid(),
      fc
        .stringMatching(/^[a-z][a-z0-9-]{0,30}$/)
        .filter((text) => !/replace-?(me|this)|change-?me|^your-|x{3}/.test(text)),
      fc.base64String({ minLength: 24 }),
      fc.domain(),
      fc.ipV4(),
    );
    fc.assert(
      fc.property(made, (text) => !isUnfinished(text)),
      { numRuns: propertyRuns(2000) },
    );
  });
});
