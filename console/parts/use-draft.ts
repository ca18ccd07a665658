/** Drafts stay while one visits other pages; the browser asks before it closes a tab that has one. */
import { useState } from 'react';
import { begun, type Draft, handedIn, isChanged, keptOver, received, type Stored, written } from '../model/draft.ts';

/** Those that differ from what is stored. In memory: a text may hold secrets. */
const drafts = new Map<string, Draft>();

window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

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
  const [last, setLast] = useState(() => drafts.get(id) ?? begun(stored));
  const draft = received(last, stored);
  const set = (next: Draft): void => {
    if (isChanged(next)) drafts.set(id, next);
    else drafts.delete(id);
    setLast(next);
  };
  return {
    ...{ draft, isChanged: isChanged(draft) },
    write: (text) => set(written(draft, text)),
    load: () => set(begun(stored)),
    keep: () => set(keptOver(draft, stored)),
    done: () => set(handedIn(draft)),
  };
}
