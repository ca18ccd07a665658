/** Hides secret values in everything that leaves the runner: log lines, events, error messages. */
import { stripVTControlCharacters } from 'node:util';
import { formsOfText } from './secret-forms.ts';
import { secretParts } from './secret-parts.ts';
import { TextFinder } from './text-finder.ts';

/** Shorter values are not masked: they would blank out ordinary words. */
const shortestSecret = 4;
/** Encoded or in another case, a shorter value is too likely to be something else. */
const shortestEncoded = 8;
/** Number of characters of a longer base64 text that are searched for: `base64` breaks its lines after 76, so any line contains a whole piece. */
const base64Piece = 36;

/** Credentials that are not registered but can be recognised by their form. */
const recognizable: readonly { readonly sign: RegExp; readonly pattern: RegExp; readonly replacement: string }[] = [
  { sign: /:\/\//, pattern: /(:\/\/[^\s/:@]{1,500}:)[^\s/@]{1,2000}@/g, replacement: '$1***@' },
  {
    // What a node joins with, for an hour (kubeadm): KubeOne prints it with the script that failed.
    sign: /[a-z0-9]{6}\.[a-z0-9]{16}/,
    pattern: /(?<=\\[nrt]|(?<![\w.-]))([a-z0-9]{6})\.[a-z0-9]{16}(?![\w-]|\.\w)/g,
    replacement: '$1.***',
  },
  {
    sign: /(data|token|password):/i,
    pattern: /(client-key-data|client-certificate-data|token|password):\s{0,100}\S+/gi,
    replacement: '$1: ***',
  },
  {
    sign: /PRIVATE KEY/,
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    replacement: '*** private key ***',
  },
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what starts a colour
const colours = /[\u001b\u009b]/;

export class SecretMask {
  readonly #known = new Set<string>();
  readonly #finder = new TextFinder();

  /** Registers secret values; lines of a value, and values of keys in it, are secrets of their own. */
  add(values: Iterable<string>): void {
    for (const value of values) {
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      const parts = secretParts(value.trim());
      // A text with keys or several lines has words that are no secrets: its parts are.
      const partly = parts.size === 0 && !/\s/.test(value.trim());
      this.#addText(value.trim(), value, partly);
      for (const part of parts) this.#addText(part, part, !/\s/.test(part));
    }
  }

  #addText(text: string, whole: string, partly: boolean): void {
    if (text.length < shortestSecret) return;
    const isLong = text.length >= shortestEncoded;
    for (const form of formsOfText(text)) {
      if (form.length < shortestSecret || (!isLong && form !== text && !sameLetters(form, text))) continue;
      this.#finder.add(form, { partly });
    }
    const jsonText = JSON.stringify(text).slice(1, -1);
    for (const one of new Set([text, jsonText]))
      for (const piece of base64Pieces(one)) this.#finder.add(piece, { isBase64: true });
    for (const one of [text, `${text}\n`, whole]) this.#finder.add(Buffer.from(one).toString('base64'));
  }

  /** The text without colours, every registered value and every recognised form replaced by `***`. */
  hide(text: string): string {
    // A colour code in the middle of a value would hide it from the mask, but not from a reader.
    let hidden = this.#finder.replaced(colours.test(text) ? stripVTControlCharacters(text) : text, '***');
    for (const { sign, pattern, replacement } of recognizable)
      if (sign.test(hidden)) hidden = hidden.replace(pattern, replacement);
    return hidden;
  }
}

/** Escapes keep the letters of a short value together; an encoding in hex or in another case is too likely to be something else. */
function sameLetters(form: string, text: string): boolean {
  return form.length > text.length && /[^\da-f:\s\\x%-]/i.test(form) && !/^[\da-f:\s\\x%-]+$/i.test(form);
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
