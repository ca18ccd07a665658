/** Values that editors offer where a cloud's own words are written, for all clouds and for each: any text is allowed there. */
import { cataloguedTypes, catalogueOf, cataloguesOf } from '../catalogue/catalogues.ts';
import { cloudDefaults } from '../catalogue/cloud-defaults.ts';
import { priceLists } from '../prices/machine-prices.ts';
import { isProviderType } from '../provider-types.ts';

/** By the name of the field. */
export type ValueExamples = Readonly<Record<string, readonly string[]>>;

/** Every region of the catalogue; server types with a known price, because all of them would be thousands; usual images. */
export async function valueExamples(): Promise<ValueExamples> {
  const catalogues = await Promise.all(cataloguedTypes.map((type) => catalogueOf(type)));
  const usual = Object.values(cloudDefaults);
  return {
    region: sorted([...usual.map(({ region }) => region), ...catalogues.flatMap((one) => one?.regions ?? [])]),
    serverType: sorted([
      ...usual.map(({ serverType }) => serverType),
      ...priceLists.flatMap(({ prices }) => Object.keys(prices)),
    ]),
    image: sorted(usual.flatMap(({ image }) => image ?? [])),
  };
}

/** The same by provider type, with the zones that are known. */
export async function valuesOfTypes(): Promise<Readonly<Record<string, ValueExamples>>> {
  const all = await cataloguesOf(cataloguedTypes);
  return Object.fromEntries(
    [...all].map(([type, { file, regions }]) => {
      const usual = isProviderType(type) ? cloudDefaults[type] : undefined;
      const lists = priceLists.filter(({ provider }) => provider === type);
      const priced = lists.flatMap(({ prices }) => Object.keys(prices));
      const values = {
        region: sorted([...(usual ? [usual.region] : []), ...regions]),
        zone: sorted((file.zones?.rows ?? []).flatMap((row) => row.split(' ').slice(1))),
        serverType: sorted([...(usual ? [usual.serverType] : []), ...priced]),
        image: usual?.image === undefined ? [] : [usual.image],
      };
      return [type, Object.fromEntries(Object.entries(values).filter(([, known]) => known.length > 0))];
    }),
  );
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted((one, other) => one.localeCompare(other, 'en'));
}
