/** Following a manifest: each event once, in order, also those that are stored late, with as few bytes as possible. */
import { expect, it } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import { type AskLive, type LiveAnswer, liveManifest } from '../../console/model/live-manifest.ts';

const time = (second: number): string => new Date(Date.UTC(2026, 10, 23) + second * 1000).toISOString();
const event = (second: number, message = `event ${second}`): RunEvent => ({
  at: time(second),
  runId: 'shop-abcde-g1-a1',
  level: 'info',
  kind: 'PlanMade',
  message,
});

/** An API with these events, whose cursor is the time of the last event of a page. */
function platform(stored: RunEvent[]) {
  const asked: (string | undefined)[][] = [];
  const parts = { document: 'document-1', nodes: {} };
  const manifest = { name: 'shop', clusters: [] as unknown } as ManifestDescription;
  const ask: AskLive = async (since, tag) => {
    const page = stored
      .toSorted((a, b) => (a.at < b.at ? -1 : 1))
      .filter(({ at }) => at > since)
      .slice(0, 100);
    const current = JSON.stringify(page);
    asked.push([since, tag && (tag === current ? 'same' : 'other')]);
    if (tag === current) return undefined;
    return { answer: { manifest, parts, events: page, next: page.at(-1)?.at ?? since }, tag: current };
  };
  return { ask, asked };
}

it('an answer that did not change is the same object, and costs one request', async () => {
  const { ask, asked } = platform([event(1), event(2)]);
  const read = liveManifest(ask, time(0));
  const first = await read();
  expect(first.events.map(({ message }) => message)).toEqual(['event 1', 'event 2']);
  expect(await read()).toBe(first);
  expect(asked).toEqual([
    [time(0), undefined],
    [time(0), 'same'],
  ]);
});

it('an event that is stored late is shown where it belongs', async () => {
  const stored = [event(1), event(4)];
  const { ask } = platform(stored);
  const read = liveManifest(ask, time(0));
  await read();
  stored.push(event(3));
  expect((await read()).events.map(({ message }) => message)).toEqual(['event 1', 'event 3', 'event 4']);
});

it('many events are read page by page, each once, and then from where nothing can change any more', async () => {
  const stored = Array.from({ length: 250 }, (_, index) => event(index + 1));
  const { ask, asked } = platform(stored);
  const read = liveManifest(ask, time(0));
  expect((await read()).events.length).toBe(250);
  expect(asked.length).toBe(3);
  stored.push(event(251), event(246, 'late'));
  const { events } = await read();
  expect(events.length).toBe(252);
  expect(events.slice(-6).map(({ message }) => message)).toEqual([
    ...['late', 'event 247', 'event 248', 'event 249', 'event 250', 'event 251'],
  ]);
  expect(asked.slice(3)).toEqual([[time(200), undefined]]);
});

it('parts that did not change are asked for once, and stay the same object while other parts change', async () => {
  const nodes = [{ name: 'web-1' }];
  const document = { kind: 'InputManifest' };
  const asked: (readonly string[])[] = [];
  let version = 0;
  const ask: AskLive = async (_since, _tag, have) => {
    asked.push(have);
    version += 1;
    const parts = { document: 'document-1', nodes: { web: version < 3 ? 'nodes-of-1' : 'nodes-of-2' } };
    const shown = version < 3 ? nodes : [{ name: 'web-2' }];
    const manifest = {
      ...(!have.includes(parts.document) && { document }),
      clusters: [{ cluster: 'web', status: `${version}`, ...(!have.includes(parts.nodes.web) && { nodes: shown }) }],
    } as unknown as LiveAnswer['manifest'];
    return { answer: { manifest, parts, events: [], next: undefined }, tag: String(version) };
  };
  const read = liveManifest(ask, time(0));
  const [first, second, third] = [await read(), await read(), await read()];
  expect(second.manifest.clusters[0]).toMatchObject({ status: '2', nodes: [{ name: 'web-1' }] });
  expect(second.manifest.clusters[0]?.nodes).toBe(first.manifest.clusters[0]?.nodes);
  expect(second.manifest.document).toBe(document);
  expect(third.manifest.clusters[0]).toMatchObject({ status: '3', nodes: [{ name: 'web-2' }] });
  expect(asked).toEqual([[], ['document-1', 'nodes-of-1'], ['document-1', 'nodes-of-1']]);
});
