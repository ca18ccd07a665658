import { describe, expect, test } from 'vitest';
import { cluster, faultTexts, layer, order, resolved, specOf, template } from './inventories.ts';

function filled(
  spec: unknown,
  values: Readonly<Record<string, unknown>> = {},
  parts: Readonly<Record<string, unknown>> = {},
) {
  return resolved({
    templates: [template('t@1', { spec }, parts)],
    clusters: [cluster('c', {}, values, 't@1')],
    order: order({ unusedValues: 'warn' }),
  });
}

const web = { web: { count: 5 }, db: { count: 2 } };

describe('what a template says', () => {
  test.each([
    ['CO-11: a value that is the whole text keeps its type', { n: '${values.n}' }, { n: 3 }, { n: 3 }],
    ['CO-11: values inside of a text become text', 'v${values.n}-${cluster.name}', { n: 3 }, 'v3-c'],
    [
      'CO-11: a map is inserted as it is',
      { labels: '${values.labels}' },
      { labels: { a: 'b' } },
      { labels: { a: 'b' } },
    ],
    [
      'a value that is not set gets the default after ??',
      ['${values.n ?? 3}', '${values.o ?? {"a": "}"}}'],
      {},
      [3, { a: '}' }],
    ],
    ['two dollars are one', '$${values.n}', {}, '${values.n}'],
    ['a key in quotes is a key', '${values["a.b"].c}', { 'a.b': { c: 1 } }, 1],
    [
      'CO-11: a condition that does not hold leaves a field out',
      { a: { $if: 'values.on', $then: 1 }, b: 2 },
      { on: false },
      { b: 2 },
    ],
    ['CO-11: a condition has another branch', { $if: 'values.on', $then: 1, $else: 2 }, { on: false }, 2],
    [
      'a condition asks whether a value is set',
      { a: { $if: { defined: 'values.on' }, $then: 1, $else: 2 } },
      {},
      { a: 2 },
    ],
    [
      'conditions are combined',
      { $if: { all: [{ equals: ['${values.a}', 'x'] }, { not: { any: [{ defined: 'values.b' }] } }] }, $then: 'yes' },
      { a: 'x' },
      'yes',
    ],
    [
      'CO-11: a loop over a map has its keys',
      [{ $for: 'pool', $key: 'name', $in: 'values.pools', $do: { name: '${name}', count: '${pool.count}' } }, 'last'],
      { pools: web },
      [{ name: 'web', count: 5 }, { name: 'db', count: 2 }, 'last'],
    ],
    [
      'CO-11: a loop over a list has its items',
      { a: { $for: 'x', $in: 'values.l', $do: '${x}!' } },
      { l: ['a', 'b'] },
      { a: ['a!', 'b!'] },
    ],
    [
      'a condition in a loop leaves items out',
      [{ $for: 'x', $in: 'values.l', $do: { $if: '${x.on}', $then: '${x.n}' } }],
      {
        l: [
          { on: true, n: 1 },
          { on: false, n: 2 },
        ],
      },
      [1],
    ],
  ])('%s', (_, spec, values, expected) => {
    expect(specOf(filled(spec, values))).toEqual(expected);
  });

  test('CO-11: a part is included with its variables, and sees no others of the loop', () => {
    const parts = { pool: { name: '${name}', count: '${pool.count}', image: '${values.image}' } };
    const loop = {
      $for: 'one',
      $key: 'key',
      $in: 'values.pools',
      $do: { $include: 'pool', $with: { name: '${key}', pool: '${one}' } },
    };
    expect(specOf(filled([loop], { pools: web, image: 'linux' }, parts))).toEqual([
      { name: 'web', count: 5, image: 'linux' },
      { name: 'db', count: 2, image: 'linux' },
    ]);
    const blind = { $for: 'one', $in: 'values.pools', $do: { $include: 'pool' } };
    expect(faultTexts(filled([blind], { pools: web, image: 'linux' }, { pool: '${one.count}' }))).toEqual([
      'InventoryTemplate t@1 spec.parts.pool: there is no variable "one"',
    ]);
  });

  test('a part of another template is included by its version', () => {
    const templates = [
      template('base@2', undefined, { size: '${values.size}' }),
      template('t@1', { spec: { size: { $include: 'base@2/size' } } }),
    ];
    expect(specOf(resolved({ templates, clusters: [cluster('c', {}, { size: 7 }, 't@1')] }))).toEqual({ size: 7 });
  });

  test('CO-12: another version of the template makes another document of the same values', () => {
    const templates = [
      template('t@1', { spec: { size: '${values.size}' } }),
      template('t@2', { spec: { machines: { count: '${values.size}' } } }),
    ];
    const layers = [layer('prod', 'environment', { size: 3 })];
    const of = (version: string) =>
      specOf(resolved({ templates, layers, clusters: [cluster('c', { environment: 'prod' }, {}, version)] }));
    expect([of('t@1'), of('t@2')]).toEqual([{ size: 3 }, { machines: { count: 3 } }]);
  });
});

