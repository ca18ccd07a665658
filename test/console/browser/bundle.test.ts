/** What a browser has to load before it shows anything, compressed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtConsole } from '#local/console/built-console.ts';
import { readConsoleFiles } from '#local/console/console-files.ts';

const kilobytes = (bytes: number): number => Math.round(bytes / 100) / 10;

it('the first page loads at most 120 kB of script and 8 kB of style', async () => {
  const directory = await builtConsole();
  const files = await readConsoleFiles(directory);
  const page = await readFile(join(directory, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const sizeOf = (ending: string): number =>
    kilobytes(
      named
        .filter((name) => name.endsWith(ending))
        .reduce((sum, name) => sum + (files.get(name)?.zipped.length ?? Number.NaN), 0),
    );
  expect(sizeOf('.js')).toBeGreaterThan(50);
  expect(sizeOf('.js')).toBeLessThanOrEqual(120);
  expect(sizeOf('.css')).toBeLessThanOrEqual(8);
});

it('an editor loads at most 116 kB of script, 12 of them a parser of YAML, when one is opened, and 20 kB of schema when something is completed', async () => {
  const { page, sizeOf, named, openedBy } = await built();
  const editor = openedBy('code-editor');
  expect(editor).toBeGreaterThan(80);
  expect(editor).toBeLessThanOrEqual(116);
  expect(kilobytes(sizeOf(named('input-manifest')))).toBeLessThanOrEqual(20);
  expect(page).not.toMatch(/code-editor|input-manifest/);
});

it('a topology loads at most 75 kB of script when it is opened', async () => {
  const { page, openedBy } = await built();
  const topology = openedBy('topology');
  expect(topology).toBeGreaterThan(1);
  expect(topology).toBeLessThanOrEqual(75);
  expect(page).not.toContain('topology');
});

/** The page, and what of it is loaded later: sizes are compressed. */
async function built() {
  const directory = await builtConsole();
  const files = await readConsoleFiles(directory);
  const page = await readFile(join(directory, 'index.html'), 'utf8');
  const sizeOf = (name: string): number => files.get(name)?.zipped.length ?? Number.NaN;
  const named = (start: string): string =>
    [...files.keys()].find((name) => name.startsWith(`assets/${start}`) && name.endsWith('.js')) ?? start;
  /** Files that the first page has not loaded. */
  const loadedBy = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name) || page.includes(name)) return seen;
    seen.add(name);
    const text = files.get(name)?.body.toString() ?? '';
    for (const [, other = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedBy(`assets/${other}`, seen);
    return seen;
  };
  /** Kilobytes of a part and of what it imports. */
  const openedBy = (part: string): number =>
    kilobytes([...loadedBy(named(part))].reduce((sum, name) => sum + sizeOf(name), 0));
  return { page, sizeOf, named, openedBy };
}

it('the built files of the console contain nothing of the domain, of functions or of a development build', async () => {
  const files = await readConsoleFiles(await builtConsole());
  const text = [...files]
    .filter(([name]) => name.endsWith('.js'))
    .map(([, { body }]) => body.toString())
    .join('\n');
  for (const foreign of ['ZodError', 'strictObject', 'NodePoolSpecChanged', 'react-stack-bottom-frame'])
    expect(text.includes(foreign), foreign).toBe(false);
  const page = files.get('')?.body.toString() ?? '';
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style=|https?:/);
});
