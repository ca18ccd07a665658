/** Hides secret values in everything that leaves the runner: log lines, events, error messages. */
import { stripVTControlCharacters } from 'node:util';
import { withoutRecognizable } from '#domain/observed/recognizable-secrets.ts';
import { base64Pieces, formsOfText } from '#domain/observed/secret-forms.ts';
import { secretParts } from './secret-parts.ts';
import { TextFinder } from './text-finder.ts';

/** Shorter values are not masked: they would blank out ordinary words. */
const shortestSecret = 4;
/** Encoded or in another case, a shorter value is too likely to be something else. */
const shortestEncoded = 8;

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
    const hidden = this.#finder.replaced(colours.test(text) ? stripVTControlCharacters(text) : text, '***');
    return withoutRecognizable(hidden);
  }
}

/** Escapes keep the letters of a short value together; an encoding in hex or in another case is too likely to be something else. */
function sameLetters(form: string, text: string): boolean {
  return form.length > text.length && /[^\da-f:\s\\x%-]/i.test(form) && !/^[\da-f:\s\\x%-]+$/i.test(form);
}
