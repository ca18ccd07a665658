/** The house rules that a machine can hold: who may import whom, how long a file may be, where processes write. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allSources, circleIn, importsOf, sources } from '../../scripts/import-graph.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Who may import what inside the repository, by path prefix; the first rule that fits a file counts. */
const mayImport: readonly (readonly [from: string, to: readonly string[]])[] = [
  ['functions/domain/', ['functions/domain/']],
  ['functions/documents/', ['functions/documents/', 'functions/domain/', 'functions/contracts/']],
  ['functions/contracts/', ['functions/contracts/', 'functions/domain/']],
  [
    'functions/rendering/',
    ['functions/rendering/', 'functions/documents/', 'functions/domain/', 'functions/contracts/'],
  ],
  ['functions/adapters/', ['functions/']],
  ['functions/', ['functions/']],
  ['runner-images/runner/', ['runner-images/runner/', 'functions/']],
  ['runner-images/', ['runner-images/']],
  ['agent/', ['agent/', 'functions/contracts/', 'functions/domain/']],
  ['operator/', ['operator/', 'client/', 'functions/contracts/', 'functions/domain/']],
  ['client/', ['client/', 'functions/contracts/']],
  ['console/', ['console/', 'functions/contracts/']],
  // What bundles leave out is the same for functions and for runners.
  ['cdk/', ['cdk/', 'functions/', 'state-machines/', 'runner-images/bundle-ballast.ts']],
  ['cli/provider-kit/', ['cli/provider-kit/', 'functions/rendering/', 'functions/domain/']],
  // What a package may import is held by packages.test.ts.
  ['packages/', ['packages/']],
  // Is copied to machines as it is, where nothing else is.
  ['local/kubeone/node/', ['local/kubeone/node/']],
  ['local/', ['local/', 'functions/', 'packages/', 'runner-images/', 'state-machines/']],
  ['demo/', ['demo/', 'cli/', 'local/', 'functions/contracts/']],
  ['cli/', ['cli/', 'client/', 'functions/contracts/', 'functions/documents/', 'functions/domain/', 'local/']],
];

function offences(): string[] {
  return sources.flatMap((file) => {
    const rule = mayImport.find(([from]) => file.startsWith(from));
    if (!rule) return [`${file} has no rule`];
    return importsOf(file)
      .filter((target) =>
        /^(functions|runner-images|local|packages|client|cli|operator|agent|console|cdk|demo|test|bench|scripts)\//.test(
          target,
        ),
      )
      .filter((target) => !rule[1].some((prefix) => target.startsWith(prefix)))
      .map((target) => `${file} imports ${target}`);
  });
}

describe('the source files', () => {
  it('imports point inwards only', () => {
    expect(offences()).toEqual([]);
  });

  it('use cases and tasks import no handler of the API, and use cases no handler at all', () => {
    const forbidden = [
      { from: 'functions/tasks/', to: /^functions\/api\// },
      { from: 'functions/pipeline/', to: /^functions\/(api\/|tasks\/|http\.ts|middleware\.ts)/ },
    ];
    const strays = forbidden.flatMap(({ from, to }) =>
      sources
        .filter((file) => file.startsWith(from))
        .flatMap((file) =>
          importsOf(file)
            .filter((target) => to.test(target))
            .map((target) => `${file} imports ${target}`),
        ),
    );
    expect(strays).toEqual([]);
  });

  it('domain imports nothing but itself and zod', () => {
    const strays = sources
      .filter((file) => file.startsWith('functions/domain/'))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => target !== 'zod' && !target.startsWith('functions/domain/'))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(strays).toEqual([]);
  });

  it('imports have no circle', () => {
    const known = new Set(allSources);
    const graph = new Map(
      allSources.map((file) => [file, new Set(importsOf(file).filter((target) => known.has(target)))]),
    );
    expect(circleIn(graph)).toBeUndefined();
  });

  it('domain, documents, rendering and what decides about submissions import no AWS SDK, HTTP, files or clocks', () => {
    const pure = sources.filter((file) => /^functions\/(domain|documents|rendering|pipeline\/assessment)\//.test(file));
    const impure = pure.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const packages = importsOf(file).filter((target) =>
        /^(@aws-sdk|node:(fs|http|https|net|child_process|process)|@middy)/.test(target),
      );
      const globals = [...text.matchAll(/\b(Date\.now\(\)|new Date\(\)|Math\.random\(\)|process\.env)/g)].map(
        (match) => match[1],
      );
      return [...packages, ...globals].map((what) => `${file} uses ${what}`);
    });
    expect(impure).toEqual([]);
  });

  it('what decides about submissions awaits nothing and knows neither ports nor rooms that read', () => {
    const files = sources.filter((file) => file.startsWith('functions/pipeline/assessment/'));
    const offending = files.flatMap((file) => {
      const words = [...readFileSync(join(root, file), 'utf8').matchAll(/\b(async|await|Promise|deps)\b/g)];
      const rooms = importsOf(file)
        .filter((target) => target.startsWith('functions/'))
        .filter(
          (target) => !/^functions\/(domain|documents|contracts|pipeline\/(assessment|plans|records))\//.test(target),
        );
      return [...words.map(([word]) => word), ...rooms].map((what) => `${file} uses ${what}`);
    });
    expect(files.length).toBeGreaterThan(3);
    expect(offending).toEqual([]);
  });

  it('only adapters import the AWS SDK, and only one file middy', () => {
    const strays = sources
      .filter((file) => file.startsWith('functions/') || file.startsWith('runner-images/'))
      .flatMap((file) =>
        importsOf(file)
          .filter(
            (target) =>
              (target.startsWith('@aws-sdk/') &&
                !file.startsWith('functions/adapters/') &&
                file !== 'functions/wire.ts') ||
              (target.startsWith('@middy/') && file !== 'functions/middleware.ts'),
          )
          .map((target) => `${file} imports ${target}`),
      );
    expect(strays).toEqual([]);
  });

  it('no production file checks whether it runs locally', () => {
    const knowing = sources
      .filter((file) => file.startsWith('functions/') || file.startsWith('runner-images/') || file.startsWith('cdk/'))
      .filter((file) =>
        /KUBELOOM_LOCAL|IS_LOCAL|isLocal|process\.env\[?['.]?LOCAL/.test(readFileSync(join(root, file), 'utf8')),
      );
    expect(knowing).toEqual([]);
  });

  it('no file is longer than 300 lines', () => {
    const long = allSources
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 300)
      .map(({ file, lines }) => `${file}: ${lines} lines`);
    expect(long).toEqual([]);
  });

  it('no object is written as a spread of objects to save lines', () => {
    const packed = allSources.filter((file) => /[,{]\s+\.\.\.\{/.test(readFileSync(join(root, file), 'utf8')));
    expect(packed).toEqual([]);
  });

  it('each file begins with a sentence about it', () => {
    const silent = sources.filter((file) => !/^(#![^\n]*\n)?\/\*\*/.test(readFileSync(join(root, file), 'utf8')));
    expect(silent).toEqual([]);
  });

  it('only files whose job it is write to the terminal', () => {
    const writers = sources
      .filter((file) => /\bconsole\.(log|error|warn|info)\(/.test(readFileSync(join(root, file), 'utf8')))
      .filter(
        (file) =>
          ![
            'functions/middleware.ts',
            'cli/print/output.ts',
            'cli/kubeloom.mjs',
            'local/server.ts',
            'runner-images/kubectl/fetch-documents.mjs',
          ].includes(file),
      );
    expect(writers).toEqual([]);
  });
});
