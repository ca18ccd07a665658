/** Drafts stay while one visits other pages. */
import { useState } from 'react';
import { draftOf, keepDraft } from '../drafts.ts';
import {
  type Draft,
  freshDraft,
  handedIn,
  isChanged,
  keptOver,
  received,
  type Stored,
  written,
} from '../model/draft.ts';

export interface Drafting {
  readonly draft: Draft;
  readonly isChanged: boolean;
  readonly write: (text: string) => void;
  /** What is stored, instead of the own text. */
  readonly load: () => void;
  /** The own text stays, on top of what was stored meanwhile. */
  readonly keep: () => void;
  /** The text was stored. */
  readonly done: () => void;
}

/** `id`: of what is written. */
export function useDraft(id: string, stored: Stored): Drafting {
  const [last, setLast] = useState(() => draftOf(id) ?? freshDraft(stored));
  const draft = received(last, stored);
  const set = (next: Draft): void => {
    keepDraft(id, isChanged(next) ? next : undefined);
    setLast(next);
  };
  return {
    draft,
    isChanged: isChanged(draft),
    write: (text) => set(written(draft, text)),
    load: () => set(freshDraft(stored)),
    keep: () => set(keptOver(draft, stored)),
    done: () => set(handedIn(draft)),
  };
}
