/** From what one sees to what one does: cards of what needs a person, and commands to copy. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ManifestPage } from '#contracts/api-bodies.ts';
import { consoleWithAllPlaces, drawn, places } from './all-places.ts';
import type { ConsoleInBrowser } from './console-in-browser.ts';

let console: ConsoleInBrowser;
beforeAll(async () => {
  console = await consoleWithAllPlaces();
});
afterAll(() => console?.close());

it('a viewer sees what failed, and is offered nothing', async () => {
  const { page, context, go } = await console.open({ token: await console.userWith('viewer') });
  onTestFinished(() => context.close());
  await go('attention');
  const card = page.getByRole('region', { name: 'default/fails' });
  await card.getByRole('link', { name: 'Run and its logs' }).waitFor();
  expect(await card.getByRole('link', { name: 'Roll back' }).count()).toBe(0);
  expect(await card.getByRole('button', { name: 'Retry' }).count()).toBe(0);
});

it('every place that exists has a command to copy', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  const without: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    await go(place);
    await drawn(page, text);
    if ((await page.locator('main button.command').count()) === 0) without.push(place);
  }
  expect(without).toEqual(['manifests/default/nothing', 'manifests/default/calm/nosuchview', 'no/such/page']);
});

it('it does not say that nothing needs one above manifests that drifted', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  await page.route('**/v1/plans', (route) => route.fulfill({ json: { items: [] } }));
  await page.route('**/v1/manifests?*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as ManifestPage;
    const [calm] = (await console.api.listManifests({ search: 'calm' })).items;
    const clusters = calm?.clusters.map((cluster) => ({ ...cluster, drift: 2 }));
    const drifted = { ...calm, status: 'Done', state: 'drifted', proposed: undefined, clusters };
    await route.fulfill({ response, json: { ...answer, items: [drifted] } });
  });
  await go('attention');
  await page.getByText('2 differences found by the last check').waitFor();
  expect(await page.getByText('Nothing needs you').count()).toBe(0);
});

// The last one: the retry succeeds.
it('a card of what failed leads to its run and to a roll back, and retries it', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  await go('attention');
  const card = page.getByRole('region', { name: 'default/fails' });
  await card.getByText('What to do').waitFor();
  expect(await card.getByRole('button', { name: /^(Pause|Check for drift)/ }).count()).toBe(0);
  await card.getByRole('link', { name: 'Roll back' }).click();
  await expect.poll(() => page.url()).toContain('#/manifests/default/fails/plan?goal=rollback');
  await page.goBack();
  await card.getByRole('link', { name: 'Run and its logs' }).click();
  await page.getByRole('heading', { name: 'fails', exact: true }).waitFor();
  await page.goBack();
  const { attempt } = await console.api.getManifest({ namespace: 'default', name: 'fails' });
  await card.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await expect
    .poll(async () => (await console.api.getManifest({ namespace: 'default', name: 'fails' })).attempt)
    .toBe(attempt + 1);
});
