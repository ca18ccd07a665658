import { describe, expect, test } from 'vitest';
import { cluster, faultTexts, layer, order, resolved, specOf } from './inventories.ts';

const five = ['environment', 'customer', 'site', 'infraProvider', 'cluster'] as const;

/** A cluster with one layer at each of the first four levels. */
function layered(
  values: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  more: Readonly<Record<string, unknown>> = {},
) {
  const layers = five.slice(0, 4).map((level) => layer(`${level.toLowerCase()}-1`, level, values[level] ?? {}));
  const names = Object.fromEntries(five.slice(0, 4).map((level) => [level, `${level.toLowerCase()}-1`]));
  return resolved({ layers, clusters: [cluster('c', names, values.cluster)], ...(more && { order: order(more) }) });
}

describe('the order of levels', () => {
  test.each(five.slice(0, 4).map((level, index) => [level, five[index + 1] ?? ''] as const))(
    'CO-8: what level %s sets, level %s overwrites',
    (lower, upper) => {
      const resolution = layered({ [lower]: { size: 1, kept: lower }, [upper]: { size: 2 } });
      expect(specOf(resolution)).toEqual({ size: 2, kept: lower });
    },
  );

  test.each(five)('CO-6: level %s can set any value', (level) => {
    expect(specOf(layered({ [level]: { network: { cidr: '10.0.0.0/16' }, zones: ['a'] } }))).toEqual({
      network: { cidr: '10.0.0.0/16' },
      zones: ['a'],
    });
  });

  test('CO-7: a cluster is the same with five levels and with site and infra provider in one', () => {
    const values = { environment: { a: 1 }, customer: { b: 2 }, cluster: { e: 5 } };
    const apart = layered({ ...values, site: { c: 3 }, infraProvider: { d: 4 } });
    const together = resolved({
      layers: [
        layer('prod', 'environment', values.environment),
        layer('acme', 'customer', values.customer),
        layer('fra1', 'siteProvider', { c: 3, d: 4 }),
      ],
      order: order({ levels: ['environment', 'customer', 'siteProvider', 'cluster'] }),
      clusters: [cluster('c', { environment: 'prod', customer: 'acme', siteProvider: 'fra1' }, values.cluster)],
    });
    const merged = layered(
      { ...values, site: { c: 3 }, infraProvider: { d: 4 } },
      { levels: ['environment', 'customer', ['site', 'infraProvider'], 'cluster'] },
    );
    expect(together.document).toEqual(apart.document);
    expect(merged.document).toEqual(apart.document);
  });

  test('CO-9: another order of the levels makes another level win', () => {
    const values = { site: { size: 'site' }, customer: { size: 'customer' } };
    expect(specOf(layered(values))).toEqual({ size: 'site' });
    expect(
      specOf(layered(values, { levels: ['environment', 'site', 'customer', 'infraProvider', 'cluster'] })),
    ).toEqual({
      size: 'customer',
    });
  });

  test('CO-9: a single path can have an order of its own, and the rest keeps the other', () => {
    const values = {
      environment: { kubernetes: { version: '1.36.0', dns: 'e' } },
      customer: { kubernetes: { version: '1.35.2', dns: 'c' } },
    };
    expect(
      specOf(layered(values, { paths: { 'kubernetes.version': ['customer', 'environment', 'cluster'] } })),
    ).toEqual({
      kubernetes: { version: '1.36.0', dns: 'c' },
    });
  });

  test('CO-9: a level that the order of a path leaves out may not set it', () => {
    const resolution = layered(
      { site: { kubernetes: { version: '1' } } },
      { paths: { kubernetes: ['customer', 'cluster'] } },
    );
    expect(faultTexts(resolution)).toEqual([
      'InventoryLayer site-1 spec.values.kubernetes.version: level site sets kubernetes.version, but the order of kubernetes is customer, cluster',
    ]);
  });
});

