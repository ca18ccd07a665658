/** What a tab that is left alone asks for: counted on a clock that the test moves. */
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { consoleWithAllPlaces, drawn, places } from './all-places.ts';
import { type ConsoleInBrowser, setVisibility, type Window } from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleWithAllPlaces();
});
afterAll(() => console?.close());

async function opened(): Promise<Window & { readonly waiting: () => number }> {
  const window = await console.open({ clock: true });
  onTestFinished(() => window.context.close());
  const waiting = new Set<Request>();
  const ended = (request: Request): void => void waiting.delete(request);
  window.page
    .on('request', (request) => waiting.add(request))
    .on('requestfinished', ended)
    .on('requestfailed', ended);
  return { ...window, waiting: () => waiting.size };
}

/** The most requests to the API within one minute. Minutes are of the page's own clock, which does not advance while requests are open. */
async function inOneMinute({ page, requests, waiting }: Awaited<ReturnType<typeof opened>>, minutes = 1) {
  const seconds: number[] = [];
  for (let second = 0; second < 60 * minutes; second += 1) {
    const before = requests.length;
    await page.clock.runFor(1000);
    await expect.poll(waiting).toBe(0);
    seconds.push(requests.slice(before).filter((url) => url.includes('/v1/')).length);
  }
  const sums = seconds.slice(59).map((_, at) => seconds.slice(at, at + 60).reduce((sum, one) => sum + one, 0));
  return Math.max(...sums);
}

const stopped = async (page: Page): Promise<void> =>
  page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 1000);

it('every page that is left alone asks at most six times a minute, and not at all while no one sees it', async () => {
  const window = await opened();
  const { page, go } = window;
  const most: Record<string, number> = {};
  for (const [place, text] of Object.entries(places)) {
    await page.clock.resume();
    await go(place);
    await drawn(page, text);
    await stopped(page);
    const seen = await inOneMinute(window, 2);
    await setVisibility(page, 'hidden');
    const hidden = await inOneMinute(window);
    await setVisibility(page, 'visible');
    if (seen > 6 || hidden > 0) most[place] = seen + 1000 * hidden;
  }
  expect(most).toEqual({});
}, 900_000);

it('what no one changed is not sent again, on any page that polls', async () => {
  const window = await opened();
  const { page, go } = window;
  const sent: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    // A log and the feed have places to continue from; whose session it is is asked for once a minute.
    if (pathname.startsWith('/v1/') && response.status() === 200)
      sent.push(`${response.request().method()} ${pathname}`);
  });
  const again: Record<string, readonly string[]> = {};
  for (const [place, text] of Object.entries(places)) {
    await page.clock.resume();
    await go(place);
    await drawn(page, text);
    await stopped(page);
    await inOneMinute(window);
    sent.splice(0);
    await inOneMinute(window);
    const repeated = sent.filter((one) => !one.endsWith('/whoami'));
    if (repeated.length > 0) again[place] = repeated;
  }
  expect(again).toEqual({});
}, 900_000);

it('a fleet of thousands is asked for by its rows alone, at most six times a minute, and is not sent again while nothing changes', async () => {
  const window = await opened();
  const { page, requests } = window;
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/v1/manifests?')) statuses.push(response.status());
  });
  await page.route('**/v1/manifests?*', async (route) => {
    const response = await route.fetch();
    if (response.status() === 304) return route.fulfill({ response });
    const answer = (await response.json()) as ManifestPage;
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
    const items = Array.from({ length: limit }, (_, index) => ({ ...answer.items[0], name: `shop-${index}` }));
    return route.fulfill({
      response,
      json: { ...answer, items, counts: { ...answer.counts, all: 5000, fitting: 5000 } },
    });
  });
  await page.reload();
  await expect.poll(() => page.getByRole('row').count()).toBe(101);
  await page.getByRole('button', { name: 'Show 100 more' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(201);
  await stopped(page);
  const before = statuses.length;
  expect(await inOneMinute(window)).toBeLessThanOrEqual(6);
  expect(new Set(statuses.slice(before))).toEqual(new Set([304]));
  expect(requests.filter((url) => url.includes('next='))).toEqual([]);
});

it('a log that is not kept is asked for once, and a route that always fails less and less often', async () => {
  const window = await opened();
  const { page, go, requests } = window;
  const asked = (part: string): number => requests.filter((url) => url.includes(part)).length;
  await page.route('**/logs/**', (route) => route.fulfill({ status: 404, json: { detail: 'none', status: 404 } }));
  await go('manifests/default/calm/run?cell=web.1.nodes');
  await page.getByText('No log of it is kept.').waitFor();
  await page.route('**/v1/events?*', (route) =>
    route.fulfill({ status: 500, json: { detail: 'broken', status: 500 } }),
  );
  await stopped(page);
  await inOneMinute(window);
  expect(asked('/logs/')).toBe(1);
  await page.clock.resume();
  await go('events');
  await page.getByText('broken').waitFor();
  await stopped(page);
  const before = asked('/v1/events');
  for (let minute = 0; minute < 3; minute += 1) await inOneMinute(window);
  expect(asked('/v1/events') - before).toBeLessThanOrEqual(12);
});
