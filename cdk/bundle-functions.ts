/** Bundles all functions in one pass of esbuild: one self-contained module each, the SDK of the lock file included. */
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
/** What paths in source maps are relative to, wherever bundles are written: an asset must not change with its directory. */
const outdir = join(root, 'dist');

const { resolve } = createRequire(import.meta.url);

/** By name of the function: its file below functions/. */
export const functionFiles: Readonly<Record<string, string>> = Object.fromEntries([
  ...readdirSync(`${root}functions/tasks`).map((file) => [file.replace(/\.ts$/, ''), `tasks/${file}`] as const),
  ['router', 'api/router.ts'],
]);

/** Writes `<directory>/<function>/index.mjs` with a source map for every function. */
export async function bundleFunctions(directory: string): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(functionFiles).map(([name, file]) => ({
      in: `functions/${file}`,
      out: `${name}/index`,
    })),
    outdir,
    write: false,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    // Packages in CommonJS call `require`, which an ES module has not.
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
    plugins: [staticRoutes, withoutBallast, packedDocument],
    metafile: true,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) {
    const file = join(directory, relative(outdir, path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return metafile;
}

/** Imported one by one, routes would keep esbuild from dropping what nobody uses of the packages behind them. */
const staticRoutes: Plugin = {
  name: 'static-routes',
  setup({ onLoad }) {
    onLoad({ filter: /functions\/api\/routes\.ts$/ }, async ({ path }) => {
      const files: string[] = [];
      const text = (await readFile(path, 'utf8')).replaceAll(/import\(('[^']+')\)/g, (_, file: string) => {
        files.push(file);
        return `Promise.resolve(route${files.length - 1})`;
      });
      const imports = files.map((file, index) => `import * as route${index} from ${file};`);
      return { contents: [...imports, text].join('\n'), loader: 'ts' };
    });
  },
};

/** Parts of packages that no function uses, and what stands for them: a third of a bundle. */
const ballast: readonly { readonly file: RegExp; readonly instead: string }[] = [
  // The messages of zod in fifty languages, and schemas made out of JSON Schema.
  { file: /zod\/v4\/locales\/index\.js$/, instead: "export { default as en } from './en.js';" },
  { file: /zod\/v4\/classic\/from-json-schema\.js$/, instead: 'export function fromJSONSchema() {}' },
  // In Lambda credentials come as environment variables; the ways of workstations to get them need five more clients.
  {
    file: /@aws-sdk\/credential-provider-node\/dist-[a-z]+\/index\.js$/,
    instead: `export { fromEnv as defaultProvider } from ${JSON.stringify(resolve('@aws-sdk/credential-provider-env'))};`,
  },
  // Tells browsers apart.
  { file: /node_modules\/bowser\//, instead: 'export default {};' },
  // The same parser as ES modules, of which esbuild takes what is needed.
  { file: /node_modules\/yaml\/dist\/index\.js$/, instead: "export * from '../browser/dist/index.js';" },
];

const withoutBallast: Plugin = {
  name: 'without-ballast',
  setup({ onLoad }) {
    for (const { file, instead } of ballast)
      onLoad({ filter: file }, ({ path }) => ({ contents: instead, resolveDir: dirname(path) }));
  },
};

/** The OpenAPI document is a twentieth of a bundle that one route in a hundred needs. */
const packedDocument: Plugin = {
  name: 'packed-document',
  setup({ onLoad }) {
    onLoad({ filter: /docs\/openapi\.json$/ }, async ({ path }) => {
      const packed = brotliCompressSync(JSON.stringify(JSON.parse(await readFile(path, 'utf8')))).toString('base64');
      const unpack = `JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString())`;
      return { contents: `import { brotliDecompressSync } from 'node:zlib'; export default ${unpack};`, loader: 'js' };
    });
  },
};
