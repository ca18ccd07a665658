/** What the name of an image says: which distribution, until when it has updates, for which processors. */
import { z } from 'zod';
import { nearest } from '../nearest.ts';
import type { Architecture } from './catalogue.ts';
import content from './distributions.json' with { type: 'json' };

export const Distributions = z.strictObject({
  date: z.iso.date(),
  source: z.string().min(1),
  /** Date of the last update, by distribution and version. */
  ends: z.record(z.enum(['Ubuntu', 'Debian']), z.record(z.string(), z.iso.date())),
});
export type Distributions = z.infer<typeof Distributions>;

export const distributions: Distributions = Distributions.parse(content);

export interface KnownDistribution {
  /** "Ubuntu 22.04" */
  readonly name: string;
  /** `2027-04-01` */
  readonly end: string;
}

/** `ubuntu-22.04`, `Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest`, `ubuntu-2404-lts`, `debian-12-x64`; undefined for what says nothing. */
export function distributionOf(image: string): KnownDistribution | undefined {
  const [, year = '', month = ''] = /ubuntu[^0-9]{0,40}(\d\d)[._-]?(\d\d)/i.exec(image.slice(0, 300)) ?? [];
  const ubuntu = knownEnd('Ubuntu', `${year}.${month}`);
  if (ubuntu !== undefined) return ubuntu;
  const [, version = ''] = /debian[^0-9]{0,40}(\d{1,2})(?!\d)/i.exec(image.slice(0, 300)) ?? [];
  return knownEnd('Debian', version);
}

/**
 * The version that the name of an image says and no distribution has, as `ubuntu-24.4`, with the one that was meant;
 * undefined for a name without one, and for versions that are newer than the list.
 */
export function unknownVersion(image: string): { readonly name: string; readonly meant?: string } | undefined {
  if (distributionOf(image) !== undefined) return undefined;
  const [, word = '', year = '', month] =
    /(?<![a-z])(ubuntu|debian)[ ._-]?(\d\d?)(?:[._-]?(\d\d?))?(?!\d)/i.exec(image.slice(0, 300)) ?? [];
  if (year === '') return undefined;
  const distribution = word.toLowerCase() === 'ubuntu' ? 'Ubuntu' : 'Debian';
  const version = month === undefined ? year : `${year}.${month}`;
  const known = Object.keys(distributions.ends[distribution]);
  if (Number(version) > Math.max(...known.map(Number))) return undefined;
  const meant = nearest(version, known);
  return { name: `${distribution} ${version}`, ...(meant !== undefined && { meant: `${distribution} ${meant}` }) };
}

function knownEnd(distribution: 'Ubuntu' | 'Debian', version: string): KnownDistribution | undefined {
  const ends = distributions.ends[distribution];
  const end = Object.hasOwn(ends, version) ? ends[version] : undefined;
  return end === undefined ? undefined : { name: `${distribution} ${version}`, end };
}

/** The processors that an image names; undefined when it names none. */
export function architectureOf(image: string): Architecture | undefined {
  if (/arm64|aarch64/i.test(image)) return 'arm';
  return /amd64|x86|x64/i.test(image) ? 'x86' : undefined;
}
