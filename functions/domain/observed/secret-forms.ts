/** How tools print a text: escaped, quoted and encoded for the language that they write. Pure. */

type Encoder = (text: string) => string;

/** Replaces each character by the table, or by the function for those that match. */
const each =
  (pattern: RegExp, encode: (character: string) => string): Encoder =>
  (text) =>
    text.replace(pattern, encode);
const code = (character: string, radix: number, width: number) =>
  (character.codePointAt(0) ?? 0).toString(radix).padStart(width, '0');
const percent = (character: string) => [...Buffer.from(character)].map((byte) => `%${hexByte(byte)}`).join('');
const hexByte = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');
const bytesAs =
  (encode: (byte: number) => string, between = ''): Encoder =>
  (text) =>
    [...Buffer.from(text)].map(encode).join(between);
const lowerCodes: Encoder = (text) => text.replaceAll(/%[0-9A-F]{2}/g, (found) => found.toLowerCase());

const json: Encoder = (text) => JSON.stringify(text).slice(1, -1);
/** As Go writes JSON: Terraform, kubectl and KubeOne. */
const goJson: Encoder = (text) => each(/[<>&\u2028\u2029]/g, (one) => `\\u${code(one, 16, 4)}`)(json(text));
/** Python's and PHP's: ASCII only. */
const asciiJson: Encoder = (text) => each(/[^\x20-\x7e]/g, (one) => `\\u${code(one, 16, 4)}`)(json(text));
const slashJson: Encoder = (text) => json(text).replaceAll('/', '\\/');

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const special = /[&<>"']/g;
const xml = each(special, (one) => names[one] ?? one);
/** Without quotes, which only attributes need. */
const xmlText = each(/[&<>]/g, (one) => names[one] ?? one);
const xmlDecimal = each(special, (one) => `&#${code(one, 10, 1)};`);
const xmlPadded = each(special, (one) => `&#${code(one, 10, 3)};`);
const xmlHex = each(special, (one) => `&#x${code(one, 16, 1)};`);
const xmlHexUpper = each(special, (one) => `&#x${code(one, 16, 1).toUpperCase()};`);
/** Go: names for some, numbers for quotes and whitespace. */
const goXml = each(/[&<>"'\t\n\r]/g, (one) =>
  /[&<>]/.test(one)
    ? (names[one] ?? one)
    : /["']/.test(one)
      ? `&#${code(one, 10, 1)};`
      : `&#x${code(one, 16, 1).toUpperCase()};`,
);
/** Python: `'` as a number in hex. */
const pythonXml = each(special, (one) => (one === "'" ? '&#x27;' : (names[one] ?? one)));

/** Lone surrogates have no URL form. */
const uri: Encoder = (text) => encodeURIComponent(text.toWellFormed());
const strictUri = each(/[^A-Za-z0-9._~-]/gu, percent);
const form: Encoder = (text) => strictUri(text).replaceAll('%20', '+');
const browserForm: Encoder = (text) => new URLSearchParams([['', text]]).toString().slice(1);
const path = each(/[^A-Za-z0-9._~$&+=:@-]/gu, percent);
const wholeUri: Encoder = (text) => encodeURI(text.toWellFormed());

const backslashed = each(/["\\`$]/g, (one) => `\\${one}`);
const shellWord = each(/[^\w@%+=:,./-]/g, (one) => `\\${one}`);
const apostrophe = (instead: string): Encoder => each(/'/g, () => instead);
const controls: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const controlled = each(/[\n\t\r]/g, (one) => controls[one] ?? one);
const ansiC: Encoder = (text) => controlled(text.replaceAll(/['\\]/g, '\\$&'));
const repr: Encoder = (text) => controlled(text.replaceAll('\\', '\\\\'));
const goQuote: Encoder = (text) => controlled(text.replaceAll(/["\\]/g, '\\$&'));
const hcl: Encoder = (text) => goQuote(text).replaceAll(/[$%]\{/g, (two) => `${two[0]}${two}`);

const hex = bytesAs((byte) => byte.toString(16).padStart(2, '0'));
const hexWith = (between: string): Encoder => bytesAs((byte) => byte.toString(16).padStart(2, '0'), between);
const hexAfter = (before: string): Encoder => bytesAs((byte) => `${before}${byte.toString(16).padStart(2, '0')}`);
const upper =
  (encode: Encoder): Encoder =>
  (text) =>
    encode(text).toUpperCase();
const octal = bytesAs((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
const quotedPrintable = each(/[^\x21-\x3c\x3e-\x7e ]/gu, (one) => percent(one).replaceAll('%', '='));
const equals = each(/=/g, () => '=3D');

/** By what they are called; each for a whole text. */
export const textForms = {
  plain: (text) => text,
  json,
  'json of Go': goJson,
  'json in ASCII': asciiJson,
  'json with escaped slashes': slashJson,
  xml,
  'xml text': xmlText,
  'xml, decimal': xmlDecimal,
  'xml, decimal with zeros': xmlPadded,
  'xml, hex': xmlHex,
  'xml, hex in capitals': xmlHexUpper,
  'xml of Go': goXml,
  'xml of Python': pythonXml,
  url: uri,
  'url in small letters': (text) => lowerCodes(uri(text)),
  'url of RFC 3986': strictUri,
  'url of RFC 3986 in small letters': (text) => lowerCodes(strictUri(text)),
  form,
  'form in small letters': (text) => lowerCodes(form(text)),
  'form of a browser': browserForm,
  'path of a url': path,
  'whole url': wholeUri,
  'url twice': (text) => uri(uri(text)),
  "shell, '\\''": apostrophe("'\\''"),
  "shell, '\"'\"'": apostrophe(`'"'"'`),
  'shell, in double quotes': backslashed,
  'shell, backslashes': shellWord,
  "shell, $'…'": ansiC,
  'yaml, single quotes': apostrophe("''"),
  'csv, doubled quotes': (text) => text.replaceAll('"', '""'),
  'repr of Python': repr,
  "repr of Python with '": ansiC,
  '%q of Go': goQuote,
  hcl,
  'hex with colons': hexWith(':'),
  'hex with colons in capitals': upper(hexWith(':')),
  'hex with spaces': hexWith(' '),
  'hex with spaces in capitals': upper(hexWith(' ')),
  'hex with dashes': hexWith('-'),
  'hex, \\x': hexAfter('\\x'),
  'hex, \\x in capitals': (text) =>
    hexAfter('\\x')(text).replaceAll(/\\x[0-9a-f]{2}/g, (one) => `\\x${one.slice(2).toUpperCase()}`),
  'every byte of a url': hexAfter('%'),
  'every byte of a url in capitals': upper(hexAfter('%')),
  octal,
  'quoted-printable': quotedPrintable,
  'quoted-printable, = only': equals,
  hex,
  'hex in capitals': upper(hex),
  capitals: (text) => text.toUpperCase(),
  'small letters': (text) => text.toLowerCase(),
} as const satisfies Readonly<Record<string, Encoder>>;

/** Forms that other texts are put into once more: JSON in JSON, a URL in JSON, JSON in a shell's word. */
export const outerForms: readonly Encoder[] = [
  json,
  goJson,
  asciiJson,
  uri,
  form,
  xml,
  goXml,
  xmlDecimal,
  apostrophe("'\\''"),
  ansiC,
  goQuote,
];

/** Forms that are put into others; encodings of every byte are not, as nothing in them is special. */
const inner: readonly Encoder[] = [
  json,
  goJson,
  asciiJson,
  uri,
  strictUri,
  form,
  xml,
  goXml,
  backslashed,
  apostrophe("''"),
];

/** Every form of a text, and the usual ones in one another. */
export function formsOfText(text: string): ReadonlySet<string> {
  const all = [...Object.values(textForms), ...outerForms].map((encode) => encode(text));
  const nested = [...new Set(inner.map((encode) => encode(text)))]
    .filter((one) => one !== text)
    .flatMap((one) => outerForms.map((encode) => encode(one)));
  return new Set([...all, ...nested]);
}

/** Number of characters of a longer base64 text that are searched for: `base64` breaks its lines after 76, so any line contains a whole piece. */
const base64Piece = 36;
/** Shorter ones are too likely to be something else. */
const shortestPiece = 8;

/**
 * What base64 of any text has in it when the value is a part of that text. Three bytes become four characters, so it
 * depends on how many bytes are before the value; those that share a group with what is around it are left out.
 */
export function base64Pieces(value: string): readonly string[] {
  const bytes = Buffer.from(value.trim());
  return [0, 1, 2].flatMap((begin) => {
    const groups = Math.floor((bytes.length - begin) / 3);
    const inner = bytes.subarray(begin, begin + 3 * groups);
    return (['base64', 'base64url'] as const).flatMap((alphabet) => {
      const text = inner.toString(alphabet);
      const count = Math.max(1, Math.floor(text.length / base64Piece));
      const pieces = Array.from({ length: count }, (_, at) => text.slice(at * base64Piece, (at + 1) * base64Piece));
      return pieces.filter((piece) => piece.length >= shortestPiece);
    });
  });
}
