/** Following a run: it ends when that run has ended and not before, and every event of it is shown once. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { eventFeed } from '#cli/follow/event-feed.ts';
import { exitCodeOfRun, type FollowedApi, follow } from '#cli/follow/watch.ts';
import { described, happened, type Moment, moment, watchedApi } from './watched-api.ts';

const key = { namespace: 'default', name: 'web' };
const runId = 'web-aaaaa-g2-a1';
const earlier = 'web-aaaaa-g1-a1';
const succeeded = happened('all is done', { kind: 'RunSucceeded', at: moment(900) });

/** What a follower shows, without times. */
async function followed(moments: readonly Moment[], before: Parameters<typeof watchedApi>[1] = [], pageSize = 200) {
  const lines: string[] = [];
  const options = { runId, pollMs: 1, lastEventsMs: 60, patienceMs: 400, write: (line: string) => lines.push(line) };
  const end = await follow(watchedApi(moments, before, pageSize), key, options);
  const output = lines.map((line) => stripVTControlCharacters(line).replace(/^ *[0-9.]+ (s|min|h).*? [·!✗] /, ''));
  return { manifest: end.manifest, output };
}

describe('following a run', () => {
  it('following does not end on the result of an earlier run', async () => {
    const before = [happened('the run before', { runId: earlier, kind: 'RunFailed' })];
    const { manifest, output } = await followed(
      [
        { look: described({ status: 'Failed', runId: earlier }) },
        { look: described({ status: 'Pending', ended: false }) },
        { look: described({}), events: [happened('a waypoint', { at: moment(500) }), succeeded] },
        { look: described({ status: 'Done' }) },
      ],
      before,
    );
    expect(manifest?.status).toBe('Done');
    expect(output).toEqual(['a waypoint', 'all is done']);
  });

  it('following waits for the last event and the record of the run after the manifest has settled', async () => {
    const { manifest, output } = await followed([
      { look: described({}) },
      { look: described({ status: 'Done', ended: false }) },
      { look: described({ status: 'Done', ended: false }), events: [succeeded] },
      { look: described({ status: 'Done' }) },
    ]);
    expect(manifest?.lastRun?.status).toBe('Succeeded');
    expect(output).toEqual(['all is done']);
  });

  it.each([described({ status: 'Done' }), 'gone'] as const)(
    'following does not wait for a last event that was read before the end was seen',
    async (look) => {
      const api = watchedApi([{ look: described({}), events: [succeeded] }, { look: described({}) }, { look }]);
      const write = () => {};
      const { elapsedMs } = await follow(api, key, { runId, pollMs: 1, lastEventsMs: 20_000, patienceMs: 400, write });
      expect(elapsedMs).toBeLessThan(10_000);
    },
  );

  it('following that shows nothing reads no events before the end', async () => {
    const api = watchedApi([
      { look: described({}) },
      { look: described({}) },
      { look: described({ status: 'Done' }), events: [succeeded] },
    ]);
    const asked: string[] = [];
    const noted: FollowedApi = {
      getManifest: (...words) => {
        asked.push('manifest');
        return api.getManifest(...words);
      },
      listEvents: (...words) => {
        asked.push('events');
        return api.listEvents(...words);
      },
    };
    const { manifest } = await follow(noted, key, { runId, pollMs: 1, lastEventsMs: 20_000, quiet: true });
    expect(manifest?.status).toBe('Done');
    expect(asked.indexOf('events')).toBe(3);
  });

  it('following stops waiting for a last event that was never written', async () => {
    const { manifest, output } = await followed([{ look: described({ status: 'Failed', ended: false }) }]);
    expect([manifest?.status, output]).toEqual(['Failed', []]);
  });

  it('the last events of a deleted manifest are shown', async () => {
    const { manifest, output } = await followed([
      {
        look: described({ status: 'Deleting', deleting: true }),
        events: [happened('hosts removed', { at: moment(5) })],
      },
      { look: 'gone', events: [succeeded] },
    ]);
    expect(manifest).toBeUndefined();
    expect(output).toEqual(['hosts removed', 'all is done']);
  });

  it('a new manifest of the same name counts as the end of the one that was followed', async () => {
    const { manifest, output } = await followed(
      [{ look: described({}) }, { look: described({ runId: 'web-bbbbb-g1-a1', status: 'Running' }) }],
      [happened('of the other', { runId: 'web-bbbbb-g1-a1' }), succeeded],
    );
    expect(manifest).toBeUndefined();
    expect(output).toEqual(['all is done']);
  });

  it('following continues with the run that took over, and shows its events too', async () => {
    const later = 'web-aaaaa-g3-a1';
    const superseded = happened('the newer generation follows', { kind: 'RunSuperseded' });
    const end = happened('all is done', { runId: later, kind: 'RunSucceeded', at: moment(7000) });
    const { manifest, output } = await followed([
      { look: described({}), events: [superseded] },
      { look: described({ runId: later, status: 'Running' }), events: [end] },
      { look: described({ runId: later, status: 'Done' }) },
    ]);
    expect(manifest?.runId).toBe(later);
    expect(output).toEqual(['the newer generation follows', 'all is done']);
  });

  it('following ends when the run has stopped and a pause holds the manifest', async () => {
    const { manifest } = await followed([
      { look: described({ paused: true }) },
      { look: described({ paused: true, status: 'Pending', ended: true }), events: [succeeded] },
    ]);
    expect(manifest).toMatchObject({ paused: true, status: 'Pending' });
  });

  it('a long history is shown completely, page by page, before following ends', async () => {
    const many = Array.from({ length: 450 }, (_, at) => happened(`event ${at}`, { at: moment(at * 20) }));
    const last = { ...succeeded, at: moment(10_000) };
    const { output } = await followed([{ look: described({ status: 'Done' }) }], [...many, last], 100);
    expect(output).toEqual([...many.map(({ message }) => message), 'all is done']);
  });

  it('an event that was written late is shown, even with a time before that of others', async () => {
    const { output } = await followed([
      { look: described({}), events: [happened('of one cluster', { at: moment(300) })] },
      { look: described({}), events: [happened('of another, written late', { at: moment(200) })] },
      { look: described({}), events: [succeeded] },
      { look: described({ status: 'Done' }) },
    ]);
    expect(output).toEqual(['of one cluster', 'of another, written late', 'all is done']);
  });

  describe('from a request on', () => {
    const requested = happened('cancelled by ann', { kind: 'Requested', at: moment(60_000) });
    const old = [happened('three minutes before', { at: moment(0) }), requested];
    const lateOne = happened('written late, of the time before', { at: moment(59_000) });
    const after = happened('undone', { at: moment(64_200) });
    const end = { ...succeeded, at: moment(65_000) };
    const lines = async (fromNow: boolean): Promise<readonly string[]> => {
      const written: string[] = [];
      const options = { runId, pollMs: 1, lastEventsMs: 60, write: (line: string) => written.push(line), fromNow };
      const moments = [
        { look: described({}) },
        { look: described({}), events: [lateOne, after, end] },
        { look: described({ status: 'Done' }) },
      ];
      await follow(watchedApi(moments, old), key, options);
      return written.map((line) => stripVTControlCharacters(line).trim());
    };

    it('events are shown from the request on, with the times since then', async () => {
      expect(await lines(false)).toEqual(['0.0 s · cancelled by ann', '4.2 s · undone', '5.0 s · all is done']);
    });

    it('only events from now on are shown when nothing was started', async () => {
      const messages = (await lines(true)).map((line) => line.replace(/^.* · /, ''));
      expect(messages).toEqual(['undone', 'all is done']);
    });
  });

  it('following survives a restart of the platform', async () => {
    const { manifest, output } = await followed([
      { look: described({}) },
      { look: 'unavailable' },
      { look: described({}), events: [succeeded] },
      { look: described({ status: 'Done' }) },
    ]);
    expect(manifest?.status).toBe('Done');
    expect(output).toEqual(['no answer for now, trying for 0 s: HTTP 503', 'all is done']);
  });

  it('following stops when the platform does not come back', async () => {
    await expect(followed([{ look: described({}) }, { look: 'unavailable' }])).rejects.toThrow('HTTP 503');
  });
});

