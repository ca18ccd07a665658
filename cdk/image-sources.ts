/** What Docker is sent to make the images of the runners: what goes into them, so that a change of anything else leaves their tags. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

export const imageRoot = fileURLToPath(new URL('..', import.meta.url));

/** Whole folders; of the folders below, only what the programs of the images are bundled from. */
const folders = ['runner-images', 'templates', 'agent', 'functions'];
const files = ['LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json'];

let known: readonly string[] | undefined;

/** What Docker is not sent, as patterns of a .dockerignore. Computed once. */
export function imageExclusions(): readonly string[] {
  known ??= exclusions();
  return known;
}

function exclusions(): readonly string[] {
  const bundled = bundledFiles();
  const unused = ['agent', 'functions', 'runner-images/runner']
    .flatMap(filesBelow)
    .filter((file) => !bundled.has(file));
  // By name: patterns that include the sources again would make Docker read every folder of node_modules.
  const others = readdirSync(imageRoot).filter((name) => ![...folders, ...files].includes(name));
  return [
    ...others.sort(),
    ...unused.sort(),
    'runner-images/README.md',
    'runner-images/unpinned.json',
    '**/node_modules',
  ];
}

/** Sources of the runner and the agent, relative to the root: only what is imported for its values. */
function bundledFiles(): ReadonlySet<string> {
  const { metafile } = buildSync({
    absWorkingDir: imageRoot,
    entryPoints: ['runner-images/runner/main.ts', 'agent/agent.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return new Set(Object.keys(metafile.inputs));
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(imageRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(imageRoot, join(entry.parentPath, entry.name)));
}
