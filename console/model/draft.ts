/** A text that someone writes, on top of a stored one that others may change meanwhile: nothing written is ever replaced unasked. */

export interface Stored {
  readonly text: string;
  readonly generation: number;
}

export interface Draft {
  readonly text: string;
  /** What the writer started from. */
  readonly stored: Stored;
  /** What was stored since; the writer decides between it and the own text. */
  readonly newer?: Stored;
}

export const freshDraft = (stored: Stored): Draft => ({ text: stored.text, stored });

export const isChanged = ({ text, stored }: Draft): boolean => text !== stored.text;

/** `stored` is what is stored now: a text that was not changed follows it, any other stays. */
export function received(draft: Draft, stored: Stored): Draft {
  const { text, stored: before } = draft;
  if (stored.generation === before.generation) return { text, stored: before };
  return isChanged(draft) ? { text, stored: before, newer: stored } : freshDraft(stored);
}

export const written = (draft: Draft, text: string): Draft => ({ ...draft, text });

/** The own text, now on top of what is stored. */
export const keptOver = ({ text }: Draft, stored: Stored): Draft => ({ text, stored });

/** The text was stored as it is: nothing of it would be lost. */
export const handedIn = ({ text, stored }: Draft): Draft => ({ text, stored: { ...stored, text } });