describe('the feed of events', () => {
  it('the feed of events reads again only the events that could still be overtaken', async () => {
    const asked: (string | undefined)[] = [];
    const old = Array.from({ length: 30 }, (_, at) => happened(`event ${at}`, { at: moment(at * 1000) }));
    const inner = watchedApi([{ look: described({}) }], old, 10);
    const feed = eventFeed(
      {
        listEvents: (of, query) => {
          asked.push(query?.next);
          return inner.listEvents(of, query);
        },
      },
      key,
    );
    expect(await feed.read()).toHaveLength(30);
    asked.length = 0;
    expect(await feed.read()).toEqual([]);
    expect(asked[0]).toBe(`${moment(19_000)}event 19`);
  });
});

describe('the exit code of a run that was waited for', () => {
  const codeOf = (lastStatus: 'Succeeded' | 'Failed' | 'Aborted', unchanged = false) => {
    const { lastRun, ...manifest } = described({ status: 'Done' });
    const last = lastRun && { ...lastRun, status: lastStatus };
    return exitCodeOfRun({ manifest: { ...manifest, lastRun: last }, elapsedMs: 0 }, { deleting: false, unchanged });
  };

  it('a run that undid what it was asked for has failed, also when the manifest is done', () => {
    expect([codeOf('Succeeded'), codeOf('Failed'), codeOf('Aborted')]).toEqual([0, 6, 15]);
  });

  it('a check of what exists has not failed, although its manifest had', () => {
    const { lastRun, ...manifest } = described({ status: 'Failed' });
    const codes = (['Succeeded', 'Failed'] as const).map((status) => {
      const followed = { manifest: { ...manifest, lastRun: lastRun && { ...lastRun, status } }, elapsedMs: 0 };
      return exitCodeOfRun(followed, { deleting: false, unchanged: false });
    });
    expect(codes).toEqual([0, 6]);
  });

  it('a request that started nothing has not failed', () => {
    expect(codeOf('Failed', true)).toBe(0);
  });
});
