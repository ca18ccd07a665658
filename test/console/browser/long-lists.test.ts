/** Lists that are long: a log and a fleet, of which the page draws what one sees. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type ConsoleInBrowser, consoleInBrowser, settled, simManifest } from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser({
    KUBELOOM_SIM_STAGE_MS: '20',
    KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'kubernetes', class: 'quota', manifest: 'fails' }]),
  });
  await settled(console.api, simManifest('calm', { providers: 2 }));
  await settled(console.api, simManifest('fails'));
  await settled(console.api, simManifest('other', { namespace: 'team' }));
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

it('filters of the fleet are in its address, are answered by the API with counts, and are copied as a command', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const { items, counts } = await console.api.listManifests({ sort: 'state', counts: 'true' });
  const failed = items.filter(({ state }) => state === 'attention');
  await go('?state=attention');
  await expect.poll(() => page.getByRole('row').count()).toBe(failed.length + 1);
  await page.getByRole('button', { name: `Needs you ${failed.length}`, pressed: true }).waitFor();
  await page.getByText('kubeloom get --sort state --state attention').waitFor();
  await page.getByRole('searchbox').fill('sim-2');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/?search=sim-2&state=attention');
  await page.getByRole('button', { name: 'All 1', exact: true }).click();
  await page.getByRole('link', { name: 'calm' }).waitFor();
  await page.reload();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('searchbox').fill('');
  await expect.poll(() => page.getByRole('row').count()).toBe((counts?.all ?? 0) + 1);
});

it('events of everything are filtered by kind and namespace, in the address and in the command', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const { items } = await console.api.listAllEvents({ kind: ['RunFailed'], limit: 200 });
  await go('events?minutes=1440');
  const lines = page.getByRole('list', { name: 'Events, oldest first' }).getByRole('listitem');
  await lines.filter({ hasText: 'calm' }).first().waitFor();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('RunFailed');
  await expect.poll(() => lines.count()).toBe(items.length);
  expect(await lines.filter({ hasText: 'calm' }).count()).toBe(0);
  expect(new URL(page.url()).hash).toBe('#/events?minutes=1440&kind=RunFailed');
  await page.getByText('kubeloom events -f --since 1440m --kind RunFailed').waitFor();
  await page.reload();
  await expect.poll(() => lines.count()).toBe(items.length);
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('');
  await lines.filter({ hasText: 'calm' }).first().waitFor();
  await page.getByRole('combobox', { name: 'Namespace' }).selectOption('team');
  await expect.poll(() => lines.filter({ hasText: 'calm' }).count()).toBe(0);
  await lines.filter({ hasText: 'other' }).first().waitFor();
  await page.getByText('kubeloom events -f --since 1440m --namespace team').waitFor();
});

it('the filter for warnings and errors of a list of events stays in its address, also after other choices', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const only = page.getByRole('checkbox', { name: /only warnings and errors/ });
  const lines = page.getByRole('list', { name: 'Events, oldest first' }).getByRole('listitem');
  const quiet = page.locator('ol.events li.info');
  await go('manifests/default/fails/events');
  await quiet.first().waitFor();
  await only.check();
  await expect.poll(() => quiet.count()).toBe(0);
  await lines.filter({ hasText: 'error' }).first().waitFor();
  expect(new URL(page.url()).hash).toBe('#/manifests/default/fails/events?only=warnings');
  await page.getByRole('combobox', { name: /^From/ }).selectOption('1440');
  await expect.poll(() => new URL(page.url()).hash).toBe('#/manifests/default/fails/events?from=1440&only=warnings');
  await page.reload();
  await lines.filter({ hasText: 'error' }).first().waitFor();
  expect([await only.isChecked(), await quiet.count()]).toEqual([true, 0]);
  await go('events?minutes=1440&only=warnings');
  await lines.filter({ hasText: 'fails' }).first().waitFor();
  expect([await only.isChecked(), await quiet.count()]).toEqual([true, 0]);
  await page.getByRole('combobox', { name: 'Namespace' }).selectOption('default');
  await expect.poll(() => new URL(page.url()).hash).toBe('#/events?minutes=1440&only=warnings&namespace=default');
  await only.uncheck();
  await lines.filter({ hasText: 'Succeeded' }).first().waitFor();
  expect(new URL(page.url()).hash).toBe('#/events?minutes=1440&namespace=default');
});

it('the newest entries of events and of the audit are read first, earlier ones on request, and new ones are added', async () => {
  const key = { namespace: 'team', name: 'other' };
  for (let times = 0; times < 110; times += 1) {
    await console.api.pauseManifest(key, {});
    await console.api.resumeManifest(key, {});
  }
  const { page, context, go, requests } = await console.open();
  onTestFinished(() => context.close());
  const asked = () => requests.filter((url) => url.includes('/v1/events'));
  await go('access/audit');
  await page.getByText('200 requests that changed something').waitFor();
  expect(asked().map((url) => new URL(url).searchParams.get('order'))).toEqual(['newest']);
  await page.getByRole('button', { name: 'Show earlier' }).click();
  await page
    .getByRole('row', { name: /created/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Show earlier' }).waitFor({ state: 'detached' });
  const before = asked().length;
  await go('events?minutes=60');
  const lines = page.getByRole('list', { name: 'Events, oldest first' }).getByRole('listitem');
  await lines.getByText('200 events').waitFor();
  expect(asked().length).toBe(before + 1);
  expect(await lines.filter({ hasText: 'created' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show earlier' }).click();
  await lines.filter({ hasText: 'created' }).first().waitFor();
  // Those of a run are together: its line, which has all of their words, is opened.
  const run = lines.filter({ hasText: 'other' }).last().getByRole('button');
  await run.click();
  await console.api.pauseManifest(key, {});
  await lines.filter({ hasText: 'paused' }).nth(111).waitFor();
});
