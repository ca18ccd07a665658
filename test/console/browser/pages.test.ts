/** Every page: what axe finds in both colour schemes, at 200 % zoom, and with hostile texts in every answer. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { attack, consoleWithAllPlaces, drawn, nothingTaken, places, takenAsMarkup } from './all-places.ts';
import type { ConsoleInBrowser } from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleWithAllPlaces();
});
afterAll(() => console?.close());

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  const { violations: list } = found as { violations: { id: string; help: string; nodes: { html: string }[] }[] };
  return list.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
}

it('every view to which the navigation leads is among the places that these tests visit', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  // Views of one manifest are those of all.
  const viewOf = (href: string): string =>
    href
      .replace(/^#\//, '')
      .replace(/\?.*$/, '')
      .replace(/^manifests\/default\/\w+/, 'manifest');
  const visited = Object.keys(places).map(viewOf);
  const isVisited = (view: string): boolean => visited.some((one) => one === view || one.startsWith(`${view}/`));
  const missed = new Set<string>();
  for (const [place, text] of Object.entries(places)) {
    await go(place);
    await drawn(page, text);
    const links = await page
      .locator('nav[aria-label=Pages] a, nav[aria-label=Views] a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const link of links.map(viewOf)) if (!isVisited(link)) missed.add(link);
  }
  expect([...missed]).toEqual([]);
});

describe.each(['light', 'dark'] as const)('in %s colours', (scheme) => {
  it(`every page is accessible to everyone in ${scheme} colours`, async () => {
    const { page, context, go, reports } = await console.open({ scheme });
    onTestFinished(() => context.close());
    const found: Record<string, string[]> = {};
    for (const [place, text] of Object.entries(places)) {
      await go(place);
      await drawn(page, text);
      const list = await violations(page);
      if (list.length > 0) found[place] = list;
    }
    expect(found).toEqual({});
    expect(reports.filter((report) => !/status of 404/.test(report))).toEqual([]);
  });
});

it('every dialog is accessible in both colour schemes', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const dialogs = {
    'manifests/default/calm': 'Pause',
    'inventory/fleet/rollouts': 'Pause',
    'inventory/fleet/clusters': 'Apply',
    attention: /^Keys/,
  } as const;
  const found: Record<string, string[]> = {};
  for (const [place, button] of Object.entries(dialogs))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await go(place);
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
      const list = await violations(page);
      if (list.length > 0) found[`${place} ${colorScheme}`] = list;
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  expect(found).toEqual({});
});

/** What one can use there: as long as it is not in a drawing, whose nodes the list has, too. */
const usable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => !one.disabled && !one.closest('svg') && one.checkVisibility({ visibilityProperty: true }))`;
/** The next place of the focus: of which of those, and whether one sees it there. */
const focused = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  one.reached = true;
  return one === document.body || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2);
})()`;

it('every control of every page is reached by Tab and shows the focus', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const missed: Record<string, unknown> = {};
  for (const [place, text] of Object.entries(places)) {
    await go(place);
    await page.reload();
    await drawn(page, text);
    const count = Number(await page.evaluate(`${usable}.length`));
    const unseen: unknown[] = [];
    for (let press = 0; press < count + 10; press += 1) {
      await page.keyboard.press('Tab');
      if (!(await page.evaluate(focused))) unseen.push(await page.evaluate('document.activeElement.outerHTML'));
    }
    const left = await page.evaluate(
      `${usable}.filter((one) => !one.reached).map((one) => one.outerHTML.slice(0, 120))`,
    );
    if (unseen.length + (left as string[]).length > 0) missed[place] = { left, unseen };
  }
  expect(missed).toEqual({});
}, 600_000);

it('a sign that turns does not move for someone who wants no motion', async () => {
  const { page, context } = await console.open();
  onTestFinished(() => context.close());
  const sign = `(() => {
    const cell = document.body.appendChild(document.createElement('span'));
    cell.className = 'cell running';
    const one = cell.appendChild(document.createElement('span'));
    one.className = 'cell-sign';
    return getComputedStyle(one).animationName;
  })()`;
  expect(await page.evaluate(sign)).toBe('none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await page.evaluate(sign)).toBe('turn');
});

it('the page of someone who is not signed in is accessible, too', async () => {
  const context = await console.browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${console.platform.apiUrl}/console/#sign-in=${'x'.repeat(43)}`);
  await page.getByText('this code was used or is too old').waitFor();
  expect(page.url()).not.toContain('sign-in');
  expect(await violations(page)).toEqual([]);
});

it('no page is wider than a window of 320 pixels, which is a window at 400 %', async () => {
  const { page, context, go } = await console.open({ size: { width: 320, height: 640 } });
  onTestFinished(() => context.close());
  const wide: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    await go(place);
    await drawn(page, text);
    const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
    if ((content ?? 0) > (window ?? 0)) wide.push(`${place}: ${content} > ${window}`);
  }
  expect(wide).toEqual([]);
});

/** Fields that are words of the API, or by which pages find each other; all others may be anything that a user or a tool wrote. */
const words =
  /^(status|kind|level|stage|direction|mode|role|class|at|.*At|.*Since|namespace|namespaces|runId|waypoint|next|id|mark|state|impact|starts|path)$/;

