/** How pages look, as a browser computes it: what a style sheet says and a selector misses is seen by no other test. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { consoleWithAllPlaces } from './all-places.ts';
import type { ConsoleInBrowser } from './console-in-browser.ts';

let console: ConsoleInBrowser;
beforeAll(async () => {
  console = await consoleWithAllPlaces();
});
afterAll(() => console?.close());

it('code, keys and times of events are in a monospaced type, a little smaller than the text around them', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const typeOf = async (selector: string): Promise<unknown> =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => {
        const { fontFamily, fontSize } = getComputedStyle(one);
        const around = getComputedStyle(one.parentElement ?? one).fontSize;
        const part = Number.parseFloat(fontSize) / Number.parseFloat(around);
        return [/monospace/i.test(fontFamily), Math.round(part * 10) / 10];
      });
  const found: Record<string, unknown> = {};
  await go('manifests/default/calm/nodes');
  await page.locator('td code').first().waitFor();
  found.address = await typeOf('td code');
  found.key = await typeOf('kbd');
  await go('manifests/default/calm/events');
  await page.locator('.events time').first().waitFor();
  found.time = await typeOf('.events time');
  await go('settings/templates?template=default%2Fown');
  await page.locator('pre.document').waitFor();
  found.document = await typeOf('pre.document');
  const right = [true, 0.9];
  expect(found).toEqual({ address: right, key: right, time: right, document: right });
});
