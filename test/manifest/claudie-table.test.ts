/** The table by version of docs/moving-from-claudie.md, row by row against the manifests of each minor: what is refused, and what `adopt` does. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adoption } from '#cli/claudie/adoption.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';

const folder = new URL('../manifests/claudie/', import.meta.url);
const minorOfFile = (file: string) => Number(file.split('.')[1]);
const corpus = new Map(
  readdirSync(folder).map((file) => [minorOfFile(file), parseDocuments(readFileSync(new URL(file, folder))).documents]),
);
const newest = Math.max(...corpus.keys());

/** How the thing of a row is recognized in documents, and the end of the path of its fault. */
const things: readonly (readonly [row: string, has: RegExp, place: string])[] = [
  ['no `kind`', /^\[\{"name"/, 'kind'],
  ['hetznerdns', /"providerType":"hetznerdns"/, 'providerType'],
  ['taints as a map', /"taints":\{/, 'taints'],
  ['roles with `target`', /"target":"k8s/, 'target'],
  ['genesiscloud', /"providerType":"genesiscloud"/, 'providerType'],
  ['`templates` of', /"templates":\{/, 'templates'],
  ['`templatesRef`', /"templatesRef":\{/, 'templatesRef'],
  ['before 1.32', /"version":"v?1\.(?:[12]?\d|3[01])\./, 'version'],
];

const page = readFileSync(new URL('../../docs/moving-from-claudie.md', import.meta.url), 'utf8');
const start = page.indexOf('| Claudie | what it has |');
const rows = page
  .slice(start, page.indexOf('\n\n', start))
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, versions = '', what = '', here = '', adopts = '']) => ({ versions, what, here, adopts }));

/** `0.4 – 0.7`, `0.4, 0.5`, `0.16`, `before 0.4`, `all` */
function minorsOf(versions: string): readonly number[] {
  const named = [...versions.matchAll(/0\.(\d+)/g)].map(([, minor]) => Number(minor));
  const [from = 0, to = from] = named;
  if (versions === 'all') return [...corpus.keys()];
  if (versions.startsWith('before')) return Array.from({ length: from }, (_, minor) => minor);
  return versions.includes('–') ? Array.from({ length: to - from + 1 }, (_, at) => from + at) : named;
}

const placesIn = (documents: readonly unknown[]) =>
  validateDocuments(documents, { readObjects }).flatMap(({ faults }) =>
    faults.map(({ path }) => path.split('.').at(-1) ?? ''),
  );

const placesMoved = (documents: readonly unknown[]) => {
  const written = adoption(documents).files.find(({ path }) => path.endsWith('manifest.yaml'))?.text;
  return written === undefined ? undefined : placesIn(parseDocuments(written).documents);
};

describe('the table of versions of Claudie', () => {
  it('the table has a row for everything that the manifests have, and manifests up to the newest version', () => {
    expect(rows).toHaveLength(things.length);
    expect(newest).toBe(16);
    expect([...corpus.keys()].toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 14 }, (_, at) => at + 3),
    );
  });

  it.each(rows.map((row) => [`${row.versions}: ${row.what}`, row] as const))('the row %s is true', (_, row) => {
    const [, has, place] = things.find(([name]) => row.what.includes(name)) ?? [];
    if (has === undefined || place === undefined) throw new Error('no test knows this row');
    // Nothing is read of a document without its kind.
    const isRead = (documents: readonly unknown[]) => place === 'kind' || JSON.stringify(documents).includes('"kind"');
    const having = [...corpus].filter(([, documents]) => has.test(JSON.stringify(documents)) && isRead(documents));
    expect(having.length).toBeGreaterThan(0);
    const range = minorsOf(row.versions);
    expect(having.map(([minor]) => minor).filter((minor) => !range.includes(minor))).toEqual([]);
    for (const [minor, documents] of having) {
      expect([minor, placesIn(documents).includes(place)]).toEqual([minor, /^refused/.test(row.here)]);
      if (row.adopts === 'reports it') expect(adoption(documents).faults.length).toBeGreaterThan(0);
      else expect([minor, placesMoved(documents)?.includes(place)]).toEqual([minor, false]);
    }
  });
});
