import { describe, expect, it } from 'vitest';
import { Composer } from 'yaml';
import { parseDocuments } from '#documents/parse-documents.ts';
import { placeOf } from '#documents/text-places.ts';

/** Each fault as `line:column reason`, or its reason alone. */
const reasons = (source: string | Uint8Array, limits = {}) =>
  parseDocuments(source, limits).faults.map(({ line, column, reason }) =>
    line === undefined ? reason : `${line}:${column} ${reason}`,
  );

describe('parseDocuments', () => {
  it('several YAML documents are read, and empty ones are skipped', () => {
    const { documents, faults } = parseDocuments('# head\n---\na: 1\n---\n---\n# nothing\n---\nb: [x]\n');

    expect(documents).toEqual([{ a: 1 }, { b: ['x'] }]);
    expect(faults).toEqual([]);
  });

  it('JSON is read, also when it is indented with tabs', () => {
    expect(parseDocuments('{\n\t"a": {\n\t\t"b": [1, null]\n\t}\n}').documents).toEqual([{ a: { b: [1, null] } }]);
  });

  it('words are read as in YAML 1.2, whatever version the document declares', () => {
    const { documents } = parseDocuments('%YAML 1.1\n---\nmode: on\ndate: 2026-01-01\n');

    expect(documents).toEqual([{ mode: 'on', date: '2026-01-01' }]);
  });

  it('bytes with a byte order mark, and merge keys, are read', () => {
    const text = '\uFEFFbase: &base {a: 1}\nmore: {<<: *base, b: 2}\n';

    expect(parseDocuments(new TextEncoder().encode(text)).documents).toEqual([
      { base: { a: 1 }, more: { a: 1, b: 2 } },
    ]);
  });

  it('good documents are kept among bad ones', () => {
    const { documents, faults } = parseDocuments('a: 1\n---\nb: [\n---\nc: 3\n');

    expect(documents).toEqual([{ a: 1 }, { c: 3 }]);
    expect(faults.length).toBeGreaterThan(0);
  });

  it.each([
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0x3a, 0xff]), ['the text is not UTF-8']],
    ['nothing', '', ['there is no document']],
    ['only comments', '# a\n---\n# b\n', ['there is no document']],
    ['a tab as indentation', 'a:\n\tb: 1\n', ['2:1 tabs are not allowed as indentation']],
    ['a tag', 'a: !!binary aGk=\n', ['1:4 unresolved tag: tag:yaml.org,2002:binary']],
    ['an alias without anchor', 'a: *b\n', ['unresolved alias (the anchor must be set before the alias): b']],
    ['a double key in JSON', '{"a": 1, "b": 2, "a": 3}', ['1:18 the key "a" is in the same map twice']],
    ['a number and its text as keys', '1: a\n"1": b\n', ['2:1 the key "1" is in the same map twice']],
  ])('a text of %s is refused', (_, source, expected) => {
    expect(reasons(source)).toEqual(expected);
  });

  it('a text that is too large is refused before it is parsed', () => {
    expect(reasons('a: 1\n'.repeat(10), { maxBytes: 40 })).toEqual(['the text has 50 bytes, at most 40 are accepted']);
  });

  it('more documents than the limit are refused', () => {
    expect(reasons('a: 1\n---\n'.repeat(4), { maxDocuments: 3 })).toEqual([
      'there are more documents than the 3 that are accepted',
    ]);
  });

  it.each(['[', '- ', '{a: ', '? '])('a text of 100,000 times "%s" is refused without a stack overflow', (text) => {
    const { documents, faults } = parseDocuments(text.repeat(100_000));

    expect(documents).toEqual([]);
    expect(faults[0]?.reason).toMatch(/nested too deeply|more than 40 deep/);
  });

  it('aliases that make a small text large are refused, nested or repeated', () => {
    const nested = Array.from({ length: 9 }, (_, i) => `k${i}: &a${i} [${`*a${i - 1},`.repeat(i ? 10 : 0)}x]`).join(
      '\n',
    );
    const often = `a: &a ${'x'.repeat(50_000)}\nb: [${'*a,'.repeat(500)}]\n`;

    expect(reasons(nested)).toEqual(['the aliases of this document make it far larger than its text']);
    expect(reasons(often)).toEqual(['the aliases of this document make it far larger than its text']);
  });

  it('ordinary aliases are accepted', () => {
    const { documents, faults } = parseDocuments(`a: &a {x: 1}\nb: [${'*a,'.repeat(300)}]\n`);

    expect(faults).toEqual([]);
    expect(documents).toHaveLength(1);
  });

  it('a text of 30,000 keys is read in linear time', () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n');

    expect(Object.keys(parseDocuments(text).documents[0] ?? {})).toHaveLength(30_000);
  });

  it('the place of a path is its line and column, or those of the nearest parent', () => {
    const [document] = parseDocuments('a: 1\nb:\n  - c: 2\n  - d: 3\n    e: 4\n').documents;
    const textOf = (path: string) => Object.values(placeOf(document, path) ?? {}).join(':');

    expect(['', 'a', 'b[1].e', 'b[1].missing', 'b[7]'].map(textOf)).toEqual(['1:1', '1:1', '5:5', '4:5', '2:1']);
  });
});

