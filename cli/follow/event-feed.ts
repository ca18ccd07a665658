/** Events of a manifest as they arrive, each once, also those with an earlier time than others seen before. */
import type { RunEvent } from '#contracts/records.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';

/**
 * Events are sorted by the time at which they happened, and several writers send theirs in batches: what was read may
 * still be overtaken for this long. So each reading begins this far back.
 */
const overlapMs = 5000;

/** A place to read on from. */
interface Mark {
  readonly cursor: string | undefined;
  /** Time of the last event before it. */
  readonly at: number;
}

export interface FollowedEvents {
  /** All that is new, oldest first. Throws `ApiProblem` 404 when there is neither a manifest nor any event of it. */
  read(): Promise<readonly RunEvent[]>;
}

export function eventFeed(api: Pick<CliClient, 'listEvents'>, key: ManifestName): FollowedEvents {
  let marks: readonly Mark[] = [{ cursor: undefined, at: Number.NEGATIVE_INFINITY }];
  let seen: ReadonlySet<string> = new Set();
  return {
    async read() {
      const window: string[] = [];
      const passed: Mark[] = [...marks];
      let cursor = marks[0]?.cursor;
      for (;;) {
        const page = await api.listEvents(key, { next: cursor });
        const last = page.items.at(-1);
        window.push(...page.items.map((event) => JSON.stringify(event)));
        if (page.next === undefined || page.next === cursor || last === undefined) break;
        cursor = page.next;
        if (!passed.some((mark) => mark.cursor === page.next)) passed.push({ cursor, at: Date.parse(last.at) });
      }
      const fresh = window.filter((text) => !seen.has(text));
      seen = new Set(window);
      marks = unsettled(passed);
      return fresh.map((text) => JSON.parse(text) as RunEvent);
    },
  };
}

/** Marks from the last one on that nothing can come before any more. */
function unsettled(marks: readonly Mark[]): readonly Mark[] {
  const sorted = marks.toSorted((a, b) => a.at - b.at);
  const newest = sorted.at(-1)?.at ?? 0;
  const last = sorted.findLastIndex(({ at }) => at < newest - overlapMs);
  return sorted.slice(Math.max(0, last));
}
