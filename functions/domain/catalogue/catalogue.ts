/**
 * What a cloud sells: regions, zones, server types and images, from the file of its provider type in this folder. `npm run catalogue` writes
 * the files. Lists age, so what one lacks is a reason to ask, never to refuse. Prices are in `../prices`, limits in `../machine-limits.ts`.
 */
import { z } from 'zod';

const Facts = z.strictObject({
  /** When they were read: `2026-08-14`. */
  date: z.iso.date(),
  /** Where they are from, for people. */
  source: z.string().min(1),
  /** A name, or a row of `ServerTypeFacts`: `cax11 2 4 arm`. */
  rows: z.array(z.string().min(1)).min(1),
});
export type CatalogueFacts = z.infer<typeof Facts>;

export const CatalogueFile = z.strictObject({
  /** Undefined where no list has all of them. */
  regions: Facts.optional(),
  /** A region with its zones: `europe-west1 europe-west1-b europe-west1-c`; a region alone has none. */
  zones: Facts.optional(),
  serverTypes: Facts.optional(),
  /** Names of images that everyone may use; undefined where each region has others, or anyone may add some. */
  images: Facts.optional(),
});
export type CatalogueFile = z.infer<typeof CatalogueFile>;

export type Architecture = 'x86' | 'arm';

export interface ServerTypeFacts {
  readonly name: string;
  /** Virtual processors; undefined: not known, or chosen by the manifest. */
  readonly cpus?: number;
  /** In GB. */
  readonly memory?: number;
  readonly architecture: Architecture;
  /** @default 0 */
  readonly gpus: number;
  /** False for a region that does not sell it; true where that is not known. */
  readonly soldIn: (region: string) => boolean;
}

export interface Catalogue {
  readonly file: CatalogueFile;
  readonly regions: readonly string[];
  /** The name as the cloud writes it; undefined when it is not in the list. */
  readonly regionNamed: (region: string) => string | undefined;
  /** Undefined where they are not known. */
  readonly zonesOf: (region: string) => readonly string[] | undefined;
  /** All names of server types. */
  readonly typeNames: readonly string[];
  readonly typeNamed: (serverType: string) => ServerTypeFacts | undefined;
}

/** Throws for a file that does not fit. */
export function readCatalogue(content: unknown): Catalogue {
  const file = CatalogueFile.parse(content);
  const regions = new Map((file.regions?.rows ?? []).map((name) => [plainName(name), name]));
  const places = new Map((file.regions?.rows ?? []).map((name, index) => [plainName(name), index]));
  const zones = new Map(
    (file.zones?.rows ?? []).map((row) => {
      const [name = '', ...own] = row.split(' ');
      return [plainName(name), own];
    }),
  );
  const rows = new Map((file.serverTypes?.rows ?? []).map((row) => [plainName(row.slice(0, row.indexOf(' '))), row]));
  return {
    file,
    regions: file.regions?.rows ?? [],
    regionNamed: (region) => regions.get(plainName(region)),
    zonesOf: (region) => zones.get(plainName(region)),
    typeNames: [...rows.values()].map((row) => row.slice(0, row.indexOf(' '))),
    typeNamed: (serverType) => {
      const row = rows.get(plainName(serverType));
      return row === undefined ? undefined : readRow(row, (region) => places.get(plainName(region)));
    },
  };
}

/** Azure calls its regions `West Europe` and `westeurope`. */
const plainName = (name: string): string => name.replaceAll(' ', '').toLowerCase();

/**
 * `name cpus memory architecture gpus regions`; from the third on they may be left out. `?`: not known. Regions are the bits of a
 * hexadecimal number, the first region of the file the lowest.
 */
function readRow(row: string, placeOf: (region: string) => number | undefined): ServerTypeFacts {
  const [name = '', cpus = '?', memory = '?', architecture = 'x86', gpus = '0', regions] = row.split(' ');
  const sold = regions === undefined ? undefined : BigInt(`0x${regions}`);
  return {
    name,
    ...(cpus !== '?' && { cpus: Number(cpus) }),
    ...(memory !== '?' && { memory: Number(memory) }),
    architecture: architecture === 'arm' ? 'arm' : 'x86',
    gpus: Number(gpus),
    soldIn: (region) => {
      const place = placeOf(region);
      return sold === undefined || place === undefined || ((sold >> BigInt(place)) & 1n) === 1n;
    },
  };
}
