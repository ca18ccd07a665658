/** The drawing of a cluster, moved by pointer and keys, and the list that has the same. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { balancedManifest } from './balanced-manifest.ts';
import { type ConsoleInBrowser, consoleInBrowser, settled, type Window } from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser();
  await settled(console.api, balancedManifest('front'));
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(async () => {
    await window.context.close();
    expect(window.reports).toEqual([]);
  });
  return window;
}

it('a drawing that is moved changes its place alone, and one that is made small loses what no one could read', async () => {
  const { page, go } = await opened();
  await go('manifests/default/front/topology');
  const drawing = page.getByLabel(/its clouds, pools, nodes and load balancers/);
  await drawing.getByText('mesh of 15 nodes').waitFor();
  await page.evaluate(`{
    const frame = document.querySelector('.drawing-frame');
    window.changes = [];
    new MutationObserver((all) => window.changes.push(...all.map(({ type, target, attributeName }) =>
      [type, target.localName, attributeName].join(' ')))).observe(frame, { subtree: true, childList: true, attributes: true, characterData: true });
  }`);
  const box = await drawing.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 30, (box?.y ?? 0) + 30];
  const svg = drawing.locator('> svg');
  const place = () => svg.evaluate(({ style }) => style.transform);
  const size = () => svg.evaluate(({ style }) => style.width);
  const before = { place: await place(), size: await size() };
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 20, { steps: 4 });
  await page.mouse.up();
  expect(await place()).not.toBe(before.place);
  expect(await size()).toBe(before.size);
  expect(new Set((await page.evaluate('window.changes')) as string[])).toEqual(new Set(['attributes svg style']));
  const sign = drawing.locator('a.node text').first();
  await drawing.focus();
  for (let steps = 0; steps < 8; steps += 1) await page.keyboard.press('-');
  await expect.poll(() => sign.isVisible()).toBe(false);
  await page.keyboard.press('0');
  await expect.poll(() => sign.isVisible()).toBe(true);
});

it('a person sees the shape of a cluster, moves it by keys, chooses a node, and reads the same as a list', async () => {
  const { page, go } = await opened();
  await go('manifests/default/front/topology');
  const drawing = page.getByLabel(/its clouds, pools, nodes and load balancers/);
  await drawing.getByText('WireGuard mesh of 15 nodes: not checked yet').waitFor();
  await drawing.getByText('front.example.com').waitFor();
  const titles = await drawing.locator('.edge title').allTextContents();
  expect(titles.toSorted()).toEqual([
    ...['front leads to compute-1: web', 'front leads to compute-2: web', 'front leads to control: api'],
  ]);
  await drawing.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('+');
  expect(await drawing.locator('> svg').getAttribute('style')).toMatch(/translate\(.*width: \d/);
  // What is led to a pool is written there.
  await drawing.getByText('web 443/tcp → 30443').last().waitFor();
  await page.keyboard.press('0');
  const node = drawing.locator('a.node').first();
  const at = await node.boundingBox();
  const [x, y] = [(at?.x ?? 0) + 10, (at?.y ?? 0) + 10];
  const address = page.url();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y + 20, { steps: 4 });
  await page.mouse.up();
  expect((await node.boundingBox())?.x).toBeGreaterThan((at?.x ?? 0) + 20);
  // That moved the drawing, and chose no node; a hand that trembles does.
  expect(page.url()).toBe(address);
  await page.mouse.move(x + 30, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 32, y + 21);
  await page.mouse.up();
  const sheet = page.getByRole('region', { name: /Ready/ });
  await sheet.getByText('sim-1 · sim · anywhere').waitFor();
  expect(page.url()).toMatch(/topology\?node=/);
  await sheet.getByText('not asked yet: no check for drift was made').waitFor();
  // It is next to the drawing, which stays where it was.
  const [card, frame] = await Promise.all([sheet.boundingBox(), drawing.boundingBox()]);
  expect(card?.x).toBeGreaterThan((frame?.x ?? 0) + (frame?.width ?? 0));
  expect(Math.abs((card?.y ?? 0) - (frame?.y ?? 0))).toBeLessThan(5);
  await sheet.getByText(/kubeloom ssh web \S+ --manifest front$/).waitFor();
  await sheet.getByText(/kubeloom ssh web \S+ --manifest front -- wg show wg0$/).waitFor();
  await page.getByRole('link', { name: /^Pool compute-2/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Search nodes').waitFor();
  expect(await page.getByLabel('Search nodes').inputValue()).toBe('compute-2');
  expect(await page.getByText('4 of 4 ready').count()).toBe(1);
});

it('someone with keys alone finds in the list what the drawing has: targets of load balancers, the mesh, and each node', async () => {
  const name = 'listed';
  await settled(console.api, balancedManifest(name));
  const { page, go } = await opened();
  await go(`manifests/default/${name}/nodes`);
  await page.getByText('WireGuard mesh of 15 nodes: not checked yet').waitFor();
  const targets = page.locator('summary', { hasText: /^web .* nodes of compute-1, compute-2$/ });
  await targets.focus();
  await page.keyboard.press('Enter');
  const target = page
    .locator('.balancer')
    .getByRole('link', { name: /^compute-1-/ })
    .first();
  const node = await target.innerText();
  await target.focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('region', { name: new RegExp(node) });
  await sheet.getByText(/\(web\)/).waitFor();
  expect(await sheet.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await sheet.waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.dataset.node')).toBe(node);
});
