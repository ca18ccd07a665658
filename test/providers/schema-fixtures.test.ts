/** The fixtures say honestly what they are of, and are what the generator makes from the facts in this repository. */
import { describe, expect, it } from 'vitest';
import { readNotes } from '../../scripts/provider-schemas/from-notes.ts';
import { makeFixture, readFixture, typesFromNotes } from '../../scripts/provider-schemas/make-fixture.ts';
import { pinnedVersions, versionNote } from '../../scripts/provider-schemas/pinned.ts';
import { schemaSources, templatesDirectory } from '../../scripts/provider-schemas/sources.ts';
import { usedTypes } from '../../scripts/provider-schemas/used-types.ts';

const types = Object.keys(schemaSources);
const pinned = pinnedVersions(templatesDirectory);

describe('schema fixtures', () => {
  it.each(types)('the fixture of %s names its provider and its source', (type) => {
    const { provider, obtained } = readFixture(type);
    expect(provider).toBe(schemaSources[type]?.provider);
    expect(obtained).toMatch(/^(asked of the plugin|read from) .*@/);
  });

  it.each(types)('the fixture of %s names the pinned version when its schema is of another version', (type) => {
    const { provider, version, note = '' } = readFixture(type);
    expect(note).toContain(versionNote(version, pinned.get(provider)) ?? '');
  });

  it.each(types)('the fixture of %s has every resource and data source that a module uses', (type) => {
    const { schema } = readFixture(type);
    const used = usedTypes(templatesDirectory, schemaSources[type]?.name ?? '');
    const missing = [
      ...[...used.resources].filter((name) => !schema.resource_schemas[name]),
      ...[...used.dataSources].filter((name) => !schema.data_source_schemas[name]),
    ];
    expect(missing, 'run node scripts/provider-schemas/generate.ts').toEqual([]);
  });

  it.each(typesFromNotes)('the fixture of %s is what scripts/provider-schemas/read generates', (type) => {
    const options = { plugins: false, say: () => {} };
    expect(readFixture(type), 'run node scripts/provider-schemas/generate.ts').toEqual(makeFixture(type, options));
  });

  it('every pinned provider has a fixture', () => {
    const known = new Set(Object.values(schemaSources).map(({ provider }) => provider));
    expect([...pinned.keys()].filter((provider) => !known.has(provider))).toEqual([]);
  });
});

describe('notes from documentation', () => {
  const head = 'provider a/b 1.2.3\nfrom a/terraform-provider-b@0123 docs/x.md\n';

  it('notes from documentation become a schema', () => {
    const notes = `${head}resource b_thing\n  name string required\n  block disk list min=1 max=2\n    size number optional computed\n  nested tags set optional\n    key string required\n`;
    expect(readNotes(notes, 'b.txt')).toEqual({
      provider: 'a/b',
      version: '1.2.3',
      from: 'a/terraform-provider-b@0123 docs/x.md',
      schema: {
        provider: {},
        data_source_schemas: {},
        resource_schemas: {
          b_thing: {
            attributes: {
              name: { type: 'string', required: true },
              tags: {
                nested_type: { nesting_mode: 'set', attributes: { key: { type: 'string', required: true } } },
                optional: true,
              },
            },
            block_types: {
              disk: {
                nesting_mode: 'list',
                block: { attributes: { size: { type: 'number', optional: true, computed: true } } },
                min_items: 1,
                max_items: 2,
              },
            },
          },
        },
      },
    });
  });

  it.each([
    ['resource b_thing\n  name text required', '"text" is no type'],
    ['resource b_thing\n  name string wanted', 'b.txt:4: say required'],
    ['resource b_thing\n  block disk many', '"many" is no way of nesting'],
    ['thing b_thing', '"thing" begins no section'],
  ])('notes that make no sense are refused: %s', (text, fault) => {
    expect(() => readNotes(head + text, 'b.txt')).toThrow(fault);
  });

  it('notes without their source are refused', () => {
    expect(() => readNotes('provider a/b 1.2.3', 'b.txt')).toThrow('it must say provider, version and from');
  });
});
