/** Follows one manifest: as it is now, and what happened since a time; each answer is as small as what changed. */
import type { ManifestDescription, ShownEvent } from '#contracts/api-bodies.ts';
import type { Live } from '#contracts/live.ts';

export type LiveAnswer = Pick<Live, 'manifest' | 'parts' | 'events' | 'next'>;

/** Asks for what there is since `since`, without parts of which it has the tags; undefined when nothing changed from the answer with that tag. */
export type AskLive = (
  since: string,
  tag: string | undefined,
  have: readonly string[],
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
  /** By tag: what the last answer had. */
  let parts: ReadonlyMap<string, unknown> = new Map();

  return async () => {
    const begin = since;
    const pages: LiveAnswer[] = [];
    for (let cursor = begin; ; ) {
      const found = await ask(cursor, followed && pages.length === 0 ? tag : undefined, [...parts.keys()]);
      if (!found) break;
      if (pages.length === 0) tag = found.tag;
      parts = partsOf(found.answer, parts);
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
    followed = { manifest: whole(last, parts), events };
    return followed;
  };
}

/** The parts of an answer, or the known ones if it left them out. */
function partsOf({ manifest, parts }: LiveAnswer, known: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const nodes = manifest.clusters.map((one) => [parts.nodes[one.cluster] ?? '', one.nodes] as const);
  const all = [[parts.document, manifest.document] as const, ...nodes];
  // What has the same tag is the same: the object that was there before is kept.
  return new Map(all.map(([tag, value]) => [tag, known.get(tag) ?? value]));
}

function whole({ manifest, parts: tags }: LiveAnswer, parts: ReadonlyMap<string, unknown>): ManifestDescription {
  const nodesOf = (cluster: string) => (parts.get(tags.nodes[cluster] ?? '') ?? []) as Nodes;
  const clusters = manifest.clusters.map((one) => ({ ...one, nodes: nodesOf(one.cluster) }));
  return { ...manifest, document: parts.get(tags.document), clusters };
}

type Nodes = ManifestDescription['clusters'][number]['nodes'];

/** Where to continue: after the last page before which no event can be stored any more. */
function settledUntil(pages: readonly LiveAnswer[]): string | undefined {
  const ends = pages.flatMap(({ events, next }) => events.slice(-1).map(({ at }) => ({ at: Date.parse(at), next })));
  const newest = ends.at(-1)?.at ?? 0;
  return ends.findLast(({ at }) => at < newest - lateMs)?.next;
}

const inOrder = (seen: ReadonlyMap<string, ShownEvent>): readonly ShownEvent[] =>
  [...seen.values()].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
