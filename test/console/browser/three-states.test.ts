/** What pages show before an answer arrives, without an answer, and for what the caller may not see. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { attack, consoleWithAllPlaces, drawn, nothingTaken, places, takenAsMarkup } from './all-places.ts';
import type { ConsoleInBrowser, Window } from './console-in-browser.ts';

let console: ConsoleInBrowser;
let viewerToken: string;

beforeAll(async () => {
  console = await consoleWithAllPlaces();
  viewerToken = await console.userWith('viewer');
});
afterAll(() => console?.close());

/** They ask for nothing, or for nothing that there is. */
const others = new Set(['new', 'manifests/default/nothing', 'no/such/page', 'manifests/default/calm/nosuchview']);

it('every page says that it asks, says why it can show nothing, as text, and shows it as soon as it can, without being loaded again', async () => {
  const { page, context, go } = await console.open({ clock: true });
  onTestFinished(() => context.close());
  let state: 'silent' | 'broken' | 'working' = 'working';
  const held: (() => void)[] = [];
  await page.route(/\/v1\/(?!whoami)/, async (route) => {
    if (state === 'silent') await new Promise<void>((resolve) => held.push(resolve));
    const faults = [{ path: attack, reason: attack, fix: attack }];
    const words = { title: attack, detail: `it is broken ${attack}`, instance: attack, code: 'InternalFault', faults };
    const problem = { type: 'about:blank', status: 500, ...words };
    if (state === 'working') await route.continue();
    else await route.fulfill({ status: 500, contentType: 'application/problem+json', json: problem });
  });
  const wrong: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    if (others.has(place)) continue;
    state = 'silent';
    await go(place);
    await page.reload();
    await page
      .getByText(/^Asking for/)
      .first()
      .waitFor();
    if ((await page.locator('main .state').filter({ hasNotText: 'Asking for' }).count()) > 0)
      wrong.push(`${place}: empty`);
    state = 'broken';
    for (const release of held.splice(0)) release();
    await page.getByRole('alert').getByText(`it is broken ${attack}`).first().waitFor();
    if ((await page.getByText(/^Asking for/).count()) > 0) wrong.push(`${place}: asks and does not`);
    expect([place, await takenAsMarkup(page)]).toEqual([place, nothingTaken]);
    state = 'working';
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(10_000);
          return page.locator('main').getByText(text).filter({ visible: true }).count();
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    if ((await page.getByText('it is broken').count()) > 0) wrong.push(`${place}: still broken`);
  }
  expect(wrong).toEqual([]);
}, 900_000);

/** Buttons that only those who may do something are offered. */
const verbs =
  /^(Retry|Cancel|Pause|Resume|Undo|Apply|Check for drift|Repair drift|Check its credentials|Ask the repository now|.* exactly (so|this|this plan))$/;
/** What a viewer finds in the place of such an offer. */
const ofViewers: typeof places = { 'manifests/default/calm/plan?goal=delete': /nodes \+0 ~0 −/ };

it('one who may only view sees every place, is offered nothing that would be refused, and no page asks for what is', async () => {
  const offered = async ({ page, go }: Window, place: string, text: RegExp): Promise<readonly string[]> => {
    await go(place);
    await drawn(page, text);
    const names = await page.getByRole('button').allInnerTexts();
    return names.filter((name) => verbs.test(name.trim())).map((name) => `${place}: ${name}`);
  };
  const [owner, viewer] = [await console.open(), await console.open({ token: viewerToken })];
  onTestFinished(async () => void (await Promise.all([owner, viewer].map(({ context }) => context.close()))));
  const refused: string[] = [];
  viewer.page.on('response', (one) => one.status() === 403 && refused.push(`${one.request().method()} ${one.url()}`));
  const wrong: string[] = [];
  const ofOwner: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    ofOwner.push(...(await offered(owner, place, text)));
    wrong.push(...(await offered(viewer, place, ofViewers[place] ?? text)));
    const alerts = await viewer.page.getByRole('alert').allInnerTexts();
    wrong.push(...alerts.map((alert) => `${place}: ${alert}`));
  }
  expect([wrong, refused]).toEqual([[], []]);
  expect(ofOwner.length).toBeGreaterThan(10);
}, 600_000);

it('a Secret of a namespace that the caller may not see is not called missing', async () => {
  const { page, context, go } = await console.open({ token: viewerToken });
  onTestFinished(() => context.close());
  await page.route('**/v1/whoami', async (route) => {
    const response = await route.fetch();
    const me = (await response.json()) as object;
    await route.fulfill({ response, json: { ...me, grants: [{ role: 'viewer', namespaces: ['default'] }] } });
  });
  await page.route('**/v1/providers?*', (route) => {
    const secrets = [
      { namespace: 'default', name: 'gone' },
      { namespace: 'vault', name: 'keys' },
    ];
    const one = { namespace: 'default', manifest: 'calm', name: 'aws-1', type: 'aws', pools: 1, regions: [] };
    return route.fulfill({ json: { items: [{ ...one, secrets, templates: [] }] } });
  });
  await go('settings/secrets');
  await page.reload();
  await page.getByRole('row', { name: /default\/gone not stored/ }).waitFor();
  await page.getByRole('row', { name: /vault\/keys not known: you may not see its namespace/ }).waitFor();
});

it('a view of which a part is not answered any more does not say that it is current', async () => {
  const { page, context, go } = await console.open({ clock: true });
  onTestFinished(() => context.close());
  await go('inventory/fleet/rollouts');
  await drawn(page, /Wave 1/);
  await page.route(/\/rollouts\/[^/]+$/, (route) => route.abort());
  await page.clock.fastForward(61_000);
  await page.clock.fastForward(5000);
  await page.getByText(/^! ?no answer; as it was/).waitFor();
  expect(await page.getByText('Wave 1').count()).toBeGreaterThan(0);
});
