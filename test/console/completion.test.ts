/** Completion in documents: where the cursor is in YAML that is being written, and what our schemas allow there. */
import { describe, expect, it } from 'vitest';
import { valuesOfTypes } from '#domain/documents/value-examples.ts';
import { providerTypesAt } from '../../console/model/provider-in-yaml.ts';
import { type DocumentSchema, type ValuesOfTypes, wordsAt } from '../../console/model/schema-words.ts';
import values from '../../console/model/values-of-types.json' with { type: 'json' };
import { item, placeInYaml } from '../../console/model/yaml-place.ts';
import schema from '../../schema/input-manifest.schema.json' with { type: 'json' };

const root: DocumentSchema = schema as object;

const place = (text: string) => {
  const position = text.indexOf('‸');
  return placeInYaml(text.replace('‸', ''), position);
};
const pathOf = (text: string): string | undefined =>
  place(text)
    ?.path.map((step) => (step === item ? '[]' : step))
    .join('.');
const words = (text: string): string[] => {
  const found = place(text);
  return found ? wordsAt(root, found).map(({ text: word }) => word) : [];
};

const manifest = 'apiVersion: kubeloom.dev/v1\nkind: InputManifest\nmetadata:\n  name: shop\n';

describe('where the cursor is', () => {
  it.each([
    ['', '‸'],
    ['', 'kind: InputManifest\nsp‸'],
    ['', '‸\nkind: InputManifest\n'],
    ['spec', 'spec:\n  pro‸'],
    ['spec', 'spec:\n  providers:\n    - name: a\n  no‸'],
    ['spec.providers.[]', 'spec:\n  providers:\n    - na‸'],
    ['spec.providers.[]', 'spec:\n  providers:\n    - name: a\n      pro‸'],
    ['spec.providers.[]', 'spec:\n  providers:\n    - name: a\n    - ‸'],
    ['spec.providers.[]', 'spec:\n  providers:\n  - name: a\n    pro‸'],
    ['spec.providers.[]', 'spec:\n  providers:\n  - name: a\n  - na‸'],
    [
      'spec.nodePools.dynamic.[].providerSpec',
      'spec:\n  nodePools:\n    dynamic:\n      - name: a\n        providerSpec:\n          na‸',
    ],
    [
      'spec.nodePools.dynamic.[]',
      'spec:\n  nodePools:\n    dynamic:\n      - name: a\n        providerSpec:\n          name: b\n        co‸',
    ],
    ['spec.a.[].[]', 'spec:\n  a:\n    - - x: 1\n      - y‸'],
    ['spec', 'spec:\n  # a: b\n\n  pro‸'],
    ['spec', 'kind: A\nspec:\n  x:\n    y: 1\n---\nkind: B\nspec:\n  ‸'],
  ])('the mapping %s is that of %j', (path, text) => {
    expect([pathOf(text), place(text)?.what]).toEqual([path, 'key']);
  });

  it.each([
    ['kind', 'kind: Inp‸'],
    ['spec.providers.[].providerType', 'spec:\n  providers:\n    - providerType: s‸'],
    ['spec.a', 'spec:\n  a: ‸\n  b: 1'],
    ['spec.a.b', 'spec:\n  a: { c: 1, b: x‸'],
    ['spec.a.[]', 'spec:\n  a: [one, t‸'],
  ])('the value %s is that of %j', (path, text) => {
    expect([pathOf(text), place(text)?.what]).toEqual([path, 'value']);
  });

  it.each([
    ['a key above without a colon', 'spec:\n  a\n  b: 1\n  ‸', 'spec', ['b']],
    ['a key below without a colon', 'spec:\n  a: 1\n  ‸\n  b\n  c: 1\n', 'spec', ['a', 'c']],
    [
      'a list above that is not closed',
      'spec:\n  x:\n    - name: [a\n      pro‸\n      c: 1\n',
      'spec.x.[]',
      ['name', 'c'],
    ],
    ['braces above that are not closed', 'spec:\n  a: { b: 1\n  pro‸', 'spec', ['a']],
    ['a quotation mark above that is not closed', 'spec:\n  a: "b\n  pro‸\n  c: 1\n', 'spec', ['a', 'c']],
    ['two colons above', 'spec:\n  a: b: c\n  pro‸', 'spec', ['a']],
    ['a bracket above that closes nothing', 'spec:\n  a: }\n  pro‸', 'spec', ['a']],
    ['a key in the middle of others', 'spec:\n  a: 1\n  pro‸\n  b:\n    - c\n', 'spec', ['a', 'b']],
    ['an item in the middle of others', 'spec:\n  x:\n    - a: 1\n    - pro‸\n    - b: 1\n', 'spec.x.[]', []],
    ['braces over several lines', 'spec:\n  a: {\n    b: 1,\n    c‸\n  }\n  d: 1\n', 'spec.a', ['b']],
  ])('a half-written map with %s has its place and its keys', (_, text, path, others) => {
    expect([pathOf(text), place(text)?.what, place(text)?.others]).toEqual([path, 'key', others]);
  });

  it('keys within braces know their mapping, also nested and in lists', () => {
    expect([pathOf('spec:\n  a: [{ b: { c: 1, d‸'), place('spec:\n  a: { x: 1, y‸')?.others]).toEqual([
      'spec.a.[].b',
      ['x'],
    ]);
  });

  it('the other keys of the mapping are known, above and below, and not those of its neighbours', () => {
    const text =
      'spec:\n  a:\n    - one: 1\n      two: { x: 1 }\n      ‸\n      three:\n        four: 1\n    - five: 1\n';
    expect(place(text)?.others).toEqual(['two', 'one', 'three']);
    expect(place('a: 1\n‸\nb:\n  c: 1\n')?.others).toEqual(['a', 'b']);
    expect(place('x:\n  - a: 1\n  - ‸\n    b: 2\n')?.others).toEqual(['b']);
  });

  it.each(['# a‸', 'a: b # ‸', 'spec:\n  script: |\n    na‸', 'a: "‸', 'a: {\n  b: 1,\n  ‸', 'two words‸'])(
    'the editor offers no completion in %j',
    (text) => {
      const found = place(text);
      expect(found === undefined ? [] : wordsAt(root, found)).toEqual([]);
    },
  );
});

