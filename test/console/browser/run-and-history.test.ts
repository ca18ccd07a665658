/** From a failure to its log and to what can be done, from a generation to its document and back to it, and the fleet by what one looks for. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  ended,
  settled,
  simManifest,
  type Window,
} from './console-in-browser.ts';

let console: ConsoleInBrowser;
const key = (name: string) => ({ namespace: 'default', name });

beforeAll(async () => {
  console = await consoleInBrowser({
    KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'kubernetes', class: 'quota', manifest: 'fails' }]),
    KUBELOOM_SIM_DRIFT: JSON.stringify([{ kind: 'mesh', manifest: 'drifts', pool: 'compute-1', repairable: true }]),
  });
  for (const compute of [1, 2, 3]) await settled(console.api, simManifest('old', { compute }));
  await settled(console.api, simManifest('fails'));
  await settled(console.api, simManifest('drifts', { providers: 2 }));
  await console.api.driftManifest(key('drifts'), {});
  await ended(console.api, key('drifts'));
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(() => window.context.close());
  return window;
}

it('a run that failed shows the log of what failed, its key leads there, and it stays closed once it was closed', async () => {
  const { page, go } = await opened();
  await go('manifests/default/fails');
  const log = page.getByRole('log');
  await page.getByRole('heading', { name: /^Log of kubernetes/ }).waitFor();
  await log.getByText(/\S/).first().waitFor();
  await page.keyboard.press('l');
  expect(await log.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await log.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('region', { name: 'Failure' }).waitFor();
  expect(await log.count()).toBe(0);
  await page.getByRole('link', { name: 'The log of kubernetes' }).click();
  await log.getByText(/\S/).first().waitFor();
  await page.getByRole('region', { name: 'Failure' }).getByRole('link', { name: 'Roll back' }).waitFor();
  await page.getByRole('region', { name: 'Failure' }).getByRole('button', { name: 'Retry' }).waitFor();
});

it('a viewer is offered no verbs at a failure', async () => {
  const { page, go } = await opened({ token: await console.userWith('viewer') });
  await go('manifests/default/fails');
  const card = page.getByRole('region', { name: 'Failure' });
  await card.getByRole('link', { name: 'The log of kubernetes' }).waitFor();
  expect(await card.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  expect(await card.getByRole('link', { name: 'Roll back' }).count()).toBe(0);
});

it('the whole document of a generation is read, and a roll back to any of them is planned and carried out', async () => {
  const { page, go } = await opened();
  await go('manifests/default/old/history');
  const first = page.getByRole('listitem').filter({ hasText: 'generation 1' });
  await first.getByRole('link', { name: 'Whole document' }).click();
  const document = page.getByRole('region', { name: 'Generation 1 as YAML' });
  await document.getByText(/count: 1$/m).waitFor();
  expect(page.url()).toContain('history?document=1');
  await first.getByRole('link', { name: 'Plan a roll back to it' }).click();
  await page.getByText('Back to generation 1, as a new generation.').waitFor();
  await page.getByText('kubeloom rollback old --to 1').waitFor();
  await page.getByLabel(/Type web/).fill('web');
  await page.getByRole('button', { name: 'Roll back exactly so' }).click();
  await expect.poll(async () => (await console.api.getManifest(key('old'))).generation).toBe(4);
  expect(await ended(console.api, key('old'))).toBe('Done');
});

it('the fleet is filtered by provider and ordered as one chooses, and says of each whether it is as desired', async () => {
  const { page, go } = await opened();
  await go('');
  const names = async () => page.getByRole('rowheader').getByRole('link').allInnerTexts();
  await expect.poll(names).toEqual(['fails', 'drifts', 'old']);
  await page
    .getByRole('row', { name: /drifts/ })
    .getByRole('link', { name: '1 difference' })
    .waitFor();
  await page.getByRole('row', { name: /old/ }).getByRole('cell', { name: 'reached', exact: true }).waitFor();
  await page.getByRole('row', { name: /fails/ }).getByText('not reached').waitFor();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('nodes');
  await expect.poll(async () => (await names())[0]).toBe('drifts');
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('sim-2');
  await expect.poll(names).toEqual(['drifts']);
  expect(new URL(page.url()).hash).toBe('#/?provider=sim-2&sort=nodes');
  await page.getByText('kubeloom get --sort nodes --provider sim-2').waitFor();
  await go('');
  await page
    .getByRole('row', { name: /fails/ })
    .getByRole('link', { name: /InjectedFault/ })
    .click();
  await page.getByRole('heading', { name: /^Log of kubernetes/ }).waitFor();
});

it('a difference leads to its node', async () => {
  const { page, go } = await opened();
  await go('manifests/default/drifts/drift');
  await page
    .getByRole('link', { name: /^node / })
    .first()
    .click();
  await expect.poll(() => page.url()).toContain('/nodes?node=');
  await page.getByRole('region', { name: /compute-1/ }).waitFor();
});

it('each stage of a run is announced as it begins', async () => {
  const { page, go } = await opened();
  await page.evaluate(`{
    window.said = [];
    new MutationObserver(() => window.said.push(document.getElementById('announcer').textContent))
      .observe(document.getElementById('announcer'), { subtree: true, childList: true, characterData: true });
  }`);
  await go('manifests/default/old');
  await page
    .getByRole('row', { name: /reached/ })
    .first()
    .waitFor();
  // A stage is held until the page has said that it runs.
  process.env.KUBELOOM_SIM_STAGE_MS = '100000';
  await console.api.putManifest(key('old'), simManifest('old', { compute: 4 }));
  await expect
    .poll(async () => ((await page.evaluate('window.said')) as string[]).join('|'), { timeout: 60_000 })
    .toMatch(/old: web: infrastructure of waypoint 1 runs/);
  delete process.env.KUBELOOM_SIM_STAGE_MS;
  expect(await ended(console.api, key('old'))).toBe('Done');
});
