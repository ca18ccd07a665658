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

/** Newest first; of older releases, who it was is read from the text. Those that name no one are left out. */
export function deedsOf(events: readonly FeedEvent[]): readonly Deed[] {
  return events.toReversed().flatMap(({ id, at, kind, by, message, namespace, manifest }) => {
    const [, what = message, said, rest = ''] = /^(.*) by (.+?) from [\w.:]+([;,].*)?$/s.exec(message) ?? [];
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
