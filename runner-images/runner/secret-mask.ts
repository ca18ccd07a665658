/** Hides secret values in everything that leaves the runner: log lines, events, error messages. */

import { stripVTControlCharacters } from 'node:util';

/** Shorter values are not masked: they would blank out ordinary words. */
const shortestSecret = 4;
/** Encoded or in another case, a shorter value is too likely to be something else. */
const shortestEncoded = 8;
/** Number of characters of a longer base64 text that are searched for: `base64` breaks its lines after 76, so any line contains a whole piece. */
const base64Piece = 36;

/** Credentials that are not registered but can be recognised by their form. */
const recognizable: readonly { readonly pattern: RegExp; readonly replacement: string }[] = [
  { pattern: /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+@/gi, replacement: '$1***@' },
  { pattern: /(client-key-data|client-certificate-data|token|password):\s*\S+/gi, replacement: '$1: ***' },
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    replacement: '*** private key ***',
  },
];

export class SecretMask {
  #values: string[] = [];
  #base64 = new Set<string>();

  /** Registers secret values; each line of a value with several lines is a secret of its own. */
  add(values: Iterable<string>): void {
    const known = new Set(this.#values);
    for (const value of values) {
      for (const form of formsOf(value)) if (form.length >= shortestSecret) known.add(form);
      for (const piece of base64Pieces(value)) this.#base64.add(piece);
    }
    this.#values = [...known].sort((a, b) => b.length - a.length);
  }

  /** The text without colours, every registered value and every recognised form replaced by `***`. */
  hide(text: string): string {
    // A colour code in the middle of a value would hide it from the mask, but not from a reader.
    let hidden = stripVTControlCharacters(text);
    for (const piece of this.#base64) if (hidden.includes(piece)) hidden = withoutBase64(hidden, piece);
    for (const value of this.#values) if (hidden.includes(value)) hidden = hidden.replaceAll(value, '***');
    for (const { pattern, replacement } of recognizable) hidden = hidden.replace(pattern, replacement);
    return hidden;
  }
}

/** A value as tools may print it: as it is, trimmed, line by line, JSON-escaped, URL-encoded, in hex, in capitals. */
function formsOf(value: string): readonly string[] {
  const trimmed = value.trim();
  const lines = trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^-----(BEGIN|END) [A-Z ]+-----$/.test(line));
  const urlEncoded = encodeURIComponent(trimmed);
  const hex = Buffer.from(trimmed).toString('hex');
  const isLong = trimmed.length >= shortestEncoded;
  return [
    ...(lines.length > 1 ? lines.filter((line) => line.length >= 8) : [trimmed]),
    JSON.stringify(trimmed).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(trimmed).toString('base64'),
    urlEncoded,
    urlEncoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...(isLong ? [trimmed.toUpperCase(), trimmed.toLowerCase(), hex, hex.toUpperCase()] : []),
  ];
}

/**
 * What base64 of any text has in it when the value is a part of that text. Three bytes become four characters, so it
 * depends on how many bytes are before the value; those that share a group with what is around it are left out.
 */
function base64Pieces(value: string): readonly string[] {
  const bytes = Buffer.from(value.trim());
  return [0, 1, 2].flatMap((begin) => {
    const groups = Math.floor((bytes.length - begin) / 3);
    const inner = bytes.subarray(begin, begin + 3 * groups);
    return (['base64', 'base64url'] as const).flatMap((alphabet) => {
      const text = inner.toString(alphabet);
      const count = Math.max(1, Math.floor(text.length / base64Piece));
      const pieces = Array.from({ length: count }, (_, at) => text.slice(at * base64Piece, (at + 1) * base64Piece));
      return pieces.filter((piece) => piece.length >= shortestEncoded);
    });
  });
}

/** Replaces the whole run of base64 that contains the piece: its neighbours belong to the same text. */
function withoutBase64(text: string, piece: string): string {
  let rest = text;
  let done = '';
  for (let at = rest.indexOf(piece); at >= 0; at = rest.indexOf(piece)) {
    const before = rest.slice(0, at).search(/[\w+/=-]*$/);
    const after = rest.slice(at + piece.length).search(/[^\w+/=-]|$/);
    done += `${rest.slice(0, before)}***`;
    rest = rest.slice(at + piece.length + after);
  }
  return done + rest;
}
