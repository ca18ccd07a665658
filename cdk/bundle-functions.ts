/** Bundles all functions by esbuild: one self-contained directory each, the SDK of the lock file included. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import {
  type Ballast,
  commonBallast,
  plainErrors,
  plainKeys,
  requireBanner,
  schemaReader,
  withoutBallast,
} from './bundle-ballast.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Base of the paths in source maps, wherever bundles are written: an asset must not change with its directory. */
const outdir = join(root, 'dist');

const { resolve } = createRequire(import.meta.url);

/** By name of the function: its file below functions/. */
export const functionFiles: Readonly<Record<string, string>> = Object.fromEntries([
  ...readdirSync(`${root}functions/tasks`).map((file) => [file.replace(/\.ts$/, ''), `tasks/${file}`] as const),
  ['router', 'api/router.ts'],
]);

/** Parts of zod that no function calls: JSON Schemas are made by scripts and by the command line, compiled schemas by no one. */
const idleParts = ['json-schema-processors', 'to-json-schema', 'compile'] as const;

/** In bytes, without source maps. */
export interface BundleSize {
  /** What a cold start loads. */
  readonly start: number;
  /** That, and the largest part that is loaded later with what it imports. */
  readonly most: number;
}

/**
 * Writes `<directory>/<function>/index.mjs` with a source map for every function, and next to it the parts that it loads
 * when they are needed. Each is a build of its own: what another function uses of a package is not in it.
 */
export async function bundleFunctions(directory: string): Promise<Readonly<Record<string, BundleSize>>> {
  const idle = idleParts.map(withoutPart);
  const plugins = [
    withoutBallast([...commonBallast, schemaReader, credentialsOfWorkstations, eventStreams, ...idle]),
    packedDocument,
    plainKeys,
    plainErrors,
  ];
  const sizes = Object.entries(functionFiles).map(async ([name, file]) => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: [{ in: `functions/${file}`, out: 'index' }],
      outdir: join(outdir, name),
      chunkNames: '[name]-[hash]',
      write: false,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      mainFields: ['module', 'main'],
      minify: true,
      sourcemap: true,
      sourcesContent: false,
      banner: { js: requireBanner },
      plugins,
      metafile: true,
      logLevel: 'warning',
    });
    await mkdir(join(directory, name), { recursive: true });
    for (const { path, contents } of outputFiles) await writeFile(join(directory, relative(outdir, path)), contents);
    return [name, sizeOf(metafile.outputs)] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}

function sizeOf(outputs: Metafile['outputs']): BundleSize {
  const loadedWith = (...files: readonly string[]): number => {
    const parts = new Set(files);
    for (const file of parts)
      for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') parts.add(path);
    return [...parts].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  };
  const entries = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint);
  const [index = ''] = entries.filter((file) => file.endsWith('/index.mjs'));
  return { start: loadedWith(index), most: Math.max(...entries.map((file) => loadedWith(index, file))) };
}

/** In Lambda credentials are environment variables; the credential sources of workstations need five more clients. */
const credentialsOfWorkstations: Ballast = {
  file: /@aws-sdk\/credential-provider-node\/dist-[a-z]+\/index\.js$/,
  instead: `export { fromEnv as defaultProvider } from ${JSON.stringify(resolve('@aws-sdk/credential-provider-env'))};`,
};

/** Of all operations in S3 one sends events (SelectObjectContent), and no function calls it. */
const eventStreams: Ballast = {
  file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
  instead: [
    'export const eventStreamSerdeProvider = () => undefined;',
    'export const resolveEventStreamSerdeConfig = (input) => input;',
    "export class EventStreamSerde { constructor() { throw new Error('streams of events are not in this bundle'); } }",
  ].join('\n'),
};

/** Its exports are there, and do nothing. */
function withoutPart(file: (typeof idleParts)[number]): Ballast {
  const source = readFileSync(resolve('zod/v4/core').replace(/index\.c?js$/, `${file}.js`), 'utf8');
  const names = [...source.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name);
  const instead = `const none = () => {};\nexport { ${names.map((name) => `none as ${name}`).join(', ')} };`;
  return { file: new RegExp(`zod/v4/core/${file}\\.js$`), instead };
}

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
