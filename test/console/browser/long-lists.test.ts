/** Lists that are long: a log and a fleet, of which the page draws what one sees. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type ConsoleInBrowser, consoleInBrowser, settled, simManifest } from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser({ KUBELOOM_SIM_STAGE_MS: '20' });
  await settled(console.api, simManifest('calm'));
});
afterAll(() => console?.close());

it('a log of 100,000 lines is drawn a window at a time, and followed to its end', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const line = (number: number): string => `line ${number} of the log`;
  const text = Array.from({ length: 100_000 }, (_, index) => `${line(index + 1)}\n`).join('');
  await page.route('**/logs/**', (route) =>
    route.fulfill({
      body: text,
      contentType: 'text/plain',
      headers: { 'kubeloom-next-offset': String(text.length), 'kubeloom-ended': 'true' },
    }),
  );
  await go('manifests/default/calm/run?cell=web.1.nodes');
  const log = page.getByRole('log');
  await log.getByText(line(100_000), { exact: false }).waitFor();
  expect((await log.innerText()).split('\n').length).toBeLessThan(200);
  await log.evaluate((element) => {
    element.scrollTop = 0;
  });
  await log.getByText(/^line 1 of the log/).waitFor();
  expect((await log.innerText()).split('\n').length).toBeLessThan(200);
});

it('five hundred manifests are in one list that a search makes short', async () => {
  const { page, context } = await console.open();
  onTestFinished(() => context.close());
  const { items } = await console.api.listManifests();
  const many = Array.from({ length: 500 }, (_, index) => ({ ...items[0], name: `shop-${index}` }));
  await page.route('**/v1/manifests?*', (route) => route.fulfill({ json: { items: many } }));
  await page.reload();
  await expect.poll(() => page.getByRole('row').count()).toBe(501);
  await page.getByRole('searchbox').fill('shop-49');
  await expect.poll(() => page.getByRole('row').count()).toBe(12);
});