describe('what can be written there', () => {
  it('a document without a kind may be of any, and then has what its kind has', () => {
    expect(words('kind: ‸')).toContain('InventoryLayer');
    expect(words('kind: ‸')).toContain('MachineGroups');
    expect(words(`${manifest}‸`)).toEqual(['spec']);
    expect(words('kind: MachineGroups\nspec:\n  ‸')).toContain('groups');
    expect(words('kind: InputManifest\nspec:\n  ‸')).not.toContain('groups');
    expect(words('spec:\n  ‸')).toEqual([]);
  });

  it('required keys are offered first, with their type, and place the cursor where the user continues', () => {
    const found = place(`${manifest}spec:\n  nodePools:\n    dynamic:\n      - ‸`);
    const all = found ? wordsAt(root, found) : [];
    expect(all[0]).toMatchObject({ isNeeded: true });
    expect(all.find(({ text }) => text === 'providerSpec')).toMatchObject({
      detail: expect.stringContaining('mapping'),
      insert: 'providerSpec:\n          ',
    });
    expect(all.find(({ text }) => text === 'taints')).toMatchObject({
      detail: 'list',
      insert: 'taints:\n          - ',
    });
    expect(all.find(({ text }) => text === 'maxUnavailable')?.meaning).toContain('Default: 1.');
  });

  it('values are those of the schema, and a yes or no', () => {
    expect(words(`${manifest}spec:\n  providers:\n    - providerType: ‸`)).toContain('hetzner');
    expect(words(`${manifest}spec:\n  deletionProtection: ‸`)).toEqual(['true', 'false']);
    expect(words(`${manifest}spec:\n  providers:\n    - { name: a, providerType: ‸`)).toContain('hetzner');
  });

  it('groups within groups have what groups have', () => {
    const text = 'kind: MachineGroups\nspec:\n  groups:\n    web:\n      groups:\n        small:\n          ‸';
    expect(words(text)).toContain('serverType');
  });

  it('a place that the schema does not know has no words', () => {
    expect(words(`${manifest}spec:\n  constructor:\n    ‸`)).toEqual([]);
    expect(words(`${manifest}spec:\n  nodePools:\n    dynamic:\n      - labels:\n          ‸`)).toEqual([]);
  });
});