describe('how values are merged', () => {
  test.each([
    ['CO-8: maps are merged', { a: { x: 1 } }, { a: { y: 2 } }, { a: { x: 1, y: 2 } }],
    ['CO-8: a list replaces a list', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['CO-8: null removes a value', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['CO-8: null removes a map with all that is in it', { a: { x: { y: 1 } }, b: 2 }, { a: null }, { b: 2 }],
    ['a value replaces a map', { a: { x: 1 } }, { a: 5 }, { a: 5 }],
    ['a map replaces a value', { a: 5 }, { a: { x: 1 } }, { a: { x: 1 } }],
    ['an empty map leaves what is there', { a: { x: 1 } }, { a: {} }, { a: { x: 1 } }],
    ['a map stays empty when its last value is removed', { a: { x: 1 } }, { a: { x: null } }, { a: {} }],
    ['null for what no level sets is nothing', { b: 2 }, { a: null, c: { d: null } }, { b: 2, c: {} }],
    [
      'a name of a built-in of JavaScript is a name like others',
      { constructor: { a: 1 } },
      { toString: 2 },
      { constructor: { a: 1 }, toString: 2 },
    ],
  ])('%s', (_, environment, customer, expected) => {
    expect(specOf(layered({ environment, customer }))).toEqual(expected);
  });

  test('a map that a level removed can be set again, and is then that map alone', () => {
    const resolution = layered({ environment: { a: { x: 1 } }, customer: { a: null }, site: { a: { y: 2 } } });
    expect(specOf(resolution)).toEqual({ a: { y: 2 } });
  });

  test('CO-8: items of a list that is merged by name are merged, added and removed', () => {
    const resolution = layered(
      {
        environment: {
          pools: [
            { name: 'web', count: 2, type: 's' },
            { name: 'spot', count: 1 },
          ],
        },
        customer: {
          pools: [
            { name: 'web', count: 5 },
            { name: 'db', count: 3 },
          ],
        },
        site: { pools: [{ name: 'spot', $remove: true }] },
      },
      { byName: ['pools'] },
    );
    expect(specOf(resolution)).toEqual({
      pools: [
        { name: 'web', count: 5, type: 's' },
        { name: 'db', count: 3 },
      ],
    });
    expect(resolution.origin.get('pools.web.count')).toMatchObject({ name: 'customer-1', overrode: [{ value: 2 }] });
    expect(resolution.origin.get('pools.web.type')).toMatchObject({ name: 'environment-1', overrode: [] });
  });

  test('an item without name, a name twice and a removal with more in it are faults of the list', () => {
    const pools = [{ count: 1 }, { name: 'a' }, { name: 'a' }, { name: 'b', $remove: true, count: 2 }];
    expect(faultTexts(layered({ site: { pools } }, { byName: ['pools'] }))).toEqual([
      'InventoryLayer site-1 spec.values.pools[0]: has no name, but the items of this list are merged by name',
      'InventoryLayer site-1 spec.values.pools[2]: the name "a" is in this list twice',
      'InventoryLayer site-1 spec.values.pools[3]: has `$remove` together with other fields',
    ]);
  });
});

describe('faults of layers', () => {
  const levels = ['environment', ['site', 'infraProvider'], 'cluster'];

  test('BEAT-3: two layers of one rank that set one value are a fault, also when a later level sets it', () => {
    const resolution = layered(
      { site: { a: { x: 1 } }, infraProvider: { a: { x: 1 } }, cluster: { a: { x: 3 } } },
      { levels: ['environment', 'customer', ['site', 'infraProvider'], 'cluster'] },
    );
    expect(faultTexts(resolution)).toEqual([
      'InventoryLayer site-1 spec.values.a.x: a.x is also set by InventoryLayer "infraprovider-1" (level infraProvider), which has the same rank',
    ]);
  });

  test('two layers of one level may set different values', () => {
    const layers = [layer('fra1', 'site', { a: { x: 1 } }), layer('disks', 'site', { a: { y: 2 } })];
    const clusters = [cluster('c', { site: ['fra1', 'disks'] })];
    expect(specOf(resolved({ layers, clusters, order: order({ levels }) }))).toEqual({ a: { x: 1, y: 2 } });
  });

  test('a locked value cannot be set or removed by a later level, wherever that says it', () => {
    const locked = { locked: [{ path: 'network', level: 'environment' }] };
    const base = { environment: { network: { cidr: '10.0.0.0/8' } } };
    const faults = [
      ['customer', { network: { cidr: '10.0.0.0/8' } }, 'sets network.cidr'],
      ['site', { network: { dns: 'x' } }, 'sets network.dns'],
      ['cluster', { network: null }, 'sets network'],
    ] as const;
    for (const [level, values, what] of faults) {
      const [first] = faultTexts(layered({ ...base, [level]: values }, locked));
      expect(first).toContain(`level ${level} ${what}, but network is locked at level environment`);
    }
    expect(specOf(layered(base, locked))).toEqual({ network: { cidr: '10.0.0.0/8' } });
  });

  test('a locked value cannot be removed with the map that it is in', () => {
    const resolution = layered(
      { environment: { a: { net: 1, b: 2 } }, site: { a: null } },
      { locked: [{ path: 'a.net', level: 'environment' }] },
    );
    expect(faultTexts(resolution)).toEqual([
      'InventoryLayer site-1 spec.values.a.net: level site removes a.net, but a.net is locked at level environment',
    ]);
  });

  test('a rule for something in a list that is replaced as a whole is a fault, not ignored', () => {
    const resolution = layered(
      { site: { pools: [{ name: 'a', type: 's' }] } },
      { locked: [{ path: 'pools.*.type', level: 'environment' }] },
    );
    expect(faultTexts(resolution)[0]).toContain(
      'pools is a list that is replaced as a whole, but the order has a rule for pools.*.type in it',
    );
  });

  test('layers and levels that do not exist, and layers at another level, are reported all at once', () => {
    const layers = [layer('prod', 'environment', {}), layer('acme', 'customer', {})];
    const clusters = [cluster('c', { environment: 'prdo', custmer: 'acme', site: 'acme', customer: ['acme', 'acme'] })];
    const { faults } = resolved({ layers, clusters });
    expect(faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`)).toEqual([
      'spec.layers.environment: there is no InventoryLayer "prdo"; did you mean prod?',
      'spec.layers.custmer: there is no level "custmer"; did you mean customer?',
      'spec.layers.site: layer "acme" is at level customer, not site; name it under its level',
      'spec.layers.customer[1]: names layer "acme" twice; remove one of the two',
    ]);
  });
});
