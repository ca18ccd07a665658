/** An API that only a follower talks to: the states it shows one after another, and the events it has by then. */
import { ApiProblem } from '#cli/connection/api-problem.ts';
import type { FollowedApi } from '#cli/follow/watch.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';

/** What one read of the manifest shows: a state, its absence, or a fault of the service. */
type Look = ManifestDescription | 'gone' | 'unavailable';

export interface Moment {
  readonly look: Look;
  /** Events that are written after this look and before the next. */
  readonly events?: readonly RunEvent[];
}

/** Each `getManifest` is the next moment; the last one stays. Events are listed by their time, as the real store does. */
export function watchedApi(moments: readonly Moment[], before: readonly RunEvent[] = [], pageSize = 200): FollowedApi {
  let place = -1;
  const events: RunEvent[] = [...before];
  return {
    async getManifest() {
      place = Math.min(place + 1, moments.length - 1);
      const moment = moments[place];
      if (moment === undefined || moment.look === 'gone') throw problem(404);
      if (moment.look === 'unavailable') throw problem(503);
      return moment.look;
    },
    async listEvents(_key, { next } = {}) {
      const sorted = events.toSorted((a, b) => (a.at < b.at ? -1 : 1));
      const after = next === undefined ? sorted : sorted.filter((event) => `${event.at}${event.message}` > next);
      const items = after.slice(0, pageSize);
      const last = items.at(-1);
      const cursor = last ? `${last.at}${last.message}` : next;
      events.push(...(moments[place]?.events ?? []));
      moments = moments.map((moment, at) => (at === place ? { look: moment.look } : moment));
      if (items.length === 0 && next === undefined && moments[place]?.look === 'gone') throw problem(404);
      return { items, ...(cursor === undefined ? {} : { next: cursor }) };
    },
  };
}

function problem(status: number): ApiProblem {
  return new ApiProblem({ type: 'about:blank', title: '', status, detail: `HTTP ${status}`, instance: '', code: 'X' });
}

/** A manifest as the API describes it, at generation 2 of the run that is followed. */
export function described(change: Partial<ManifestDescription> & { readonly ended?: boolean }): ManifestDescription {
  const { ended = change.status === 'Done' || change.status === 'Failed', ...rest } = change;
  const runId = change.runId ?? 'web-aaaaa-g2-a1';
  return {
    namespace: 'default',
    name: 'web',
    generation: 2,
    attempt: 1,
    status: 'Running',
    deleting: false,
    paused: false,
    runId,
    createdAt: moment(0),
    updatedAt: moment(0),
    progress: null,
    clusters: [],
    document: {},
    simulated: [],
    links: {},
    lastRun: {
      namespace: 'default',
      manifest: 'web',
      runId,
      generation: 2,
      attempt: 1,
      reason: 'changed',
      status: ended ? 'Succeeded' : 'Running',
      queuedAt: moment(0),
      clusters: {},
    },
    ...rest,
  };
}

export const moment = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

export function happened(message: string, change: Partial<RunEvent> = {}): RunEvent {
  return { at: moment(0), runId: 'web-aaaaa-g2-a1', level: 'info', kind: 'WaypointReached', message, ...change };
}
