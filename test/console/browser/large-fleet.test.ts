/** As much as the console promises to show at once: a cluster of 302 nodes, among 500 manifests. Nothing here says how fast; `bench/console.ts` does. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type ConsoleInBrowser, consoleInBrowser, settled, simManifest, type Window } from './console-in-browser.ts';
import { largeManifest, largeNodes } from './large-manifest.ts';

const manifests = 500;
let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser({ KUBELOOM_SIM_STAGE_MS: '20' });
  await settled(console.api, largeManifest('large'));
  await storeSmall(manifests - 1);
  // 500 runs take their time on a busy machine.
}, 900_000);
afterAll(() => console?.close());

async function opened(): Promise<Window> {
  const window = await console.open();
  onTestFinished(async () => {
    await window.context.close();
    expect(window.reports).toEqual([]);
  });
  return window;
}

it('the topology of a cluster with 302 nodes is drawn by pools and is all in view, can be moved by keys and pointer, and has a list of all nodes', async () => {
  const { page, go } = await opened();
  await go('manifests/default/large/topology');
  const drawing = page.getByLabel(/its clouds, pools, nodes and load balancers/);
  const mesh = drawing.getByText(`mesh of ${largeNodes} nodes`);
  await mesh.waitFor();
  const counts = await drawing.getByText(/^W × \d+ ✓$/).allTextContents();
  expect(counts).toEqual(['W × 100 ✓', 'W × 100 ✓', 'W × 101 ✓']);
  expect(await drawing.locator('a.node').count()).toBe(1);
  const end = await mesh.boundingBox();
  expect((end?.y ?? Number.NaN) + (end?.height ?? 0)).toBeLessThan(900);
  const place = () => drawing.locator('> svg').evaluate(({ style }) => style.transform);
  const fitted = await place();
  await drawing.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(place).not.toBe(fitted);
  const afterKeys = await place();
  const box = await drawing.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 30, (box?.y ?? 0) + 30];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 20, { steps: 4 });
  await page.mouse.up();
  await expect.poll(place).not.toBe(afterKeys);
  await page.keyboard.press('0');
  await expect.poll(place).toBe(fitted);
  await page.getByRole('link', { name: 'The same as a list' }).click();
  await page.getByLabel('Search nodes').waitFor();
  const listed = page.locator('a[data-row][data-node]');
  await expect.poll(() => listed.count()).toBe(largeNodes);
  const names = await listed.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-node')));
  expect(new Set(names).size).toBe(largeNodes);
});

it('500 manifests are counted, drawn a hundred at a time until all are there, and found by name', async () => {
  const { page, go } = await opened();
  await go('');
  const names = page.getByRole('row').getByRole('link');
  await page.getByRole('button', { name: `All ${manifests}`, exact: true }).waitFor();
  await expect.poll(() => names.count()).toBe(100);
  await page.getByText(`100 of ${manifests} are shown.`).waitFor();
  for (const shown of [200, 300, 400, 500]) {
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await expect.poll(() => names.count()).toBe(shown);
  }
  expect(new URL(page.url()).hash).toBe('#/?rows=500');
  expect(await page.getByText('are shown.').count()).toBe(0);
  expect(new Set(await names.allTextContents()).size).toBe(manifests);
  await page.reload();
  await expect.poll(() => names.count()).toBe(manifests);
  await page.getByRole('searchbox').fill('small-499');
  await expect.poll(() => names.allInnerTexts()).toEqual(['small-499']);
  await names.click();
  await page.getByRole('heading', { name: 'small-499', exact: true }).waitFor();
});

/** Manifests without a cluster, `small-1` and on: their runs have nothing to do. */
async function storeSmall(count: number): Promise<void> {
  const store = async (number: number): Promise<void> => {
    const { spec, ...manifest } = simManifest(`small-${number}`);
    await console.api.putManifest(manifest.metadata, {
      ...manifest,
      spec: { ...spec, nodePools: { dynamic: [] }, kubernetes: { clusters: [] } },
    });
  };
  for (let from = 1; from <= count; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - from + 1) }, (_, index) => store(from + index)));
  const desired = async (): Promise<number | undefined> =>
    (await console.api.listManifests({ counts: 'true', limit: 1 })).counts?.states['as-desired'];
  while ((await desired()) !== count + 1) await new Promise((resolve) => setTimeout(resolve, 500));
}
