/** From what one sees to what one does: cards of what needs a person, and commands to copy. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
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
  expect(without).toEqual(['manifests/default/nothing', 'no/such/page']);
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
