/** Answers of price APIs, as clouds document their form, become our lists. */
import { describe, expect, it } from 'vitest';
import { type PriceList, PriceLists } from '#domain/prices/machine-prices.ts';
import { parseAws } from '../../scripts/prices/clouds/aws.ts';
import { parseAzure, parseAzurePage } from '../../scripts/prices/clouds/azure.ts';
import { parseDigitalOcean } from '../../scripts/prices/clouds/digitalocean.ts';
import { parseHetzner } from '../../scripts/prices/clouds/hetzner.ts';
import { priceSourceOf, type ReadPrices } from '../../scripts/prices/price-source.ts';
import { refreshLists, withTypes } from '../../scripts/prices/refresh-lists.ts';

const today = '2026-11-23';

async function* linesOf(text: string): AsyncIterable<string> {
  yield* text.trim().split('\n');
}

const awsFile = `
"FormatVersion","v1.0"
"Disclaimer","This is ""only"" a sample, with a comma"
"Publication Date","2026-11-20T20:14:04Z"
"Version","20261120201404"
"OfferCode","AmazonEC2"
"SKU","TermType","PriceDescription","Unit","PricePerUnit","Currency","Instance Type","Tenancy","Operating System","Pre Installed S/W","CapacityStatus"
"A","OnDemand","$0.024 per On Demand Linux, t3.small","Hrs","0.0240000000","USD","t3.small","Shared","Linux","NA","Used"
"B","OnDemand","Windows","Hrs","0.0424000000","USD","t3.small","Shared","Windows","NA","Used"
"C","OnDemand","dedicated","Hrs","0.0264000000","USD","t3.small","Dedicated","Linux","NA","Used"
"D","OnDemand","with SQL","Hrs","0.5000000000","USD","t3.small","Shared","Linux","SQL Std","Used"
"E","Reserved","one year","Hrs","0.0100000000","USD","t3.small","Shared","Linux","NA","Used"
"F","OnDemand","capacity that is reserved and not used","Hrs","0.0230000000","USD","t3.small","Shared","Linux","NA","UnusedCapacityReservation"
"G","OnDemand","not wanted","Hrs","0.0960000000","USD","m5.large","Shared","Linux","NA","Used"
`;

const azureItem = (part: object) => ({
  armSkuName: 'Standard_B2s',
  productName: 'Virtual Machines BS Series',
  skuName: 'B2s',
  retailPrice: 0.0421,
  unitOfMeasure: '1 Hour',
  currencyCode: 'EUR',
  type: 'Consumption',
  ...part,
});

const hetznerAnswer = {
  pricing: {
    currency: 'EUR',
    server_types: [
      {
        name: 'cx23',
        prices: [{ location: 'fsn1', price_monthly: { net: '5.4900000000', gross: '6.5331000000000000' } }],
      },
      {
        name: 'cax11',
        prices: [{ location: 'hel1', price_monthly: { net: '5.9900000000', gross: '7.1281000000000000' } }],
      },
    ],
    primary_ips: [
      { type: 'ipv6', prices: [{ location: 'fsn1', price_monthly: { net: '0.0000000000' } }] },
      { type: 'ipv4', prices: [{ location: 'fsn1', price_monthly: { net: '0.5000000000' } }] },
    ],
  },
};

describe('price lists of clouds', () => {
  it('the list of AWS counts for Linux on demand only, on shared machines without other software', async () => {
    expect(await parseAws(linesOf(awsFile), { region: 'eu-central-1', types: ['t3.small'] })).toMatchObject({
      provider: 'aws',
      currency: 'USD',
      per: 'hour',
      date: '2026-11-20',
      prices: { 't3.small': 0.024 },
    });
  });

  it('the list of Azure counts without Windows, spot machines and reservations', () => {
    const Items = [
      azureItem({ productName: 'Virtual Machines BS Series Windows', retailPrice: 0.05 }),
      azureItem({ skuName: 'B2s Spot', retailPrice: 0.01 }),
      azureItem({ skuName: 'B2s Low Priority', retailPrice: 0.01 }),
      azureItem({ type: 'Reservation', unitOfMeasure: '1 Year', retailPrice: 0.02 }),
      azureItem({ armSkuName: 'Standard_B8ms' }),
      azureItem({}),
    ];
    const page = parseAzurePage({ Items, NextPageLink: null, Count: 6 });
    const read = parseAzure([page], { region: 'westeurope', types: ['Standard_B2s'] }, today);
    expect(read).toMatchObject({ currency: 'EUR', per: 'hour', date: today, prices: { Standard_B2s: 0.0421 } });
  });

  it('a server of Hetzner is counted with its primary IPv4 address and without VAT', () => {
    const read = parseHetzner(hetznerAnswer, { region: 'fsn1', types: ['cx23', 'cax11'] }, today);
    expect(read).toMatchObject({ currency: 'EUR', per: 'month', prices: { cx23: 5.99 } });
    expect(Object.keys(read.prices)).toEqual(['cx23']);
  });

  it('a droplet of DigitalOcean has its price a month', () => {
    const answer = { sizes: [{ slug: 's-1vcpu-1gb', price_monthly: 6, price_hourly: 0.00893, regions: ['fra1'] }] };
    const read = parseDigitalOcean(answer, { region: '*', types: ['s-1vcpu-1gb', 's-2vcpu-2gb'] }, today);
    expect(read.prices).toEqual({ 's-1vcpu-1gb': 6 });
  });

  it('an answer of another form is refused', () => {
    expect(() => parseHetzner({ error: { code: 'unauthorized' } }, { region: 'fsn1', types: [] }, today)).toThrow();
  });
});

