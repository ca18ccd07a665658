import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#contracts/documents.ts';

const reasons = (source: string | Uint8Array, limits = {}) =>
  parseDocuments(source, limits).faults.map(({ reason }) => reason);

describe('parseDocuments', () => {
  it('reads several YAML documents and skips empty ones', () => {
    const { documents, faults } = parseDocuments('# head\n---\na: 1\n---\n---\n# nothing\n---\nb: [x]\n');

    expect(documents).toEqual([{ a: 1 }, { b: ['x'] }]);
    expect(faults).toEqual([]);
  });

  it('reads JSON, indented with tabs too', () => {
    expect(parseDocuments('{\n\t"a": {\n\t\t"b": [1, null]\n\t}\n}').documents).toEqual([{ a: { b: [1, null] } }]);
  });

  it('reads words as YAML 1.2 does, whatever the document says of itself', () => {
    const { documents } = parseDocuments('%YAML 1.1\n---\nmode: on\ndate: 2026-01-01\n');

    expect(documents).toEqual([{ mode: 'on', date: '2026-01-01' }]);
  });

  it('reads bytes with a byte order mark, and merge keys', () => {
    const text = '\uFEFFbase: &base {a: 1}\nmore: {<<: *base, b: 2}\n';

    expect(parseDocuments(new TextEncoder().encode(text)).documents).toEqual([
      { base: { a: 1 }, more: { a: 1, b: 2 } },
    ]);
  });

  it('keeps the good documents beside the bad ones', () => {
    const { documents, faults } = parseDocuments('a: 1\n---\nb: [\n---\nc: 3\n');

    expect(documents).toEqual([{ a: 1 }, { c: 3 }]);
    expect(faults.length).toBeGreaterThan(0);
  });

  it.each([
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0x3a, 0xff]), ['the text is not UTF-8']],
    ['nothing', '', ['there is no document']],
    ['only comments', '# a\n---\n# b\n', ['there is no document']],
    ['a tab as indentation', 'a:\n\tb: 1\n', ['line 2, column 1: tabs are not allowed as indentation']],
    ['a tag', 'a: !!binary aGk=\n', ['line 1, column 4: unresolved tag: tag:yaml.org,2002:binary']],
    ['an alias without anchor', 'a: *b\n', ['unresolved alias (the anchor must be set before the alias): b']],
    [
      'a double key in JSON',
      '{"a": 1, "b": 2, "a": 3}',
      ['line 1, column 18: the key "a" stands twice in the same map'],
    ],
    ['a number and its text as keys', '1: a\n"1": b\n', ['line 2, column 1: the key "1" stands twice in the same map']],
  ])('refuses %s', (_, source, expected) => {
    expect(reasons(source)).toEqual(expected);
  });

  it('refuses a text that is too large before reading it', () => {
    expect(reasons('a: 1\n'.repeat(10), { maxBytes: 40 })).toEqual(['the text has 50 bytes, at most 40 are accepted']);
  });

  it('refuses more documents than are accepted', () => {
    expect(reasons('a: 1\n---\n'.repeat(4), { maxDocuments: 3 })).toEqual([
      'there are 4 documents, at most 3 are accepted',
    ]);
  });

  it.each(['[', '- ', '{a: ', '? '])('refuses 100,000 times "%s" without falling over', (text) => {
    const { documents, faults } = parseDocuments(text.repeat(100_000));

    expect(documents).toEqual([]);
    expect(faults[0]?.reason).toMatch(/nested too deeply|more than 40 deep/);
  });

  it('refuses aliases that make a small text large, inside of each other or one large one often', () => {
    const nested = Array.from({ length: 9 }, (_, i) => `k${i}: &a${i} [${`*a${i - 1},`.repeat(i ? 10 : 0)}x]`).join(
      '\n',
    );
    const often = `a: &a ${'x'.repeat(50_000)}\nb: [${'*a,'.repeat(500)}]\n`;

    expect(reasons(nested)).toEqual(['the aliases of this document make it far larger than its text']);
    expect(reasons(often)).toEqual(['the aliases of this document make it far larger than its text']);
  });

  it('accepts the aliases that people use', () => {
    const { documents, faults } = parseDocuments(`a: &a {x: 1}\nb: [${'*a,'.repeat(300)}]\n`);

    expect(faults).toEqual([]);
    expect(documents).toHaveLength(1);
  });

  it('reads 60,000 keys in a time that grows with their number only', () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n');

    expect(Object.keys(parseDocuments(text).documents[0] ?? {})).toHaveLength(60_000);
  });

  it('tells the line of a path, or of what is nearest to it', () => {
    const [line] = parseDocuments('a: 1\nb:\n  - c: 2\n  - d: 3\n    e: 4\n').lines;

    expect(['', 'a', 'b[1].e', 'b[1].missing', 'b[7]'].map((path) => line?.(path))).toEqual([1, 1, 5, 4, 2]);
  });
});
