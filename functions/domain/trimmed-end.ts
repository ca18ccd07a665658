/** The end of a text. An expression like `x+$` would start again at each place of a run of the character, which is slow on long ones. */

/** `text` without the characters at its end that are in `characters`. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