describe('what a template refuses', () => {
  test('CO-11: a value that no layer sets is a fault that names it, the template and the place', () => {
    const { faults } = filled({ a: ['x', 'v${values.kubernetes.verison}'] }, { kubernetes: { version: '1' } });
    expect(faults).toMatchObject([
      {
        document: { kind: 'InventoryTemplate', name: 't@1' },
        path: 'spec.document.spec.a[1]',
        reason: 'there is no value values.kubernetes.verison',
        fix: 'did you mean version?',
      },
    ]);
  });

  test('CO-11: a value that the template does not use is a fault of the layer that sets it', () => {
    const resolution = resolved({
      templates: [template('t@1', { spec: { version: '${values.kubernetes.version}' } })],
      layers: [layer('prod', 'environment', { kubernetes: { version: '1', verison: '2' } })],
      clusters: [cluster('c', { environment: 'prod' }, {}, 't@1')],
    });
    expect(resolution.faults).toMatchObject([
      {
        document: { kind: 'InventoryLayer', name: 'prod' },
        path: 'spec.values.kubernetes.verison',
        fix: 'did you mean version?',
      },
    ]);
  });

  test('a value in a branch that is not taken counts as used, and one of an item of a loop, too', () => {
    const spec = [
      { $if: 'values.on', $then: '${values.a}' },
      { $for: 'p', $in: 'values.pools', $do: '${p.count}' },
    ];
    const resolution = filled(spec, { on: false, a: 1, pools: [{ count: 1, cuont: 2 }] });
    expect(resolution.document?.spec).toEqual([1]);
    expect(resolution.warnings.map(({ path }) => path)).toEqual(['spec.values.pools["0"].cuont']);
  });

  test('BEAT-3: parts that include each other in a circle are refused', () => {
    const parts = { a: { x: { $include: 'b' } }, b: [{ $include: 'a' }] };
    expect(faultTexts(filled({ $include: 'a' }, {}, parts))).toEqual([
      'InventoryTemplate t@1 spec.parts.b[0].$include: the parts include each other in a circle: t@1/a → t@1/b → t@1/a',
    ]);
  });

  test('BEAT-3: an inventory cannot read Secrets', () => {
    const { faults } = filled('${secrets.hetzner.token}');
    expect(faults).toMatchObject([
      {
        reason: 'there is no variable "secrets"',
        fix: 'an inventory holds no secrets: give the name of a Secret in a secretRef',
      },
    ]);
  });

  test('parts that grow to more than a document may have are refused in a bounded time', () => {
    const names = Array.from({ length: 18 }, (_, index) => `p${index}`);
    const parts = Object.fromEntries(
      names.map((name, index) => [
        name,
        index === 17 ? 'x' : [{ $include: `p${index + 1}` }, { $include: `p${index + 1}` }],
      ]),
    );
    expect(faultTexts(filled({ $include: 'p0' }, {}, parts))[0]).toContain('the template has more than 50000 nodes');
    const many = Array.from({ length: 40 }, (_, index) => index);
    const loop = (depth: number): unknown =>
      depth === 0 ? 'x' : { $for: `v${depth}`, $in: 'values.l', $do: loop(depth - 1) };
    expect(faultTexts(filled([loop(4)], { l: many }))[0]).toContain('the document has more than 50000 parts');
  });

  test('BEAT-3: loops without items, large values and long texts are refused in a bounded time and memory', () => {
    const l = Array.from({ length: 5000 }, (_, index) => index);
    const nested = (depth: number, body: unknown): unknown =>
      depth === 0 ? body : { $for: `v${depth}`, $in: 'values.l', $do: nested(depth - 1, body) };
    const nothing = { $if: 'values.no', $then: 'x' };
    const parts = 'the document has more than 50000 parts';
    expect(faultTexts(filled([nested(4, nothing)], { l, no: false }))[0]).toContain(parts);
    expect(faultTexts(filled([nested(2, '${values.l}')], { l }))[0]).toContain(parts);
    expect(faultTexts(filled([nested(1, { $if: { equals: ['${values.l}', 1] }, $then: 'x' })], { l }))[0]).toContain(
      parts,
    );
    const text = 'x'.repeat(90_000);
    const characters = 'the document has more than 2000000 characters';
    expect(faultTexts(filled([nested(1, text)], { l }))[0]).toContain(characters);
    expect(faultTexts(filled([nested(1, { [text]: 1 })], { l }))[0]).toContain(characters);
    expect(faultTexts(filled([nested(1, '${values.text}')], { l, text }))[0]).toContain(characters);
    expect(faultTexts(filled([nested(1, 'a-${values.text}')], { l, text }))[0]).toContain(characters);
    const many = Object.fromEntries(l.map((place) => [`k${place}`, place]));
    const used = Object.fromEntries(l.map((place) => [`f${place}`, `\${values.x${place} ?? 1}`]));
    const { warnings } = filled(used, many);
    expect(warnings).toHaveLength(5000);
  });

  test('words that are not understood are reported all at once, with their places', () => {
    const spec = {
      a: { $fro: 'x' },
      b: { $if: { equal: [1, 2] }, $then: 1 },
      c: '${1}',
      d: { $include: 'nothing' },
      e: { $for: 'values', $in: 'x y', $do: 1 },
    };
    expect(
      faultTexts(filled(spec)).map((text) => text.replace('InventoryTemplate t@1 spec.document.spec.', '')),
    ).toEqual([
      'a.$fro: there is no $fro here',
      'b.$if: is not a condition',
      'c: "${1}" is not a reference',
      'e.$in: $in is not a reference',
      'e.$for: "values" has a meaning of its own',
      'd.$include: template t@1 has no part "nothing"',
    ]);
  });

  test('a condition on something that is neither true nor false is a fault', () => {
    expect(faultTexts(filled({ a: { $if: 'values.n', $then: 1 } }, { n: 'yes' }))[0]).toContain(
      'values.n is not true or false',
    );
  });
});
