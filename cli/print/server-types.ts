/** `kubeloom provider types`: what a cloud sells, as the catalogue has it, with the prices that are known. */
import type { Catalogue, ServerTypeFacts } from '#domain/catalogue/catalogue.ts';
import { cataloguedTypes, catalogueOf } from '#domain/catalogue/catalogues.ts';
import { cloudDefaults } from '#domain/catalogue/cloud-defaults.ts';
import { meantName } from '#domain/catalogue/meant-name.ts';
import { machineLimits, typeWithout } from '#domain/machine-limits.ts';
import { guessText } from '#domain/nearest.ts';
import { type KnownPrice, priceOfMachine } from '#domain/prices/machine-prices.ts';
import { moneyText } from '#domain/prices/money-text.ts';
import {
  isProviderType,
  type ProviderTypeFacts,
  type ProviderTypeName,
  providerTypes,
} from '#domain/provider-types.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { print, printJson, printTable, printWrapped } from './output.ts';

interface TypesOptions {
  readonly region?: string;
  readonly json?: boolean;
}

interface Offer extends ServerTypeFacts {
  readonly spot: boolean;
  readonly dataDisks: boolean;
  readonly price: KnownPrice | undefined;
}

/** Throws `CliError` for a type or a region that is not known. */
export async function showServerTypes(type: string, { region, json = false }: TypesOptions): Promise<void> {
  const catalogue = await knownCatalogue(type);
  if (catalogue === undefined || !isProviderType(type)) {
    const known = cataloguedTypes.join(', ');
    throw new CliError(
      `there is no list of "${type}"${guessText(meantName(type, cataloguedTypes))}; there is one of ${known}`,
      exitCodes.notFound,
    );
  }
  const named = region === undefined ? undefined : catalogue.regionNamed(region);
  if (region !== undefined && catalogue.regions.length > 0 && named === undefined) {
    const meant = guessText(meantName(region, catalogue.regions));
    throw new CliError(`"${region}" is no known region of ${providerTypes[type].title}${meant}`, exitCodes.notFound);
  }
  const priced = named ?? region ?? cloudDefaults[type]?.region ?? '';
  const offers = offersOf(catalogue, { type, region: named, priced });
  if (json) printJson(asJson(catalogue, { type, region: named ?? region ?? null, offers }));
  else showOffers(catalogue, { type, region: priced, offers });
}

const knownCatalogue = async (type: string): Promise<Catalogue | undefined> => catalogueOf(type);

function offersOf(
  catalogue: Catalogue,
  {
    type,
    region,
    priced,
  }: { readonly type: ProviderTypeName; readonly region: string | undefined; readonly priced: string },
): readonly Offer[] {
  const facts: ProviderTypeFacts = providerTypes[type];
  const limits = machineLimits[type];
  const provider = { name: type, type, templates: 'builtin' };
  return catalogue.typeNames.flatMap((name) => {
    const known = catalogue.typeNamed(name);
    if (known === undefined || (region !== undefined && !known.soldIn(region))) return [];
    const price = priceOfMachine({ provider, region: priced, serverType: name, spot: false });
    return {
      ...known,
      spot: facts.spot && typeWithout(limits?.noSpot, name) === undefined,
      dataDisks: typeWithout(limits?.noDisk, name) === undefined,
      price: typeof price === 'string' ? undefined : price,
    };
  });
}

interface Shown {
  readonly type: ProviderTypeName;
  readonly offers: readonly Offer[];
}

function showOffers(catalogue: Catalogue, { type, region, offers }: Shown & { readonly region: string }): void {
  const number = (value: number | undefined) => (value === undefined ? '-' : String(value));
  if (offers.length > 0) {
    printTable(
      ['TYPE', 'CPUS', 'GB', 'PROCESSOR', 'GPUS', 'SPOT', 'A MONTH'],
      offers.map(({ name, cpus, memory, architecture, gpus, spot, price }) => [
        name,
        number(cpus),
        number(memory),
        architecture,
        gpus === 0 ? '-' : String(gpus),
        spot ? 'yes' : '-',
        price === undefined ? '-' : moneyText(price),
      ]),
      { drop: ['SPOT', 'GPUS'] },
    );
    print();
  }
  const zones = catalogue.zonesOf(region);
  if (zones !== undefined) printWrapped(`zones of ${region}: ${zones.join(', ') || 'none'}`);
  if (catalogue.regions.length > 0) printWrapped(`regions: ${catalogue.regions.join(', ')}`);
  const { regions, zones: zoned, serverTypes } = catalogue.file;
  for (const facts of [regions, zoned, serverTypes])
    if (facts !== undefined) printWrapped(`as of ${facts.date}: ${facts.source}`);
  const lists = new Map(offers.flatMap(({ price }) => (price === undefined ? [] : [[price.list.source, price.list]])));
  for (const { date, source } of lists.values()) printWrapped(`prices in ${region} as of ${date}: ${source}`);
  if (lists.size === 0 && offers.length > 0)
    printWrapped(`no price of ${providerTypes[type].title} in ${region} is known`);
}

function asJson(catalogue: Catalogue, { type, region, offers }: Shown & { readonly region: string | null }): unknown {
  const { regions, zones, serverTypes } = catalogue.file;
  const read = (facts: typeof regions) => (facts === undefined ? null : { date: facts.date, source: facts.source });
  return {
    type,
    region,
    regions: catalogue.regions,
    zones: (region === null ? undefined : catalogue.zonesOf(region)) ?? null,
    read: { regions: read(regions), zones: read(zones), serverTypes: read(serverTypes) },
    serverTypes: offers.map(({ name, cpus, memory, architecture, gpus, spot, dataDisks, price }) => ({
      name,
      cpus: cpus ?? null,
      memory: memory ?? null,
      architecture,
      gpus,
      spot,
      dataDisks,
      price:
        price === undefined
          ? null
          : { amount: price.amount, currency: price.currency, date: price.list.date, source: price.list.source },
    })),
  };
}
