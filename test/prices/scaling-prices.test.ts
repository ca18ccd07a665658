/** Prices by which autoscaled pools grow, and the warning where one is not known. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { pricesOf } from '#domain/prices/scaling-prices.ts';

const pool = (type: string, over: object = {}) => ({ type, region: 'here', serverType: 'small', spot: false, ...over });
const own = (amount: number, currency: string) => ({ monthlyPrice: { amount, currency } });

test.each([
  ['list prices', [pool('sim'), pool('sim', { serverType: 'large' })], [5, 20]],
  ['a price of the manifest before that of the list', [pool('sim', own(7, 'USD'))], [7]],
  ['no price of a spot machine', [pool('sim', { spot: true }), pool('sim')], [undefined, 5]],
  ['no price of an unknown type', [pool('sim', { serverType: 'other' })], [undefined]],
  ['the currency of the first price', [pool('openstack', own(3, 'EUR')), pool('sim')], [3, undefined]],
  ['zero in any currency', [pool('openstack', own(0, 'CHF')), pool('sim'), pool('local')], [0, 5, 0]],
] as const)('pools that grow by price have %s', (_, pools, prices) => {
  expect(pricesOf(pools)).toEqual(prices);
});

describe('the warning about a price that is not known', () => {
  const file = new URL('../../examples/sim-burst.yaml', import.meta.url);
  const warningsWith = (autoscaler: object) => {
    const manifest = parse(readFileSync(file, 'utf8'));
    Object.assign(manifest.spec.nodePools.dynamic[2].autoscaler, autoscaler);
    const { faults, warnings } = validateManifest(manifest, { readObjects, pricesOf });
    expect(faults).toEqual([]);
    return warnings.map(({ id, path }) => [id, path]);
  };

  it('the example has all of its prices', () => {
    expect(warningsWith({})).toEqual([]);
  });

  it('a pool whose currency differs is warned of, whichever pool asks for the order', () => {
    const other = ['unknown-price', 'spec.nodePools.dynamic[3].autoscaler'];
    expect(warningsWith(own(12, 'EUR'))).toEqual([other]);
    expect(warningsWith({ ...own(12, 'EUR'), price: false })).toEqual([other]);
  });
});