/** Places that show no string of an answer. */
const withoutStrings: ReadonlySet<string> = new Set([
  ...['new', 'manifests/default/nothing', 'no/such/page'],
  // Nothing is planned yet.
  'inventory/fleet/plan',
]);

function attacked(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return words.test(name) ? value : `${value}${attack}`;
  if (Array.isArray(value)) return value.map((item) => attacked(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, attacked(item, field)]));
}

it('no string of an answer becomes markup or a script on any page', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  let texts = 0;
  await page.route('**/v1/**', async (route) => {
    const response = await route.fetch();
    const type = response.headers()['content-type'] ?? '';
    if (!type.includes('json')) return route.fulfill({ response, body: `${await response.text()}${attack}\n` });
    texts += 1;
    return route.fulfill({ response, json: attacked(await response.json()) });
  });
  for (const place of Object.keys(places)) {
    await go(place);
    await page.reload();
    // The string is there, as text; a page that shows nothing proves nothing.
    if (withoutStrings.has(place)) await drawn(page, places[place] ?? /\S/);
    else await drawn(page, /onerror=/);
    expect([place, await takenAsMarkup(page)]).toEqual([place, nothingTaken]);
  }
  expect(texts).toBeGreaterThan(10);
  // What only those who may do something are offered was drawn, too.
  await go('manifests/default/calm/plan?goal=delete');
  await page.getByRole('button', { name: 'Delete exactly this' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

it('the time of an event is its address, which leads to that line', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  await go('manifests/default/calm/events');
  const line = page.locator('.events li.info').filter({ hasText: 'kubernetes done in' }).first();
  const address = (await line.getByRole('link').getAttribute('href')) ?? '';
  expect(address).toMatch(/events\?from=.+&event=.+/);
  await go(address.replace(/^#\//, ''));
  await page.reload();
  const current = page.locator('li[aria-current=true]');
  await current.filter({ hasText: 'done in' }).waitFor();
  expect(await current.count()).toBe(1);
});

describe('someone who uses no mouse, or does not see the page', () => {
  it('each page has a title of its own, and another page begins with the focus at its beginning', async () => {
    const { page, context } = await console.open();
    onTestFinished(() => context.close());
    expect(await page.title()).toBe('Fleet · Kubeloom');
    await page.getByRole('link', { name: 'calm', exact: true }).click();
    await expect.poll(() => page.title()).toBe('calm (default) · Run · Kubeloom');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(await page.locator('#announcer').innerText()).toBe('calm (default) · Run · Kubeloom');
    const nodes = page.getByRole('link', { name: /^Nodes/ });
    await nodes.click();
    await expect.poll(() => page.title()).toBe('calm (default) · Nodes · Kubeloom');
    expect(await nodes.evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
  });

  it('single keys do nothing while a dialog is open, and nothing at all once they are switched off', async () => {
    const { page, context, go } = await console.open();
    onTestFinished(() => context.close());
    await go('attention');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.waitFor();
    for (const key of ['g', 'f']) await page.keyboard.press(key);
    expect(page.url()).toContain('#/attention');
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    for (const key of ['g', 'f', '?']) await page.keyboard.press(key);
    expect([page.url().endsWith('#/attention'), await dialog.isVisible()]).toEqual([true, false]);
    await page.getByRole('button', { name: /^Keys/ }).click();
    await dialog.getByRole('checkbox').check();
    await page.keyboard.press('Escape');
    for (const key of ['g', 'f']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    // What is drawn between two keys does not part them.
    await page.keyboard.press('g');
    await go('attention');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  });

  it('stages are named by stage and waypoint, and a log is searched with the keyboard', async () => {
    const { page, context, go } = await console.open();
    onTestFinished(() => context.close());
    await go('manifests/default/calm');
    await page.getByRole('button', { name: /^done · .*nodes of waypoint 1/ }).press('Enter');
    const log = page.getByRole('log');
    await expect.poll(() => log.locator('pre').innerText()).toMatch(/\S/);
    const [word = ''] = (await log.innerText()).split(/\s+/);
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill(word);
    await page.keyboard.press('Enter');
    await page.getByText('line 1', { exact: true }).waitFor();
    expect(await log.locator('mark').count()).toBe(1);
  });
});

it('a search of the fleet follows what is chosen elsewhere, and takes no one back to it', async () => {
  const { page, context } = await console.open({ clock: true });
  onTestFinished(() => context.close());
  const search = page.getByRole('searchbox');
  await search.fill('nothing like it');
  await page.getByRole('button', { name: /^Show all/ }).click();
  await page.getByRole('link', { name: 'calm', exact: true }).waitFor();
  expect(await search.inputValue()).toBe('');
  await search.fill('cal');
  await page.getByRole('link', { name: 'calm', exact: true }).click();
  await page.getByRole('heading', { name: 'calm', exact: true }).waitFor();
  await page.clock.fastForward(1000);
  expect(page.url()).toContain('#/manifests/default/calm');
});
