/** No form in which tools usually print a secret gets through the mask. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretMask } from '#runner/secret-mask.ts';

const secret = fc
  .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 200 })
  .filter((text) => text.trim() === text);

function maskOf(value: string): SecretMask {
  const mask = new SecretMask();
  mask.add([value]);
  return mask;
}

/** Whether three groups of base64 in a row, of text that is all the value's, can be read. */
function shows(text: string, value: string): boolean {
  const parts = text.match(/[\w+/-]{12,}/g) ?? [];
  return parts.some((part) =>
    [0, 1, 2, 3].some((skip) => {
      const decoded = Buffer.from(part.slice(skip), 'base64').toString('latin1');
      return decoded.length >= 8 && value.includes(decoded.slice(0, 8));
    }),
  );
}

describe('tokens that nodes join with', () => {
  const mask = new SecretMask();
  // KubeOne prints the script that failed, with the token in it.
  it.each([
    '\\tsudo kubeadm --v=6 token create dipw1j.secgwpki911iqv8x --ttl 1h0m0s',
    'stdout: \\ndipw1j.secgwpki911iqv8x\\n',
    'token: "dipw1j.secgwpki911iqv8x"',
  ])('a token of kubeadm is hidden: %s', (line) => expect(mask.hide(line)).not.toContain('secgwpki911iqv8x'));

  it.each(['https://worker.abcdefghijklmnop.example.com', 'a release v1.34.4', 'kubeadm.k8s.io/v1beta4'])(
    'what only resembles one stays: %s',
    (line) => expect(mask.hide(line)).toBe(line),
  );
});

describe('secrets', () => {
  it.each([
    ['base64 with a newline', (value: string) => Buffer.from(`${value}\n`).toString('base64')],
    ['base64 of user and password', (value: string) => `Basic ${Buffer.from(`me:${value}`).toString('base64')}`],
    ['base64url', (value: string) => Buffer.from(`a${value}b`).toString('base64url')],
    ['hex', (value: string) => Buffer.from(value).toString('hex')],
    ['hex in capitals', (value: string) => Buffer.from(value).toString('hex').toUpperCase()],
    ['capitals', (value: string) => value.toUpperCase()],
    ['URL encoding', (value: string) => encodeURIComponent(value)],
    ['URL encoding in small letters', (value: string) => encodeURIComponent(value).toLowerCase()],
    ['a colour in its middle', (value: string) => `${value.slice(0, 5)}\u001b[31m${value.slice(5)}\u001b[0m`],
  ])('a secret is hidden as %s', (_, printed) => {
    const value = 'kumquat/lychee+9?==';
    expect(maskOf(value).hide(`before ${printed(value)} after`)).toMatch(/^before (Basic )?\*\*\* after$/);
  });

  it('a secret is hidden in base64, whatever is before and after it', () => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (value, before, after) => {
        const text = Buffer.from(before + value + after).toString('base64');
        expect(maskOf(value).hide(`x ${text} y`)).toBe('x *** y');
      }),
    );
  });

  it('a secret in base64 is hidden in every line of 76 characters that has nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 300, maxLength: 600 }), fc.nat(80), (long, before) => {
        const value = long.trim().padEnd(300, 'z');
        const text = Buffer.from('-'.repeat(before) + value).toString('base64');
        const lines = text.match(/.{1,76}/g) ?? [];
        const first = Math.ceil((before + 3) / 57);
        const own = lines.slice(first, -1).map((line) => maskOf(value).hide(line));
        expect(own.length).toBeGreaterThan(2);
        expect(own.filter((line) => shows(line, value))).toEqual([]);
        expect(new Set(own)).toEqual(new Set(['***']));
      }),
    );
  });

  it('a text without secrets stays as it is', () => {
    expect(maskOf('kumquat/lychee').hide('apply: 3 nodes, aGVsbG8gd29ybGQ=, /usr/lib')).toBe(
      'apply: 3 nodes, aGVsbG8gd29ybGQ=, /usr/lib',
    );
  });
});
