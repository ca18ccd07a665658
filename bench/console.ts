/**
 * Prints, as JSON, how the web console performs in Chromium: rows of a large fleet, a cluster of 302 nodes as a list and as a drawing, a log of 100,000 lines, a tab that
 * is left alone. `cpuMs` is what the page's thread computed, which counts also on a machine that does something else: for all rows, or a frame. Answers with many rows are multiplied from one of the platform with the sim runner. `KUBELOOM_IDLE_SECONDS`: how long it is left alone.
 * The machine should do nothing else: `load` says what it did.
 */
import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { consoleInBrowser, settled, simManifest } from '../test/console/browser/console-in-browser.ts';
import { largeManifest, largeNodes, manyPoolsManifest } from '../test/console/browser/large-manifest.ts';
import { percentiles, round, setting } from './numbers.ts';

const idleSeconds = setting('KUBELOOM_IDLE_SECONDS', 60);
const rows = setting('KUBELOOM_ROWS', 500);
const logLines = setting('KUBELOOM_LOG_LINES', 100_000);

const console = await consoleInBrowser();
try {
  await settled(console.api, simManifest('calm'));
  await settled(console.api, largeManifest('large'));
  await settled(console.api, manyPoolsManifest('many'));
  const report = {
    load: loadavg().map(round),
    browser: console.browser.version(),
    fleet: await fleet(),
    nodes: await nodes(),
    topology: await topology('large'),
    topologyOfManyPools: await topology('many'),
    log: await log(),
    idle: await idle(),
    loadAtEnd: loadavg().map(round),
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  await console.close();
}

/** What the thread of the page computed so far, in ms. */
async function computes(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

/** From the last answer with rows to the frame in which they are drawn, in ms. */
async function fleet(): Promise<object> {
  const tries: number[] = [];
  const cpu: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const { page, go, context } = await console.open();
    await go(`?rows=${rows}`);
    await page.route('**/v1/manifests?*', async (route) => {
      const given = await route.fetch().catch(() => undefined);
      if (!given) return;
      const answer = (await given.json()) as { items: Record<string, unknown>[]; counts: object };
      const [first = {}] = answer.items;
      const items = Array.from({ length: rows }, (_, index) => ({ ...first, name: `row-${index}` }));
      return route.fulfill({ json: { ...answer, items, counts: { ...answer.counts, all: rows, fitting: rows } } });
    });
    // Each frame notes when the rows are there.
    await page.addInitScript(`
      const look = () => document.querySelector('tbody tr')
        ? requestAnimationFrame(() => { window.drawn = performance.now(); }) : requestAnimationFrame(look);
      requestAnimationFrame(look);`);
    await page.reload();
    // The policy of the page forbids what `waitForFunction` would do.
    while ((await page.evaluate('window.drawn')) === undefined) await page.waitForTimeout(50);
    const [drawn, answered, shown] = (await page.evaluate(`[window.drawn,
      performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/manifests?'))[0].responseEnd,
      document.querySelectorAll('tbody tr').length]`)) as [number, number, number];
    if (shown < rows) throw new Error(`only ${shown} of ${rows} rows are drawn`);
    tries.push(drawn - answered);
    // Again, from a page that is loaded already.
    await go('access/roles');
    await page.getByText('Who has which role').waitFor();
    const computed = await computes(page);
    const before = await computed();
    await go(`?rows=${rows}`);
    while ((await page.locator('tbody tr').count()) < rows) await page.waitForTimeout(50);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    cpu.push((await computed()) - before);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
  return { rows, aimMs: 300, paintMs: percentiles(tries), cpuMs: percentiles(cpu) };
}

async function nodes(): Promise<object> {
  const { page, go, context } = await console.open();
  await go('manifests/default/large/nodes');
  await page.getByText('ready').first().waitFor();
  const elements = (await page.evaluate('document.querySelectorAll("*").length')) as number;
  const frames = await framesWhile(page, 'window.scrollBy(0, 40 * Math.sign(Math.sin(frame / 60)))');
  await context.close();
  return { nodes: largeNodes, elements, aimMs: 33, scrollFrameMs: frames };
}

/** Moved by a pointer, a step each frame; small enough that all of it is seen, and as large as its text. */
async function topology(name: string): Promise<object> {
  const { page, go, context } = await console.open();
  await go(`manifests/default/${name}/topology`);
  await page.getByText(/WireGuard mesh/).waitFor();
  const drawing = page.getByLabel(/its clouds, pools, nodes/);
  const elements = (await page.evaluate('document.querySelectorAll("*").length')) as number;
  const moved = `const frame_ = document.querySelector('[aria-label*="its clouds, pools"]');
    frame_.setPointerCapture = () => undefined;
    const send = (type) => frame_.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, buttons: 1,
      clientX: 600 + 200 * Math.sin(frame / 20), clientY: 500 + 100 * Math.cos(frame / 20) }));
    if (frame === 1) send('pointerdown');
    send('pointermove')`;
  const panFrameMs = await framesWhile(page, moved);
  await drawing.focus();
  for (let steps = 0; steps < 4; steps += 1) await page.keyboard.press('+');
  const enlargedPanFrameMs = await framesWhile(page, moved);
  await context.close();
  return { nodes: largeNodes, elements, aimMs: 33, panFrameMs, enlargedPanFrameMs };
}

async function log(): Promise<object> {
  const { page, go, context } = await console.open();
  await page.route('**/logs/**', (route) =>
    route.fulfill({
      contentType: 'text/plain',
      headers: { 'kubeloom-next-offset': '1', 'kubeloom-ended': 'true' },
      body: Array.from(
        { length: logLines },
        (_, line) => `line ${line}: something that a tool says while it works`,
      ).join('\n'),
    }),
  );
  await go('manifests/default/calm');
  const began = performance.now();
  await page.getByRole('button', { name: /^done/ }).first().click();
  await page
    .getByText(new RegExp(`${logLines.toLocaleString('en')}|${logLines} lines`))
    .first()
    .waitFor();
  const shownMs = round(performance.now() - began);
  const frames = await framesWhile(
    page,
    `document.querySelector('[role=log]').scrollTop = (frame * 7919) % ${logLines * 18}`,
  );
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
  return { lines: logLines, shownMs, aimMs: 33, scrollFrameMs: frames };
}

/** Times of 300 frames, each after another step. */
async function framesWhile(page: Page, step: string): Promise<object> {
  const computed = await computes(page);
  const before = await computed();
  const gaps = await page.evaluate(`new Promise((resolve) => {
    const gaps = []; let before; let frame = 0;
    const next = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now; frame += 1; ${step};
      if (gaps.length < 300) requestAnimationFrame(next); else resolve(gaps);
    };
    requestAnimationFrame(next);
  })`);
  return { ...p95Of(gaps as number[]), cpuMs: round(((await computed()) - before) / 300) };
}

function p95Of(gaps: readonly number[]): object {
  const sorted = gaps.toSorted((one, other) => one - other);
  return { ...percentiles(gaps), p95: round(sorted[Math.floor(sorted.length * 0.95)] ?? 0) };
}

/** Load of an idle page of a manifest, visible and hidden: share of a core that its thread uses, requests a minute. */
async function idle(): Promise<object> {
  const { page, go, requests, context } = await console.open();
  await go('manifests/default/large/nodes');
  await page.getByText('ready').first().waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  const busy = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const watched = async (): Promise<object> => {
    const [began, at, before] = [performance.now(), await busy(), requests.length];
    await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
    const seconds = (performance.now() - began) / 1000;
    return {
      corePercent: Math.round((((await busy()) - at) / seconds) * 10_000) / 100,
      requestsPerMinute: round(((requests.length - before) / seconds) * 60),
    };
  };
  const seen = await watched();
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);
  const hidden = await watched();
  await context.close();
  return { seconds: idleSeconds, aims: { corePercent: 1, requestsPerMinute: 6, hiddenRequests: 0 }, seen, hidden };
}
