/** Texts of 990,000 characters for which expressions of before took minutes to hours: each is answered within the time of a test. */
import { parseXml } from 'aws-on-loopback/s3/xml.ts';
import { describe, expect, it } from 'vitest';
import { parseReference } from '#domain/inventory/template/expressions.ts';
import { RepositoryPath, RepositoryUrl } from '#domain/manifest/schema/template-git-reference.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { readXml } from '#runner/listing/xml.ts';
import { SecretMask } from '#runner/secret-mask.ts';

const size = 990_000;

describe('a text of 990,000 characters', () => {
  it.each([
    ['dots', '.'.repeat(size)],
    ['slashes', `a.b${'/'.repeat(size)} `],
    ['white space', ' '.repeat(size)],
  ])('a long text is no address or folder of a repository, and only its length is a fault: %s', (_, text) => {
    for (const schema of [RepositoryUrl, RepositoryPath]) {
      const messages = schema.safeParse(text).error?.issues.map(({ message }) => message);
      expect(messages).toEqual([expect.stringMatching(/^has more than \d+ characters; shorten it$/)]);
    }
  });

  it.each([
    ['white space in a step', `A??"${'\t'.repeat(size)}\t??"]`],
    ['white space at the end', `A ??${' '.repeat(size)}`],
    ['white space without a value', `A${'\t'.repeat(size)}!`],
    ['steps', `A${'["a"]'.repeat(size / 5)}!`],
    ['escapes that JSON does not have', 'A["\\x"]'],
  ])('a long text is no reference: %s', (_, text) => {
    expect(parseReference(text)).toBeUndefined();
  });

  it('a long text loses what it ends with', () => {
    expect(trimmedEnd(`a${'/'.repeat(size)}`, '/')).toBe('a');
    expect(trimmedEnd(`${'/'.repeat(size)}a`, '/')).toBe(`${'/'.repeat(size)}a`);
  });

  it('a long text is not XML', () => {
    for (const text of ['<a'.repeat(size / 2), `<${'a'.repeat(size)}`, '<!'.repeat(size / 2)])
      expect(() => parseXml(text)).toThrow();
    expect(() => readXml(`<a>${'<!'.repeat(size / 2)}`)).toThrow(SyntaxError);
  });

  it('a long text is masked', () => {
    const mask = new SecretMask();
    expect(mask.hide(`${'a.'.repeat(size / 2)} https://user:word@host`)).toMatch(/ https:\/\/user:\*\*\*@host$/);
  });
});

describe('an expression of an inventory', () => {
  it.each([
    ['values.a', { root: 'values', path: ['a'] }],
    [' values["x y"][0] ', { root: 'values', path: ['x y', '0'] }],
    ['values.a ?? {"b": "??"} ', { root: 'values', path: ['a'], otherwise: { value: { b: '??' } } }],
    ['values.a??3', { root: 'values', path: ['a'], otherwise: { value: 3 } }],
    ['values.a ??', undefined],
    ['values.a b', undefined],
    ['values.a ? 3', undefined],
  ])('%s is read as before', (text, reference) => {
    expect(parseReference(text)).toEqual(reference);
  });
});
