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

/** Whose they are, as the API calls them. */
let owner: string | undefined;
export function ownDrafts(person: string): void {
  owner = person;
}

/** Before the tab leaves this page to sign in again. Where nothing can be stored, the browser asks whether to leave. */
export function handOverDrafts(): void {
  if (drafts.size === 0 || owner === undefined) return;
  try {
    sessionStorage.setItem(place, JSON.stringify({ owner, drafts: [...drafts] }));
    handedOver = true;
  } catch {
    handedOver = false;
  }
}

/** Loads this page again, for the user who is signed in by now: no query of the browser keeps what someone else was shown. */
export function reloadPage(): void {
  handOverDrafts();
  location.reload();
}

/** After the way back, for the same person; someone else gets nothing of it. While no one is signed in, they wait. */
export async function takeOverDrafts(whoAmI: () => Promise<string>): Promise<void> {
  const text = sessionStorage.getItem(place);
  if (text === null) return;
  const person = await whoAmI().catch(() => undefined);
  if (person === undefined) return;
  sessionStorage.removeItem(place);
  const kept = JSON.parse(text) as { readonly owner: string; readonly drafts: readonly [string, Draft][] };
  if (kept.owner === person) for (const [id, draft] of kept.drafts) drafts.set(id, draft);
}

/** A tab that is closed or loaded again loses them: the browser asks before. */
window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0 && !handedOver) event.preventDefault();
});
