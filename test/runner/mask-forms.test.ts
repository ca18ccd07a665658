/** Kinds of secrets in every form that tools print: nothing of a secret can be read after the mask. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outerForms, textForms } from '#domain/observed/secret-forms.ts';
import { SecretMask } from '#runner/secret-mask.ts';

/** What is registered, and the texts in it that must never be shown. */
const kinds: Readonly<Record<string, readonly [value: string, ...secret: string[]]>> = {
  'a token': ['hcl0ud-T0ken_4f8d9a7b6c5e'],
  'a password with every sign': [`p&ss<w>o"r'd$\`!\\ é{x} 50%/+=?#`],
  'a key of AWS': ['wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'],
  'the credentials file of AWS': [
    '[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalr/XUtnFEMI&K7MDENG',
    'wJalr/XUtnFEMI&K7MDENG',
  ],
  'a clouds.yaml': [
    'clouds:\n  prod:\n    auth: {username: admin, password: "hun&ter<2>-long"}\n    region_name: RegionOne',
    'hun&ter<2>-long',
  ],
  'a key of Google': [
    JSON.stringify({
      type: 'service_account',
      private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n',
      private_key_id: '8f14e45fceea167a5a36',
    }),
    'MIIEvQIBADANBgkqhkiG9w0BAQEF',
    '8f14e45fceea167a5a36',
  ],
  'a connection string': ['Endpoint=sb://x.example.com/;AccountKey=Zm9vYmFyYmF6cXV4/+&9', 'Zm9vYmFyYmF6cXV4/+&9'],
  'a file of keys in a shell': ["export OS_PASSWORD='s3cr&t <word>'\nexport OS_REGION_NAME=GRA", 's3cr&t <word>'],
};

const wrapped = (width: number) => (text: string) =>
  text.match(new RegExp(`[\\s\\S]{1,${width}}`, 'g'))?.join('\n') ?? text;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const more: Readonly<Record<string, (text: string) => string>> = {
  base64,
  'base64 between other text': (text) => base64(`user:${text};`),
  'base64 with a newline': (text) => base64(`${text}\n`),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in JSON': (text) => JSON.stringify({ data: base64(text) }),
  'a colour inside': (text) => `${text.slice(0, 4)}\u001b[1m${text.slice(4)}`,
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify({ text })),
  'JSON in JSON in JSON of Go': (text) => textForms['json of Go'](textForms['json of Go'](text)),
};
const encodings = {
  ...textForms,
  ...Object.fromEntries(
    outerForms.map((outer, at) => [
      `json of Go in outer form ${at}`,
      (text: string) => outer(textForms['json of Go'](text)),
    ]),
  ),
  ...Object.fromEntries(
    outerForms.map((outer, at) => [`a url in outer form ${at}`, (text: string) => outer(textForms.url(text))]),
  ),
  ...more,
};

it('the mask is tried with at least 60 encodings', () => {
  expect(Object.keys(encodings).length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(kinds))('%s', (_, [value, ...secrets]) => {
  const mask = new SecretMask();
  mask.add([value]);

  it.each(Object.entries(encodings))('it is hidden as %s', (_name, encode) => {
    for (const secret of secrets.length > 0 ? secrets : [value]) {
      const shown = mask.hide(`before <${encode(secret)}> after`);
      expect(shown).toContain('***');
      // Quotes of the encoding and the end of a key may be left.
      expect(
        shown
          .replace('before <', '')
          .replace('> after', '')
          .replaceAll(/\*\*\*|[{}":\\,'dataexn_key-]/g, '').length,
      ).toBeLessThan(10);
    }
  });
});

it('a token that is wrapped, or cut, is hidden in every line that has 24 characters of it', () => {
  const token = 'x7Gd0pQz4LmN8sVt2WcYb5Rk1JhF9eUaXo3Ti6ZvBqMn';
  const mask = new SecretMask();
  mask.add([token]);
  expect(mask.hide(wrapped(25)(token)).split('\n')[0]).toBe('***');
  expect(mask.hide(token.slice(0, 30))).toBe('***');
  expect(mask.hide(token.slice(9))).toBe('***');
});

it('any text is hidden in every form', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 8, maxLength: 60 }),
      fc.constantFrom(...Object.keys(textForms)),
      (text, form) => {
        const value = text.trim();
        fc.pre(value.length >= 8 && value.isWellFormed());
        const mask = new SecretMask();
        mask.add([value]);
        const encode = textForms[form as keyof typeof textForms];
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are removed before
        fc.pre(!/[\u001b\u009b]/.test(value));
        expect(mask.hide(`[${encode(value)}]`)).toBe('[***]');
      },
    ),
  );
});

it('the values of names that errors of clouds have to show are no secrets, and neither are public addresses', () => {
  const mask = new SecretMask();
  mask.add([
    JSON.stringify({
      type: 'service_account',
      client_email: 'robot@my-project.example.com',
      token_uri: 'https://oauth2.example.com/token',
      private_key_id: '8f14e45fceea167a5a36',
    }),
  ]);
  const text = 'robot@my-project.example.com may not use https://oauth2.example.com/token as service_account';
  expect(mask.hide(text)).toBe(text);
});

it('a hostile line takes no longer than its length', () => {
  const mask = new SecretMask();
  mask.add(['a'.repeat(60), `${'ab'.repeat(40)}`, 'x-y-z-1-2-3-4']);
  for (const unit of ['a', 'ab', 'a.', 'a://', 'token:', ':// :', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----'])
    expect(mask.hide(unit.repeat(200_000)).length).toBeGreaterThan(0);
});
