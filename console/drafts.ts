/** Texts that someone wrote and did not apply. In memory: they may hold secrets. Only while one signs in again are they elsewhere. */
import type { Draft } from './model/draft.ts';

/** By what they are of; only those that differ from what is stored. */
const drafts = new Map<string, Draft>();
/** In the storage of this tab, while another page is open in it. */
const place = 'kubeloom-console-drafts';
let handedOver = false;

export const draftOf = (id: string): Draft | undefined => drafts.get(id);

export function keepDraft(id: string, draft: Draft | undefined): void {
  if (draft) drafts.set(id, draft);
  else drafts.delete(id);
}

/** Before the tab leaves this page to sign in, and comes back: they are for the same person alone. */
export function handOverDrafts(person: string): void {
  if (drafts.size === 0) return;
  sessionStorage.setItem(place, JSON.stringify({ person, drafts: [...drafts] }));
  handedOver = true;
}

/** After the way back; of someone else, nothing is left. */
export function takeOverDrafts(person: string): void {
  const text = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  if (text === null) return;
  const kept = JSON.parse(text) as { readonly person: string; readonly drafts: readonly [string, Draft][] };
  if (kept.person === person) for (const [id, draft] of kept.drafts) drafts.set(id, draft);
}

/** A tab that is closed or loaded again loses them: the browser asks before. */
window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0 && !handedOver) event.preventDefault();
});
