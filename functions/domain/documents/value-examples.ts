/** Values that editors offer where a cloud's own words are written: any text is allowed there. */
import { cataloguedTypes, catalogueOf } from '../catalogue/catalogues.ts';
import { cloudDefaults } from '../catalogue/cloud-defaults.ts';
import { priceLists } from '../prices/machine-prices.ts';

/** By the name of the field. */
export type ValueExamples = Readonly<Record<string, readonly string[]>>;

/** Every region of the catalogue; server types with a known price, because all of them would be thousands; usual images. */
export async function valueExamples(): Promise<ValueExamples> {
  const catalogues = await Promise.all(cataloguedTypes.map((type) => catalogueOf(type)));
  const usual = Object.values(cloudDefaults);
  const sorted = (values: readonly string[]) =>
    [...new Set(values)].toSorted((one, other) => one.localeCompare(other, 'en'));
  return {
    region: sorted([...usual.map(({ region }) => region), ...catalogues.flatMap((one) => one?.regions ?? [])]),
    serverType: sorted([
      ...usual.map(({ serverType }) => serverType),
      ...priceLists.flatMap(({ prices }) => Object.keys(prices)),
    ]),
    image: sorted(usual.flatMap(({ image }) => image ?? [])),
  };
}