describe('List documents', () => {
  const list = (items: string) => `a: 1\n---\napiVersion: v1\nkind: List\nmetadata: {}\nitems:${items}\n---\nz: 9\n`;

  it('a List is read as its documents, in order', () => {
    const { documents, faults } = parseDocuments(list('\n- b: [2]\n-\n- c: 3'));

    expect(documents).toEqual([{ a: 1 }, { b: [2] }, { c: 3 }, { z: 9 }]);
    expect(faults).toEqual([]);
  });

  it('the items of a List, and their parts, keep their places', () => {
    const { documents } = parseDocuments(list('\n- b: 1\n- c:\n    - d: 3\n      e: 4'));
    const places = ['', 'c[0].e', '["odd key"]'].map((path) =>
      Object.values(placeOf(documents[2], path) ?? {}).join(':'),
    );

    expect(places).toEqual(['8:3', '10:7', '8:3']);
  });

  it.each([
    [
      'inside of another one',
      list('\n- b: 1\n- {apiVersion: v1, kind: List, items: []}'),
      '8:3 a List cannot hold another List',
    ],
    ['without a list of items', list(' {b: 1}'), '6:1 a List needs a list of items'],
    ['without its apiVersion', 'kind: List\nitems: []\n', '1:1 a List has another apiVersion'],
  ])('a List is refused %s', (_, text, expected) => {
    expect(reasons(text)).toEqual([expected]);
  });

  it('a List may have as many items as a text may have documents', () => {
    expect(reasons(list('\n- b: 1'.repeat(5)), { maxDocuments: 6 })).toEqual([
      'there are more documents than the 6 that are accepted',
    ]);
  });
});

describe('hostile texts', () => {
  const size = 990_000;
  const filled = (begin: string, piece: string, end = '') => begin + piece.repeat(size / piece.length) + end;

  it.each([
    ['commas in a map', filled('{', ',', '}'), '1:3 there is nothing between these two commas'],
    ['commas in a list', filled('[', ',', ']'), '1:3 there is nothing between these two commas'],
    ['brackets that close nothing', filled('', '}\n'), '1:1 this bracket closes nothing'],
    ['brackets inside of each other', filled('', '['), '1:41 lists and maps are more than 40 deep here'],
    ['brackets that the indentation leaves open', filled('a:\n  ', '{\n'), '23:1 the bracket above is not closed'],
    ['marks of lists', filled('', '- '), '1:81 lists and maps are more than 40 deep here'],
    ['ends of documents', '...\n'.repeat(90_000), 'there is no document'],
    ['documents', '--- a\n'.repeat(40_000), 'there are more documents than the 200 that are accepted'],
    ['values one after the other', '"a" '.repeat(40_000), /^1:5 unexpected double-quoted-scalar/],
    ['anchors one after the other', '&a '.repeat(40_000), /^1:4 a node can have at most one anchor/],
    ['one key again and again', filled('', 'a: 1\n'), /the text has more than 100000 keys, values and marks/],
  ])('a hostile text of %s is one fault', (_, text, expected) => {
    const found = reasons(text);

    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
  });

  it('the YAML library has the hook that stops parsing at the first error', () => {
    expect(new Composer()).toHaveProperty('onError');
  });

  it('a text with many duplicate keys is reported with the first hundred', () => {
    expect(parseDocuments('a: 1\n'.repeat(20_000)).faults).toHaveLength(100);
  });

  it('a key that is too long is refused, as each fault below it would repeat it', () => {
    expect(reasons(`${'k'.repeat(1000)}: {a: 1}`)).toEqual([
      `1:1 the key "${'k'.repeat(60)}…" has 1000 characters, at most 400 are accepted`,
    ]);
  });
});
