/** Text of others as a person may see it. */

/** Controls (tab excepted), format characters such as bidi marks, lone surrogates and separators of lines that are no newline. */
const obeyed = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Newlines and tabs stay; what else a terminal would obey is printed as `\u202e`. Longer text ends with `…` after `limit` characters. */
export function printableText(text: string, limit: number): string {
  const kept = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return kept.replace(obeyed, (one) =>
    one === '\n' || one === '\t' ? one : `\\u${one.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}
