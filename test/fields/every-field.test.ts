/** No field of a document is accepted and then ignored: another value of it changes what follows, or it is listed with who reads it, or why no one does. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Config } from '#contracts/config.ts';
import { documentShapes, jsonSchemaOf } from '#domain/documents/json-schema.ts';
import { isMap } from '#domain/json.ts';
import { effectOf } from './effects.ts';
import { changed, type Leaf, leavesOf, otherValues, placesOf, valueAt } from './leaves.ts';
import { forPeople, readElsewhere } from './read-elsewhere.ts';

const root = join(import.meta.dirname, '../..');
const sets = [
  'examples/*.yaml',
  'examples/*/',
  'test/manifests/valid/*.yaml',
  'test/machine-groups/*.yaml',
  'test/fields/*.yaml',
];

/** Documents of a file, or of a folder of files that belong together. */
const documentSets: readonly (readonly unknown[])[] = sets
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((name) =>
    /\.yaml$/.test(name) ? [name] : globSync('*.yaml', { cwd: join(root, name) }).map((one) => join(name, one)),
  )
  .map((names) =>
    names.flatMap((name) =>
      parseAllDocuments(readFileSync(join(root, name), 'utf8'), { merge: true }).map((one) => one.toJS() as unknown),
    ),
  );

const accepts = (kind: keyof typeof documentShapes, document: unknown): boolean =>
  documentShapes[kind].safeParse(document).success;

interface Found {
  /** Some example has it. */
  readonly isShown: boolean;
  readonly isRead: boolean;
}

/** Whether any other value that the schema allows changes what follows, in any example. */
function lookFor(kind: keyof typeof documentShapes, leaf: Leaf): Found {
  let isShown = false;
  for (const set of documentSets)
    for (const document of set) {
      if (!isMap(document) || document.kind !== kind || !accepts(kind, document)) continue;
      const others = set.filter((one) => one !== document);
      for (const place of placesOf(document, leaf.path)) {
        isShown = true;
        const before = JSON.stringify(effectOf(document, others));
        for (const value of otherValues(valueAt(document, place), leaf)) {
          const other = changed(document, place, value);
          if (accepts(kind, other) && JSON.stringify(effectOf(other, others)) !== before)
            return { isShown, isRead: true };
        }
      }
    }
  return { isShown, isRead: false };
}

const listed = (table: Readonly<Record<string, unknown>>, kind: string, path: string): boolean =>
  Object.hasOwn(table, `${kind} ${path}`) || Object.hasOwn(table, path);

describe.each(Object.keys(documentShapes) as (keyof typeof documentShapes)[])('fields of %s', (kind) => {
  const leaves = leavesOf(jsonSchemaOf(documentShapes[kind]));
  it('another value of each field changes what follows from the document, or the field is listed', () => {
    const unlisted = leaves.filter(({ path }) => !listed(readElsewhere, kind, path) && !listed(forPeople, kind, path));
    const found = unlisted.map((leaf) => [leaf.path, lookFor(kind, leaf)] as const);
    expect(found.filter(([, { isShown }]) => !isShown).map(([path]) => path)).toEqual([]);
    expect(found.filter(([, { isRead }]) => !isRead).map(([path]) => path)).toEqual([]);
  });
});

describe('fields that are listed', () => {
  const fields = Object.entries(documentShapes).flatMap(([kind, shape]) =>
    leavesOf(jsonSchemaOf(shape)).flatMap(({ path }) => [path, `${kind} ${path}`]),
  );
  it('each entry names a field that there is, once', () => {
    const entries = [...Object.keys(readElsewhere), ...Object.keys(forPeople)];
    expect(entries.filter((entry) => !fields.includes(entry))).toEqual([]);
    expect(new Set(entries).size).toBe(entries.length);
  });
  it.each(Object.entries(readElsewhere))('%s is read in %s', (entry, file) => {
    const name =
      entry
        .split(/[ .]/)
        .filter((step) => step !== '*')
        .at(-1)
        ?.replace('[]', '') ?? '';
    const text = readFileSync(join(root, file), 'utf8');
    expect(text).toMatch(new RegExp(`[.{,']\\s*(readonly )?${name}\\b(?! *=>)`));
  });
});

describe('settings of an installation', () => {
  const files = globSync('{functions,runner-images,local,agent}/**/*.ts', { cwd: root }).filter(
    (name) => name !== 'functions/contracts/config.ts' && !name.includes('node_modules'),
  );
  const product = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
  it.each(Object.keys(Config.shape))('%s is read', (name) => {
    // As `config.NAME`, or taken out of it.
    expect(new RegExp(`[.]${name}\\b|[{,]\\s*${name}\\b`).test(product)).toBe(true);
  });
});
