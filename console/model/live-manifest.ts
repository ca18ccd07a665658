/** Follows one manifest: as it is now, and what happened since a time; each answer is as small as what changed. */
import type { ManifestDescription, ShownEvent } from '#contracts/api-bodies.ts';

export interface LiveAnswer {
  readonly manifest: ManifestDescription;
  readonly events: readonly ShownEvent[];
  readonly next?: string | undefined;
}

/** Asks for what there is since `since`; undefined when nothing changed from the answer with that tag. */
export type AskLive = (
  since: string,
  tag: string | undefined,
) => Promise<{ readonly answer: LiveAnswer; readonly tag: string | undefined } | undefined>;

export interface FollowedManifest {
  readonly manifest: ManifestDescription;
  /** Oldest first, each once. */
  readonly events: readonly ShownEvent[];
}

/** An answer with so many events may not have all of them. */
const full = 100;
/** Several writers report: an event may be stored so much later than one that happened after it. */
const lateMs = 5000;

/** Each call reads once. What did not change stays the same object, so that nothing is drawn again. */
export function liveManifest(ask: AskLive, from: string): () => Promise<FollowedManifest> {
  const seen = new Map<string, ShownEvent>();
  let since = from;
  let tag: string | undefined;
  let followed: FollowedManifest | undefined;

  return async () => {
    const begin = since;
    const pages: LiveAnswer[] = [];
    for (let cursor = begin; ; ) {
      const found = await ask(cursor, followed && pages.length === 0 ? tag : undefined);
      if (!found) break;
      if (pages.length === 0) tag = found.tag;
      pages.push(found.answer);
      const { events, next } = found.answer;
      if (events.length < full || next === undefined || next === cursor) break;
      cursor = next;
    }
    const last = pages.at(-1);
    if (!last) {
      if (followed) return followed;
      throw new Error('the first answer was empty');
    }
    const before = seen.size;
    for (const event of pages.flatMap(({ events }) => events)) seen.set(event.id ?? JSON.stringify(event), event);
    since = settledUntil(pages) ?? begin;
    // A page that is one of several, or is not asked for again, says nothing about the next answer.
    if (pages.length > 1 || since !== begin) tag = undefined;
    const events = followed && seen.size === before ? followed.events : inOrder(seen);
    followed = { manifest: last.manifest, events };
    return followed;
  };
}

/** Where to go on: behind the last page before which nothing can be stored any more. */
function settledUntil(pages: readonly LiveAnswer[]): string | undefined {
  const ends = pages.flatMap(({ events, next }) => events.slice(-1).map(({ at }) => ({ at: Date.parse(at), next })));
  const newest = ends.at(-1)?.at ?? 0;
  return ends.findLast(({ at }) => at < newest - lateMs)?.next;
}

const inOrder = (seen: ReadonlyMap<string, ShownEvent>): readonly ShownEvent[] =>
  [...seen.values()].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
