/** The questions of `kubeloom init` on a terminal. */
import { createInterface, type Interface } from 'node:readline/promises';
import { type FirstManifest, nodeTypes } from './scaffold.ts';

/** An empty answer takes what is in brackets. */
export async function askFirstManifest(
  name: string,
  terminal: Pick<Interface, 'question'> & { readonly close: () => void } = createInterface({
    input: process.stdin,
    output: process.stderr,
  }),
): Promise<FirstManifest> {
  const ask = async (question: string, usual: string) =>
    (await terminal.question(`${question} [${usual}] `)).trim() || usual;
  try {
    const types = await ask(`Where do the machines run? ${nodeTypes.join(', ')}; several with commas`, 'hetzner');
    const named = await ask('Name of the cluster', name);
    const balanced = /^y/i.test(await ask('A load balancer and a name for its API? y or n', 'n'));
    const dns = balanced
      ? await ask('Who serves its DNS zone? A provider type, or - for one of those above', '-')
      : '-';
    return { name: named, types: listOfTypes(types), balanced, ...(dns !== '-' && { dns }) };
  } finally {
    terminal.close();
  }
}

/** Each once. */
export function listOfTypes(text: string): readonly string[] {
  return [...new Set(text.split(',').map((type) => type.trim()))].filter(Boolean);
}