describe('what stays in the file', () => {
  const old: PriceList = {
    provider: 'hetzner',
    regions: ['fsn1', 'ash'],
    currency: 'EUR',
    per: 'month',
    date: '2026-08-17',
    source: 'a page',
    prices: { cx23: 1, cax11: 2 },
  };
  const answer = (prices: Record<string, number>): ReadPrices => ({
    provider: 'hetzner',
    currency: 'EUR',
    per: 'month',
    date: today,
    source: 'the API',
    prices,
  });

  it('a list that cannot be read keeps its prices and its date, and the reason is printed', async () => {
    const { lists, kept } = await refreshLists([old], () => Promise.reject(new Error('the API answers 503')));
    expect(lists).toEqual([old]);
    expect(kept).toEqual(['hetzner (fsn1, ash) stays as of 2026-08-17: the API answers 503']);
  });

  it('an answer without any of its types is no reason to forget what is known', async () => {
    const { lists, kept } = await refreshLists([old], async () => answer({}));
    expect(lists).toEqual([old]);
    expect(kept).toEqual([expect.stringContaining('none of its types was found')]);
  });

  it('regions with other prices get lists of their own, and a type that is no longer sold has no price', async () => {
    const { lists, kept } = await refreshLists([old], async (_, { region }) =>
      answer({ cx23: region === 'ash' ? 7 : 6 }),
    );
    expect(kept).toEqual([]);
    expect(lists.map(({ regions, date, prices }) => [regions, date, prices])).toEqual([
      [['fsn1'], today, { cx23: 6 }],
      [['ash'], today, { cx23: 7 }],
    ]);
  });

  it('types that are added are asked for, in a known region and in a new one', async () => {
    const asked: unknown[] = [];
    const wanted = withTypes(withTypes([old], { provider: 'hetzner', region: 'ash', types: ['cx33'] }), {
      provider: 'aws',
      region: 'eu-west-1',
      types: ['t3.small'],
    });
    await refreshLists(wanted, async (provider, { region, types }) => {
      asked.push([provider, region, types.toSorted()]);
      return answer({ cx23: 6 });
    });
    expect(asked).toEqual([
      ['hetzner', 'fsn1', ['cax11', 'cx23', 'cx33']],
      ['hetzner', 'ash', ['cax11', 'cx23', 'cx33']],
      ['aws', 'eu-west-1', ['t3.small']],
    ]);
  });

  it('types that were to be added and could not be read are not in the file', async () => {
    const failing = () => Promise.reject(new Error('no network'));
    const more = withTypes([old], { provider: 'hetzner', region: 'ash', types: ['cx33'] });
    const { lists, kept } = await refreshLists(
      withTypes(more, { provider: 'aws', region: 'eu-west-1', types: ['t3.small'] }),
      failing,
    );
    expect(lists).toEqual([old]);
    expect(kept).toContain('aws (eu-west-1) stays unknown: no network');
  });

  it('updating prices does not add types of a provider without a source, and keeps the known ones', async () => {
    const known: PriceList = { ...old, provider: 'oci', regions: ['eu-frankfurt-1'] };
    const asked = { provider: 'oci', region: 'eu-frankfurt-1', types: ['VM.X'] };
    const nothing = await refreshLists(withTypes([old], asked), () => undefined);
    expect(PriceLists.safeParse({ lists: nothing.lists }).success).toBe(true);
    expect(nothing.lists).toEqual([old]);
    const { lists, kept } = await refreshLists(withTypes([known], asked), () => undefined);
    expect(lists).toEqual([known]);
    expect(kept).toEqual(['oci (eu-frankfurt-1) stays as of 2026-08-17: nothing reads its prices']);
    expect(nothing.kept).toEqual(['oci (eu-frankfurt-1) stays unknown: nothing reads its prices']);
  });

  it('a list that nothing was asked of stays without a word', async () => {
    expect(await refreshLists([old], () => undefined)).toEqual({ lists: [old], kept: [] });
  });

  it('a source that needs a token says which, and asks nothing without it', async () => {
    const get = () => Promise.reject(new Error('asked'));
    const read = async (provider: string) =>
      (await priceSourceOf(provider))?.({ region: 'fsn1', types: [] }, { today, get, env: {} });
    await expect(read('hetzner')).rejects.toThrow('set HCLOUD_TOKEN to a token that may read');
    await expect(read('digitalocean')).rejects.toThrow('DIGITALOCEAN_TOKEN');
    await expect(read('gcp')).rejects.toThrow('by hand');
    expect(await read('oci')).toBeUndefined();
  });
});
