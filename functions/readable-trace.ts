/**
 * The trace of an error by places in the sources, also from a bundle. Node can do that itself (--enable-source-maps), but then it
 * reads the map of every part at each cold start: a fifth of its CPU time, for traces that hardly any start needs.
 */
import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const placeInBundle = /(file:\/\/[^\s()]{1,1000}\.mjs):(\d+):(\d+)/g;

/** With the traces of its causes. A place whose map cannot be read stays as it is. */
export async function readableTrace(error: Error): Promise<string> {
  const traces = [...causesOf(error)].map(({ stack, message }) => stack ?? message);
  const text = traces.join('\ncaused by: ');
  const bundles = new Set([...text.matchAll(placeInBundle)].map(([, file = '']) => file));
  const maps = new Map(await Promise.all([...bundles].map(async (file) => [file, await mapOf(file)] as const)));
  return text.replaceAll(placeInBundle, (place, file: string, line: string, column: string) => {
    const origin = maps.get(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${origin.fileName.replace(/^(\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function* causesOf(error: Error): Generator<Error> {
  const seen = new Set<unknown>();
  for (let next: unknown = error; next instanceof Error && !seen.has(next); next = next.cause) {
    seen.add(next);
    yield next;
  }
}

async function mapOf(file: string): Promise<SourceMap | undefined> {
  try {
    return new SourceMap(JSON.parse(await readFile(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