describe('values of clouds', () => {
  const pool = (line: string) => `${manifest}spec:\n  nodePools:\n    dynamic:\n      - name: a\n        ${line}`;

  it('regions, server types and images of the catalogue are offered, and any other text is allowed', () => {
    expect(words(pool('serverType: ‸'))).toEqual(expect.arrayContaining(['cpx22', 't3.medium', 'Standard_D2s_v5']));
    expect(words(pool('image: ‸'))).toEqual(expect.arrayContaining(['ubuntu-24.04', 'ubuntu-24-04-x64']));
    const regions = words(pool('providerSpec:\n          region: ‸'));
    expect(regions).toEqual(expect.arrayContaining(['fsn1', 'eu-central-1', 'northeurope', 'europe-west1']));
    expect(regions.length).toBeGreaterThan(240);
  });

  const ofTwo = (line: string) =>
    `${manifest}spec:
  providers:
    - name: home
      providerType: hetzner
    - { name: "burst", providerType: gcp }
  nodePools:
    dynamic:
      - name: a
        providerSpec: { name: home }
      - name: b
        ${line}`;
  const offered = (text: string): readonly string[] => {
    const found = place(text);
    const types = providerTypesAt(text.replace('‸', ''), text.indexOf('‸'));
    return found ? wordsAt(root, found, { values: values as ValuesOfTypes, types }).map(({ text: word }) => word) : [];
  };
  const ofHetzner = ['ash', 'fsn1', 'hel1', 'hil', 'nbg1', 'sin'];

  it.each([
    ['region', 'providerSpec:\n          name: home\n          region: ‸', ofHetzner],
    ['region', 'providerSpec:\n          region: f‸\n          name: home\n', ofHetzner],
    ['region', 'providerSpec: { name: home, region: ‸ }', ofHetzner],
    ['zone', "providerSpec:\n          name: 'burst'\n          zone: ‸", expect.arrayContaining(['europe-west1-b'])],
    ['image', 'image: ‸\n        providerSpec:\n          name: home\n', ['ubuntu-24.04']],
    ['image', 'image: ‸', expect.arrayContaining(['ubuntu-24.04', 'ubuntu-os-cloud/ubuntu-2404-lts-amd64'])],
  ])('the %s of a pool is offered of its provider, or else of all of the manifest: %j', (_, line, expected) => {
    expect(offered(ofTwo(line))).toEqual(expected);
    for (const other of ['eu-central-1', 'ubuntu-24-04-x64']) expect(offered(ofTwo(line))).not.toContain(other);
  });

  it('values of all clouds are offered without a provider in the manifest, or with one that has no list', () => {
    for (const text of [pool('image: ‸'), ofTwo('image: ‸').replace('gcp', 'openstack')])
      expect(offered(text)).toEqual(expect.arrayContaining(['ubuntu-24.04', 'ubuntu-24-04-x64']));
    expect(offered(`${manifest}spec:\n  providers:\n    - providerType: ‸`)).toContain('hetzner');
    expect(offered(ofTwo('‸'))).toContain('serverType');
  });

  it('the values of each cloud are those of its catalogue', async () => {
    expect(values).toEqual(JSON.parse(JSON.stringify(await valuesOfTypes())));
  });
});
