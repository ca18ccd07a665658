/** Who did what: events that say that a person asked for something. */
import type { FeedEvent } from '#contracts/all-events.ts';

/** Kinds of events that name who requested something; its results have other kinds. */
export const auditKinds = [
  'Requested',
  'ScaleRequested',
  'ReplacementRequested',
  'RollOutStarted',
  'RollOutPaused',
  'RollOutEnded',
] as const;

export interface Deed {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly what: string;
  /** For people. */
  readonly place: string;
  readonly namespace: string | undefined;
  readonly manifest: string | undefined;
  /** Id of the roll-out that was started, paused, resumed or ended. */
  readonly rollOut: string | undefined;
}

/** The last " by … from …" of a message, after which nothing follows but a reason. */
function wordsOf(message: string): { readonly what: string; readonly said?: string; readonly rest: string } {
  const pieces = message.split(' by ').slice(-mostNames);
  for (let tail = '', at = pieces.length - 1; at > 0; at -= 1) {
    tail = tail === '' ? String(pieces[at]) : `${pieces[at]} by ${tail}`;
    const [read = '', said] = /^(.+?) from [\w.:]+(?=$|[;,])/s.exec(tail) ?? [];
    if (said !== undefined)
      return { what: message.slice(0, -(tail.length + ' by '.length)), said, rest: tail.slice(read.length) };
  }
  return { what: message, rest: '' };
}
const mostNames = 20;

/** Newest first; of older releases, who it was is read from the text. Those that name no one are left out. */
export function deedsOf(events: readonly FeedEvent[]): readonly Deed[] {
  return events.toReversed().flatMap(({ id, at, kind, by, message, namespace, manifest }) => {
    const { what, said, rest } = wordsOf(message);
    const who = by ?? said;
    if (who === undefined) return [];
    const [, rollOut] = (kind.startsWith('RollOut') && /^roll-out (\S+): /.exec(message)) || [];
    const place =
      manifest !== undefined
        ? `${namespace}/${manifest}`
        : namespace !== undefined
          ? `namespace ${namespace}`
          : 'installation';
    return [{ id, at, by: who, what: `${what}${rest}`, place, namespace, manifest, rollOut }];
  });
}
