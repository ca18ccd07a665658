/** Bundles the command line without what needs a clone: one module to start, others that are loaded when they are needed. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { commonBallast, requireBanner, schemaReader, withoutBallast } from '../../runner-images/bundle-ballast.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What `cli/clone.ts` refuses before it is imported. */
const onlyInClones =
  /^(local|runner-images)\/|^cli\/(submission\/check-files|scaffold\/new-type|print\/type-report)\.ts$/;

/** Writes `main.js` and its parts into `directory`, and returns which files they have. */
export async function bundleCli(directory: string): Promise<Metafile> {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: ['cli/main.ts'],
    outdir: directory,
    bundle: true,
    splitting: true,
    // Every part imports what the start imports, so that esbuild keeps that in one file: each file of a start costs a millisecond.
    inject: ['cli/command-line.ts'],
    platform: 'node',
    format: 'esm',
    target: 'node22.13',
    mainFields: ['module', 'main'],
    // Names stay: a stack trace has to be of use.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: requireBanner },
    plugins: [withoutClone, withoutBallast([...commonBallast, schemaReader])],
    logLevel: 'warning',
  });
  return metafile;
}

const withoutClone: Plugin = {
  name: 'without-clone',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[.#]/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === 'resolved') return undefined;
      const found = await resolve(path, { ...where, pluginData: 'resolved' });
      return onlyInClones.test(relative(root, found.path)) ? { path, external: true } : found;
    });
  },
};
