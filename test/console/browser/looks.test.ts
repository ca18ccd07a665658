/** How pages look, as a browser computes it: what a style sheet says and a selector misses is seen by no other test. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { consoleWithAllPlaces, drawn, places } from './all-places.ts';
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

/**
 * What is clipped on the page, outside of the window, or broken within a word, but for what is scrolled on purpose: drawings, logs, documents, differences. A word
 * is text between spaces, of up to 14 letters: names and ids may be longer than any line.
 */
const unreadable = `(() => {
  const found = new Set();
  const free = '.drawing-frame, pre, .code, .log-lines, .diff, textarea, select, option, .hidden, .skip, .stack thead, #announcer';
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(free);
  for (const one of document.querySelectorAll('body *')) {
    const { overflowX } = getComputedStyle(one);
    if (overflowX !== 'visible' && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && isSeen(one))
      found.add('clipped: ' + one.outerHTML.slice(0, 80));
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement || !isSeen(text.parentElement)) continue;
    for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)[A-Za-z.,:;()]{3,14}(?!\\S)/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      if (new Set(boxes.map(({ top }) => Math.round(top))).size > 1) found.add('broken: ' + word);
      if (boxes.some(({ right, left }) => right > innerWidth + 1 || left < -1)) found.add('outside: ' + word);
    }
  }
  return [...found];
})()`;

it('no page clips anything or breaks a word in 375 pixels, as in a window of 750 at 200 %, and the bar is one line', async () => {
  const { page, context, go } = await console.open({ size: { width: 375, height: 740 } });
  onTestFinished(() => context.close());
  const wrong: Record<string, unknown> = {};
  for (const [place, text] of Object.entries(places)) {
    await go(place);
    await drawn(page, text);
    const found = (await page.evaluate(unreadable)) as string[];
    const bar = Number(await page.evaluate(`document.querySelector('.bar').getBoundingClientRect().height`));
    if (found.length > 0 || bar > 60) wrong[place] = { found, bar };
  }
  expect(wrong).toEqual({});
});

it('the menu of a narrow window is opened, left and used by keys alone', async () => {
  const { page, context, go } = await console.open({ size: { width: 375, height: 740 } });
  onTestFinished(() => context.close());
  await go('attention');
  const menu = page.getByRole('button', { name: 'Menu' });
  const inventory = page.getByRole('link', { name: 'Inventory', exact: true });
  await menu.waitFor();
  expect(await inventory.isVisible()).toBe(false);
  await menu.press('Enter');
  await inventory.waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await inventory.waitFor({ state: 'hidden' });
  expect(await menu.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  await menu.press('Enter');
  await inventory.press('Enter');
  await page.getByRole('heading', { name: 'Inventory' }).waitFor();
  await inventory.waitFor({ state: 'hidden' });
});
