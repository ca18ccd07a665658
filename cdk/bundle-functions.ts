/** Bundles all functions by Rolldown: one self-contained directory each, the SDK of the lock file included. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import {
  type Ballast,
  commonBallast,
  lightened,
  plainErrors,
  plainKeys,
  schemaReader,
  sharedSchemas,
} from '../runner-images/bundle-ballast.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Base of the paths in source maps, wherever bundles are written: an asset must not change with its directory. */
const outdir = join(root, 'dist');

const { resolve } = createRequire(import.meta.url);

/** By name of the function: its file below functions/. */
export const functionFiles: Readonly<Record<string, string>> = Object.fromEntries([
  ...readdirSync(`${root}functions/tasks`).map((file) => [file.replace(/\.ts$/, ''), `tasks/${file}`] as const),
  ['router', 'api/router.ts'],
  ['agents', 'api/agents.ts'],
  ['build-credentials', 'api/build-credentials.ts'],
]);

/** Parts of zod that no function calls: JSON Schemas are made by scripts and by the command line, compiled schemas by no one. */
const idleParts = ['json-schema-processors', 'to-json-schema', 'compile'] as const;

/** In bytes, without source maps. */
export interface BundleSize {
  /** What a cold start loads. */
  readonly start: number;
  /** That, and the largest part that is loaded later with what it imports. */
  readonly most: number;
  /** All parts, of which most functions never load most. */
  readonly all: number;
  /** Bytes of `start` by package and by folder of ours, before names are shortened. */
  readonly from: Readonly<Record<string, number>>;
}

/**
 * Writes `<directory>/<function>/index.mjs` with a source map for every function, and next to it the parts that it loads
 * when they are needed. Each is a build of its own: what another function uses of a package is not in it.
 */
