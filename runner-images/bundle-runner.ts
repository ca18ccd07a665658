/** The runner, and the agent in workload clusters, as one file each: less than half the start-up time of their sources, and without node_modules. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { commonBallast, plainKeys, requireBanner, schemaReader, withoutBallast } from './bundle-ballast.ts';
import { exists } from './runner/exists.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['functions', 'runner-images/runner'] as const;

/** Writes it into the directory, unless the one of the same sources exists already; returns its path. */
export async function bundleRunner(directory: string): Promise<string> {
  const file = join(directory, `runner-${await fingerprint()}.mjs`);
  if (await exists(file)) return file;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  await buildRunner(unfinished);
  await rename(unfinished, file);
  // Remove bundles of other sources: a runner that still works has read its file long ago.
  const old = (await readdir(directory)).filter((name) => /^runner-.*\.mjs$/.test(name) && !file.endsWith(name));
  await Promise.all(old.map((name) => rm(join(directory, name), { force: true })));
  return file;
}

/** Bundles it into `outfile`, and returns which files it has; `bundle.sh` calls it, as the two below. */
export function buildRunner(outfile: string): Promise<Metafile> {
  return buildInto(outfile, join('runner-images', 'runner', 'main.ts'), {});
}

/** The same for the agent. A ConfigMap holds it, which may have 1 MiB: names inside are short, too. */
export function buildAgent(outfile: string): Promise<Metafile> {
  return buildInto(outfile, join('agent', 'agent.ts'), {
    minifyIdentifiers: true,
    plugins: [withoutBallast([schemaReader])],
  });
}

/** The same for the operator. */
export function buildOperator(outfile: string): Promise<Metafile> {
  return buildInto(outfile, join('operator', 'main.ts'), { plugins: [withoutBallast([schemaReader])] });
}

async function buildInto(outfile: string, entry: string, options: BuildOptions): Promise<Metafile> {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...options,
    metafile: true,
    entryPoints: [join(root, entry)],
    absWorkingDir: root,
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // If a package has CommonJS and modules, use the modules: unused code is left out.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: requireBanner },
    plugins: [...(options.plugins ?? []), withoutBallast([...commonBallast, plainKeys]), leanHttp],
  });
  return metafile;
}

/** An `import` of node:http reads all that it exports, WebSocket included, which loads a second HTTP client; `require` does not. */
const leanHttp: Plugin = {
  name: 'lean-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/, namespace: 'file' }, ({ path }) => ({ path, namespace: 'lean-http' }));
    onLoad({ filter: /.*/, namespace: 'lean-http' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Covers everything that goes into the bundle: our sources, and the exact versions of packages. */
async function fingerprint(): Promise<string> {
  const names = ['package-lock.json', 'runner-images/bundle-runner.ts', 'runner-images/bundle-ballast.ts'];
  for (const folder of sources) {
    const found = await readdir(join(root, folder), { recursive: true });
    names.push(...found.filter((name) => /\.(ts|json)$/.test(name)).map((name) => join(folder, name)));
  }
  const texts = await Promise.all(names.sort().map((name) => readFile(join(root, name))));
  const hash = createHash('sha256');
  for (const [index, text] of texts.entries()) hash.update(`${names[index]}\0${text.length}\0`).update(text);
  return hash.digest('hex').slice(0, 16);
}
