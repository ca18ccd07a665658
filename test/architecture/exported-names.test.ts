/** One name means one thing: who searches for an exported name finds one definition. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = [
  ...['agent', 'bench', 'cdk', 'cli', 'client', 'console', 'demo', 'functions', 'local', 'operator'],
  ...['packages/*/src', 'runner-images', 'scripts'],
];

/** Names that many files of one folder define, because something else loads the files by their paths. */
const allowed: Readonly<Record<string, { readonly files: RegExp; readonly because: string }>> = {
  handler: {
    files: /^functions\/(tasks\/|api\/(router|agents|build-credentials)\.ts)/,
    because: 'Lambda calls it by this name',
  },
  check: { files: /^runner-images\/runner\/provider-check\/clouds\//, because: 'loaded by the provider type' },
  list: { files: /^runner-images\/runner\/listing\/clouds\//, because: 'loaded by the provider type' },
  denies: { files: /^runner-images\/runner\/listing\/clouds\//, because: 'loaded by the provider type' },
  machines: { files: /^runner-images\/runner\/listing\/machines\//, because: 'loaded by the provider type' },
  catalogue: { files: /^scripts\/catalogue\/clouds\//, because: 'loaded by the provider type' },
  prices: { files: /^scripts\/prices\/clouds\//, because: 'loaded by the provider type' },
};

const definition =
  /^export (?:default )?(?:abstract )?(?:async )?(?:const|function\*?|class|type|interface|enum) +([A-Za-z_$][\w$]*)/gm;

function definitions(): ReadonlyMap<string, readonly string[]> {
  const files = globSync(`{${folders.join(',')}}/**/*.{ts,tsx,mjs}`, {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|cdk\.out|dist)(\/|$)/.test(path),
  });
  const found = files
    .sort()
    .flatMap((file) =>
      [...new Set([...readFileSync(root + file, 'utf8').matchAll(definition)].map(([, name = '']) => name))].map(
        (name) => ({ name, file }),
      ),
    );
  return new Map([...Map.groupBy(found, ({ name }) => name)].map(([name, all]) => [name, all.map(({ file }) => file)]));
}

describe('exported names', () => {
  const all = definitions();

  it('an exported name is defined in one file only', () => {
    const twice = [...all]
      .map(([name, files]) => [name, files.filter((file) => !allowed[name]?.files.test(file))] as const)
      .filter(([name, files]) => files.length > (name in allowed ? 0 : 1))
      .map(([name, files]) => `${name}: ${files.join(', ')}`);
    expect(all.size).toBeGreaterThan(2000);
    expect(twice).toEqual([]);
  });

  it('a name that may be defined in many files is still defined so', () => {
    expect(Object.keys(allowed).filter((name) => (all.get(name)?.length ?? 0) < 2)).toEqual([]);
  });
});
