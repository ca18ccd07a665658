/** What machines cost a month: prices that are known, those that are not, and sums before and after a plan. */
import { describe, expect, it } from 'vitest';
import { type PriceList, priceLists, priceOfMachine } from '#domain/prices/machine-prices.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import { groupsWith, stateOf } from '../machine-groups/groups.ts';

const list = (part: Partial<PriceList>): PriceList => ({
  provider: 'aws',
  regions: ['eu-central-1'],
  currency: 'USD',
  per: 'hour',
  date: '2026-08-14',
  source: 'a page',
  prices: { 't3.small': 0.024 },
  ...part,
});
const lists = [
  list({}),
  list({ provider: 'hetzner', regions: ['fsn1', 'nbg1'], currency: 'EUR', per: 'month', prices: { cx23: 5.99 } }),
  list({ provider: 'sim', regions: ['*'], per: 'month', source: 'simulated', prices: { small: 5, large: 20 } }),
];
const machine = (type: string, region: string, serverType: string, spot = false) => ({
  provider: { name: `${type}-1`, type, templates: 'builtin@1' },
  region,
  serverType,
  spot,
});
const leaf = { size: 2, providerSpec: { name: 'sim-1', region: 'r' }, serverType: 'small', image: 'i' };
const group = (part: object) => ({ ...leaf, ...part });
const cost = (before: object | null, after: object | null, orphans: readonly string[] = []) =>
  costOfMonth([{ cluster: 'c', before: before && stateOf(before), after: after && stateOf(after) }], {
    orphans,
    lists,
  });

describe('the price of a machine', () => {
  it('a price an hour counts 730 hours, to the cent', () => {
    expect(priceOfMachine(machine('aws', 'eu-central-1', 't3.small'), lists)).toMatchObject({
      currency: 'USD',
      amount: 17.52,
    });
  });

  it('a monthly price is used unchanged, in its currency', () => {
    expect(priceOfMachine(machine('hetzner', 'nbg1', 'cx23'), lists)).toMatchObject({ currency: 'EUR', amount: 5.99 });
  });

  it.each(['westeurope', 'West Europe'])('the region %s of Azure is the one of its list', (region) => {
    const azure = [list({ provider: 'azure', regions: ['westeurope'] })];
    expect(priceOfMachine(machine('azure', region, 't3.small'), azure)).toMatchObject({ amount: 17.52 });
  });

  it.each([
    ['a type that no list has', machine('aws', 'eu-central-1', 'm5.large')],
    ['another region', machine('aws', 'us-east-1', 't3.small')],
    ['another provider', machine('gcp', 'eu-central-1', 't3.small')],
    ['a region whose name is only similar', machine('aws', 'eu central 2', 't3.small')],
    ['a spot machine', machine('aws', 'eu-central-1', 't3.small', true)],
    ['a type with the name of a property', machine('aws', 'eu-central-1', 'constructor')],
  ])('the price of %s is not known', (_, asked) => {
    expect(priceOfMachine(asked, lists)).toBe('unknown');
  });

  it.each(['n2-standard-8', 'n2d-standard-8', 'e2-standard-4'])(
    'the price of %s of Google Cloud is not known: the source has the rate of custom machines for its series',
    (serverType) => {
      expect(priceOfMachine(machine('gcp', 'europe-west1', serverType))).toBe('unknown');
      expect(priceOfMachine(machine('gcp', 'europe-west1', 'c2-standard-8'))).toMatchObject({ amount: 335.36 });
    },
  );

  it('hosts of the local provider cost nothing', () => {
    expect(priceOfMachine(machine('local', 'lab', 'host'), lists)).toBe('free');
  });

  it('each list of the file has a date, a source, prices, and no list repeats a type of a region', () => {
    const rows = priceLists.flatMap(({ provider, regions, prices }) =>
      regions.flatMap((region) => Object.keys(prices).map((type) => `${provider} ${region} ${type}`)),
    );
    expect(new Set(rows).size).toBe(rows.length);
    for (const { date, prices } of priceLists) {
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(Object.keys(prices)).not.toEqual([]);
    }
    expect(priceLists.filter(({ source }) => source === 'simulated').map(({ provider }) => provider)).toEqual(['sim']);
  });
});

describe('what machines cost before and after a plan', () => {
  it('a group that grows costs the difference', () => {
    expect(cost({ web: leaf }, { web: group({ size: 5 }) })).toMatchObject({
      before: [{ currency: 'USD', amount: 10 }],
      after: [{ currency: 'USD', amount: 25 }],
      difference: [{ currency: 'USD', amount: 15 }],
      machines: [{ cluster: 'c', pool: 'web', provider: 'sim-1', before: 2, after: 5, each: { amount: 5 } }],
      lists: [{ provider: 'sim', date: '2026-08-14', source: 'simulated' }],
    });
  });

  it('a changed server type counts old and new machines of one pool separately', () => {
    const change = cost({ web: leaf }, { web: group({ serverType: 'large' }) });
    expect(change?.difference).toEqual([{ currency: 'USD', amount: 30 }]);
    expect(change?.machines.map(({ serverType, before, after }) => [serverType, before, after])).toEqual([
      ['small', 2, 0],
      ['large', 0, 2],
    ]);
  });

  it('machines without a known price are named, and not in the sum', () => {
    const change = cost(null, { web: leaf, odd: group({ serverType: 'huge' }) });
    expect(change?.after).toEqual([{ currency: 'USD', amount: 10 }]);
    expect(change?.machines.find(({ each }) => each === null)).toMatchObject({
      pool: 'odd',
      serverType: 'huge',
      after: 2,
    });
  });

  it('a deletion saves everything, apart from nodes that are orphaned and keep running', () => {
    const before = stateOf({ web: leaf });
    const gone = (orphans: readonly string[]) =>
      costOfMonth([{ cluster: 'c', before, after: null }], { orphans, lists })?.after;
    expect(gone([])).toEqual([{ currency: 'USD', amount: 0 }]);
    expect(gone([before.pools[0]?.nodes[0]?.name ?? ''])).toEqual([{ currency: 'USD', amount: 5 }]);
  });

  it('static machines and nothing at all have no cost', () => {
    const nodes = [{ endpoint: '192.0.2.1', secretRef: { name: 'key', namespace: 'default' }, username: 'root' }];
    expect(cost(null, { metal: { nodes } })).toBeUndefined();
    expect(cost(null, null)).toBeUndefined();
    expect(groupsWith({ metal: { nodes } })).toBeDefined();
  });
});
