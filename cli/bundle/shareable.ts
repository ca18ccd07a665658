/**
 * Makes what the API answers fit to be sent to someone else. Runners have masked every secret that they knew, and no answer has a value of a Secret;
 * what is left out here is what users write themselves, and what looks like a credential wherever it is. Pure.
 */
import { withoutRecognizable } from '#domain/observed/recognizable-secrets.ts';
import { base64Pieces, formsOfText } from '#domain/observed/secret-forms.ts';

/** Fields of a manifest whose texts are a user's own: anything may be in them, a password too. */
const ownFields: ReadonlySet<string> = new Set(['annotations', 'boot', 'inline', 'properties', 'values']);
/** Longer texts, and those of several lines, are no names. */
const longestName = 300;
const shortestSecret = 8;

/** Hides the secrets that the command line knows, in every form, and what looks like one. */
export class Shareable {
  readonly #known: readonly string[];

  /** `secrets`: such as the token of the caller. */
  constructor(secrets: readonly string[]) {
    const forms = secrets
      .filter((secret) => secret.length >= shortestSecret)
      .flatMap((secret) => [...formsOfText(secret), ...base64Pieces(secret)]);
    this.#known = [...new Set(forms)].sort((left, right) => right.length - left.length);
  }

  /** One value of an answer, or one line. */
  word(text: string): string {
    return withoutRecognizable(this.#withoutKnown(text));
  }

  /** A log: keys of several lines, then line by line. */
  text(text: string): string {
    const without = text.replaceAll(wholeKey, '*** private key ***');
    return without
      .split('\n')
      .map((line) => this.word(line))
      .join('\n');
  }

  /** An answer of the API: every text in it, keys too. */
  answer(value: unknown): unknown {
    return mapped(value, (text) => this.word(text));
  }

  /** A document of a user: without the texts that are the user's own. */
  manifest(value: unknown): unknown {
    return this.answer(withoutOwnTexts(value));
  }

  #withoutKnown(text: string): string {
    return this.#known.reduce((hidden, form) => hidden.replaceAll(form, '***'), text);
  }
}

const wholeKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g;

function withoutOwnTexts(value: unknown, isOwn = false): unknown {
  if (typeof value === 'string') return isOwn || isLong(value) ? leftOut(value) : value;
  if (Array.isArray(value)) return value.map((item) => withoutOwnTexts(item, isOwn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      // Labels of the document are a user's own, those of a pool are labels of Kubernetes.
      const isMetadata = key === 'metadata' && typeof field === 'object' && field !== null;
      return [key, isMetadata ? withoutOwnMetadata(field) : withoutOwnTexts(field, isOwn || ownFields.has(key))];
    }),
  );
}

function withoutOwnMetadata(metadata: object): unknown {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, field]) => [
      key,
      withoutOwnTexts(field, key !== 'name' && key !== 'namespace'),
    ]),
  );
}

const isLong = (text: string): boolean => text.length > longestName || text.includes('\n');
const leftOut = (text: string): string => `(left out: ${text.length} characters)`;

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [change(key), mapped(field, change)]));
}
