/** Facts and rows of a catalogue, as `readCatalogue` reads them, from what was read. */
import type { CatalogueFacts } from './catalogue.ts';

/** Facts in the order of their names. Throws without any row: an empty list is a form that was not understood. */
export function factsFrom(
  { origin, date }: { origin: string; date: string },
  what: string,
  rows: Iterable<string>,
): CatalogueFacts {
  const sorted = [...new Set(rows)].toSorted(byName);
  if (sorted.length === 0) throw new Error(`${origin} has no ${what}`);
  return { date, source: `${what}, as in ${origin}`, rows: sorted };
}

/** The row of a region with its zones. */
export function zonesRow(region: string, zones: readonly string[]): string {
  return [region, ...zones.toSorted(byName)].join(' ');
}

/** `t3.large` before `t3.xlarge`, `-8` before `-16`. */
function byName(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

export interface TypeRow {
  readonly name: string;
  readonly cpus: number | undefined;
  /** In GB. */
  readonly memory: number | undefined;
  readonly arm: boolean;
  readonly gpus?: number;
  /** Regions that sell it; undefined: not known. */
  readonly soldIn?: ReadonlySet<string>;
}

/** The row of a server type, as `readCatalogue` reads it; `regions`: those of the file, in its order. */
export function rowOf({ name, cpus, memory, arm, gpus = 0, soldIn }: TypeRow, regions: readonly string[] = []): string {
  const known = (value: number | undefined) => (value === undefined ? '?' : String(Math.round(value * 100) / 100));
  const row = [name, known(cpus), known(memory)];
  const all = soldIn === undefined || regions.every((region) => soldIn.has(region));
  if (!all) {
    const bits = regions.reduce((sum, region, index) => (soldIn.has(region) ? sum | (1n << BigInt(index)) : sum), 0n);
    return [...row, arm ? 'arm' : 'x86', gpus, bits.toString(16)].join(' ');
  }
  if (gpus > 0) return [...row, arm ? 'arm' : 'x86', gpus].join(' ');
  return (arm ? [...row, 'arm'] : row).join(' ');
}
