/** Bundles all functions in one pass of esbuild: one self-contained module each, the SDK of the lock file included. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import {
  type Ballast,
  commonBallast,
  plainErrors,
  plainKeys,
  requireBanner,
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

/** Writes `<directory>/<function>/index.mjs` with a source map for every function. */
export async function bundleFunctions(directory: string): Promise<Metafile> {
  const idle = idleParts.map(withoutPart);
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
    banner: { js: requireBanner },
    plugins: [
      withoutBallast([...commonBallast, credentialsOfWorkstations, eventStreams, ...idle]),
      packedDocument,
      plainKeys,
      plainErrors,
    ],
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
