/** The lists of the file with fresh prices; what could not be read stays as it is, with its date. */
import type { PriceList } from '#domain/prices/machine-prices.ts';
import type { ReadPrices, WantedPrices } from './price-source.ts';

export interface Refreshed {
  readonly lists: readonly PriceList[];
  /** What stays as it was, and why. */
  readonly kept: readonly string[];
}

/** `read`: undefined for a provider type that nothing reads. Of a type that is no longer sold the price is removed: it is not known. */
export async function refreshLists(
  lists: readonly PriceList[],
  read: (provider: string, wanted: WantedPrices) => Promise<ReadPrices | undefined> | undefined,
): Promise<Refreshed> {
  const fresh: PriceList[] = [];
  const kept: string[] = [];
  for (const list of lists) {
    const { provider, regions, date } = list;
    // A price of 0 was to be read, and the file has none of them.
    const added = Object.values(list.prices).includes(0);
    const stays = (reason: string) => {
      const known = Object.entries(list.prices).filter(([, price]) => price > 0);
      if (known.length > 0) fresh.push({ ...list, prices: Object.fromEntries(known) });
      kept.push(`${provider} (${regions.join(', ')}) stays ${date === '' ? 'unknown' : `as of ${date}`}: ${reason}`);
    };
    try {
      const types = Object.keys(list.prices);
      const answers = regions.map(async (region) => ({ region, answer: await read(provider, { region, types }) }));
      const found = (await Promise.all(answers)).flatMap(({ region, answer }) => (answer ? [{ region, answer }] : []));
      if (found.length === 0 && !added) fresh.push(list);
      else if (found.length === 0) stays('nothing reads its prices');
      else if (found.some(({ answer }) => Object.keys(answer.prices).length === 0))
        stays('none of its types was found');
      else fresh.push(...merged(found));
    } catch (cause) {
      stays(cause instanceof Error ? cause.message : String(cause));
    }
  }
  return { lists: fresh, kept };
}

/** Regions with the same prices share a list. */
function merged(found: readonly { readonly region: string; readonly answer: ReadPrices }[]): readonly PriceList[] {
  const lists = new Map<string, PriceList>();
  for (const { region, answer } of found) {
    const { provider, currency, per, date, source } = answer;
    const prices = Object.fromEntries(
      Object.entries(answer.prices).toSorted(([one], [other]) => one.localeCompare(other)),
    );
    const key = JSON.stringify([currency, per, date, prices]);
    const regions = [...(lists.get(key)?.regions ?? []), region];
    lists.set(key, { provider, regions, currency, per, date, source, prices });
  }
  return [...lists.values()];
}

/** With types that are to be read, too; their price is 0 until it is read. */
export function withTypes(
  lists: readonly PriceList[],
  { provider, region, types }: WantedPrices & { readonly provider: string },
): readonly PriceList[] {
  const wanted = Object.fromEntries(types.map((type) => [type, 0]));
  const known = lists.find((list) => list.provider === provider && list.regions.includes(region));
  if (known) {
    const more = { ...known, prices: { ...wanted, ...known.prices } };
    return lists.map((list) => (list === known ? more : list));
  }
  const added: PriceList = {
    provider,
    regions: [region],
    currency: 'USD',
    per: 'hour',
    date: '',
    source: '',
    prices: wanted,
  };
  return [...lists, added];
}