export async function bundleFunctions(directory: string): Promise<Readonly<Record<string, BundleSize>>> {
  const sizes = Object.entries(functionFiles).map(async ([name, file]) => {
    const bundle = await rolldown({
      cwd: root,
      input: { index: join(root, 'functions', file) },
      platform: 'node',
      // If a package has CommonJS and modules, use the modules: unused code is left out.
      resolve: { mainFields: ['module', 'main'], conditionNames: ['module', 'node', 'import', 'default'] },
      // Schemas are values, which zod makes without an effect on anything else: those that nothing uses are left out.
      treeshake: { manualPureFunctions: ['z', 'closedText', 'observedWords', 'observedLine'] },
      plugins: [leanBuiltins, lightPackages(name)],
      // The entry has what others import of it, too: fewer files to open in a cold start.
      preserveEntrySignatures: 'allow-extension',
      checks: { pluginTimings: false },
      logLevel: 'warn',
    });
    const { output } = await bundle.generate({
      dir: join(outdir, name),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      minify: true,
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    await bundle.close();
    await mkdir(join(directory, name), { recursive: true });
    for (const part of output)
      await writeFile(join(directory, name, part.fileName), part.type === 'chunk' ? part.code : part.source);
    return [name, sizeOf(output.filter((part) => part.type === 'chunk'))] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}

function sizeOf(chunks: readonly OutputChunk[]): BundleSize {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const partsWith = (...files: readonly string[]): readonly OutputChunk[] => {
    const parts = new Set(files);
    for (const file of parts) for (const path of byName.get(file)?.imports ?? []) parts.add(path);
    return [...parts].flatMap((file) => byName.get(file) ?? []);
  };
  const bytes = (parts: readonly OutputChunk[]): number =>
    parts.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  const files = [...byName.keys()];
  const start = partsWith('index.mjs');
  return {
    start: bytes(start),
    most: Math.max(...files.map((file) => bytes(partsWith('index.mjs', file)))),
    all: bytes(chunks),
    from: sourcesOf(start),
  };
}

function sourcesOf(parts: readonly OutputChunk[]): BundleSize['from'] {
  const from: Record<string, number> = {};
  for (const { modules, code } of parts) {
    const long = Object.values(modules).reduce((sum, { renderedLength }) => sum + renderedLength, 0);
    for (const [file, { renderedLength }] of Object.entries(modules)) {
      const [, name = 'the bundler'] =
        /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? /(functions(?:\/[^/]+(?=\/))?)\//.exec(file) ?? [];
      from[name] = (from[name] ?? 0) + (renderedLength / long) * Buffer.byteLength(code);
    }
  }
  const rounded = Object.entries(from).map(([name, bytes]) => [name, Math.round(bytes)] as const);
  return Object.fromEntries(rounded.toSorted(([, one], [, other]) => other - one));
}

/** In Lambda credentials are environment variables; the credential sources of workstations need five more clients. */
const credentialsOfWorkstations: Ballast = {
  file: /@aws-sdk\/credential-provider-node\/dist-[a-z]+\/index\.js$/,
  instead: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
};

/** Only one operation of S3 sends events (SelectObjectContent), and no function calls it. */
const eventStreams: Ballast = {
  file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
  instead: [
    'export const eventStreamSerdeProvider = () => undefined;',
    'export const resolveEventStreamSerdeConfig = (input) => input;',
    "export class EventStreamSerde { constructor() { throw new Error('streams of events are not in this bundle'); } }",
  ].join('\n'),
};

/** Addresses of a service that a client asks for: DynamoDB's is known. The cache of them needs two packages. */
const askedAddresses: Ballast = {
  file: /@aws-sdk\/endpoint-cache\/dist-es\/EndpointCache\.js$/,
  instead:
    'export class EndpointCache { get() {} getEndpoint() {} has() { return false; } set() {} delete() {} clear() {} }',
};

/** Pages of operations that no function asks for, in each client: those that nothing uses are left out, with their operations. */
const idlePages: Ballast = {
  file: /@aws-sdk\/[\w-]+\/dist-es\/pagination\/\w+Paginator\.js$/,
  instead: (text) => text.replace('= createPaginator(', '= /*#__PURE__*/ createPaginator('),
};

/** The OpenAPI document is a twentieth of a bundle that one route in a hundred needs. */
const packedDocument: Ballast = {
  file: /docs\/openapi\.json$/,
  instead: (text) => {
    const packed = brotliCompressSync(JSON.stringify(JSON.parse(text))).toString('base64');
    const unpack = `JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString())`;
    return `import { brotliDecompressSync } from 'node:zlib'; export default ${unpack};`;
  },
};

/** What the documentation says of each kind of event: a function needs its level. */
const textsOfEvents: Ballast = {
  file: /functions\/domain\/(?:tool-)?event-kinds\.ts$/,
  instead: (text) => text.replaceAll(/,\s*(?:when|fault): '(?:[^'\\]|\\.)*'/g, ''),
};

/** What fields of the API mean, which the OpenAPI document says. Faults of documents quote descriptions of their own schemas, in functions/domain. */
const textsOfContracts: Ballast = {
  file: /functions\/contracts\/.*\.ts$/,
  instead: (text) => text.replaceAll(descriptionOfField, (call) => call.replaceAll(/[^\n]/g, '')),
};

/** The same of documents: most functions read only what was accepted, and report no fault of a field. */
const textsOfDocuments: Ballast = { ...textsOfContracts, file: /functions\/domain\/.*\.ts$/ };
/** Functions that are given documents of users. */
const reportersOfFaults: readonly string[] = ['router', 'submit-cluster', 'sync-sources'];

const descriptionOfField = /\s*\.describe\(\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`),?\s*\)/g;

/** Its exports are there, and do nothing. */
function withoutPart(file: (typeof idleParts)[number]): Ballast {
  const source = readFileSync(resolve('zod/v4/core').replace(/index\.c?js$/, `${file}.js`), 'utf8');
  const names = [...source.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name);
  const instead = `const none = () => {};\nexport { ${names.map((name) => `none as ${name}`).join(', ')} };`;
  return { file: new RegExp(`zod/v4/core/${file}\\.js$`), instead };
}

const ballast = [
  ...commonBallast,
  ...[schemaReader, credentialsOfWorkstations, eventStreams, askedAddresses, idlePages, packedDocument],
  ...[textsOfEvents, textsOfContracts],
  ...[plainKeys, plainErrors, sharedSchemas],
  ...idleParts.map(withoutPart),
];

/** @param name of the function */
function lightPackages(name: string): Plugin {
  const parts = reportersOfFaults.includes(name) ? ballast : [...ballast, textsOfDocuments];
  return {
    name: 'light-packages',
    load: {
      filter: { id: parts.map(({ file }) => file) },
      async handler(id) {
        const part = parts.find(({ file }) => file.test(id));
        return part && { code: await lightened(part, id), moduleType: id.endsWith('.ts') ? 'ts' : 'js' };
      },
    },
  };
}

/**
 * An `import` of one of these modules of Node reads all that it exports, WebSocket and WebCrypto included, which loads much
 * more: 20 ms of a cold start. A `require` does not.
 */
const leanBuiltins: Plugin = {
  name: 'lean-builtins',
  resolveId: {
    filter: { id: /^(node:)?(https?|crypto)$/ },
    handler: (id, importer) => (importer?.startsWith(leanMark) ? undefined : leanMark + id),
  },
  load: {
    filter: { id: /^\0lean:/ },
    handler: (id) => `module.exports = require(${JSON.stringify(id.slice(leanMark.length))});`,
  },
};
const leanMark = '\0lean:';
