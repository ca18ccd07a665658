/** When distributions end, from the public tables of endoflife.date: releases of this century that a cloud may still offer. */
import type { Distributions } from '#domain/catalogue/distributions.ts';
import type { ReadPublicFile } from './public-file.ts';

const repository = 'endoflife-date/endoflife.date';

export async function readDistributions(file: ReadPublicFile): Promise<Distributions> {
  const ubuntu = await file(repository, 'products/ubuntu.md');
  const debian = await file(repository, 'products/debian.md');
  return {
    date: ubuntu.date,
    source: `products of ${ubuntu.origin}; of Debian the end of its long-term support`,
    ends: { Ubuntu: endsIn(ubuntu.text, 'eol', 14), Debian: endsIn(debian.text, 'eoes', 8) },
  };
}

/** `releaseCycle: "22.04"` and, before the next one, `eol: 2027-04-01`. */
export function endsIn(page: string, field: 'eol' | 'eoes', oldest: number): Readonly<Record<string, string>> {
  const releases = page.split('releaseCycle:').slice(1);
  const ends = releases.flatMap((release) => {
    const version = /"([\d.]+)"/.exec(release)?.[1];
    const end = new RegExp(String.raw`\n\s+${field}: (\d{4}-\d\d-\d\d)`).exec(release)?.[1];
    return version === undefined || end === undefined || Number(version) < oldest ? [] : [[version, end] as const];
  });
  if (ends.length === 0) throw new Error('no releases: the form of the page has changed');
  return Object.fromEntries(ends);
}
