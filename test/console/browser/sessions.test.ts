/** Sessions of the local platform in a browser: addresses that sign in, that are old, or that are of someone else. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { askForCode, consoleAddress } from '#cli/commands/console.ts';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  settled,
  simManifest,
  textIn,
  type Window,
  writeIn,
} from './console-in-browser.ts';

let console: ConsoleInBrowser;
let viewer: string;

beforeAll(async () => {
  console = await consoleInBrowser();
  viewer = await console.userWith('viewer');
  await settled(console.api, simManifest('calm'));
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(() => window.context.close());
  return window;
}

const addressFor = async (token = console.platform.token): Promise<string> => {
  const { apiUrl } = console.platform;
  return consoleAddress(apiUrl, (await askForCode(apiUrl, token)).code);
};

it('an address that is pasted into an open tab signs in, and leaves no code in the address', async () => {
  const { page } = await opened();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in').waitFor();
  await page.evaluate(`location.href = ${JSON.stringify(await addressFor())}`);
  await page.getByRole('link', { name: 'calm', exact: true }).waitFor();
  expect(page.url()).toBe(`${console.platform.apiUrl}/console/#/`);
});

it('an address that was used does not hide the session that the browser has', async () => {
  const { page } = await opened();
  await page.goto(`${console.platform.apiUrl}/console/#sign-in=${'x'.repeat(43)}`);
  await page.getByText('this code was used or is too old').waitFor();
  await page.getByRole('link', { name: 'calm', exact: true }).waitFor();
});

it('a page whose session has ended says that, and how to sign in again', async () => {
  const { page, context, go } = await opened({ clock: true });
  await go('manifests/default/calm');
  await page.getByRole('row', { name: /reached/ }).waitFor();
  await context.clearCookies();
  await page.clock.fastForward(12_000);
  await page.getByText('Your session has ended').first().waitFor();
  await page.getByText('kubeloom console').waitFor();
});

const place = 'manifests/default/calm/nodes?search=compute';

it('a page whose platform was stopped and started keeps what it showed, says that its session has ended, and is the same place for who signs in again', async () => {
  const { page, context, go } = await opened({ clock: true });
  await go(place);
  const row = page.getByText(/of 2 ready/).first();
  await row.waitFor();
  const start = await console.stopPlatform();
  await page.clock.fastForward(25_000);
  await page.getByText(/no answer; as it was/).waitFor();
  expect(await row.count()).toBe(1);
  await start();
  // However long it waits before it retries.
  await page.clock.fastForward(120_000);
  await page.getByText('Your session has ended').first().waitFor();
  const other = await context.newPage();
  await other.goto(await addressFor());
  for (const tab of [other, page]) await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  await row.waitFor();
  expect(page.url()).toContain(place);
});

it('an address that is pasted into the tab whose session has ended leads back to the place where it was', async () => {
  const { page, context, go } = await opened();
  await go(place);
  await page
    .getByText(/of 2 ready/)
    .first()
    .waitFor();
  await context.clearCookies();
  await page.reload();
  await page.getByText('You are not signed in').waitFor();
  await page.goto(await addressFor());
  await page
    .getByText(/of 2 ready/)
    .first()
    .waitFor();
  expect(page.url()).toBe(`${console.platform.apiUrl}/console/#/${place}`);
});

it('an address of someone else asks before this browser becomes theirs, in every tab', async () => {
  const { page, context } = await opened();
  const second = await context.newPage();
  await second.goto(`${console.platform.apiUrl}/console/`);
  await second.getByRole('link', { name: 'calm', exact: true }).waitFor();
  await page.goto(await addressFor(viewer));
  await page.getByRole('button', { name: 'Stay signed in as local' }).click();
  await page.getByRole('link', { name: 'calm', exact: true }).waitFor();
  await page.getByText('local', { exact: true }).waitFor();
  await page.goto(await addressFor(viewer));
  await page.getByRole('button', { name: 'Sign in as the other user' }).click();
  for (const tab of [page, second]) await tab.getByText('local:viewer', { exact: true }).waitFor();
});

it('a place whose name is a step to another address is asked for nowhere', async () => {
  const { page, requests, go } = await opened();
  await go('manifests/../whoami');
  await page.getByText('There is no manifest').waitFor();
  expect(requests.filter((url) => /\/v1\/(manifests\/)?whoami\//.test(url))).toEqual([]);
});

it('words of the language in an address are no views, spans or names of pages', async () => {
  const { page, reports, go } = await opened();
  await go('manifests/default/calm/events?from=toString');
  await page
    .getByText(/done in/)
    .first()
    .waitFor();
  await go('manifests/default/calm/constructor');
  await page.getByText('There is no such view').waitFor();
  await go('constructor');
  await page.getByText('There is no such page').waitFor();
  await expect.poll(() => page.title()).toBe('Constructor · Kubeloom');
  expect(reports).toEqual([]);
});

it('the console opened as localhost is that of 127.0.0.1', async () => {
  const { context } = await opened();
  const page = await context.newPage();
  const { port } = new URL(console.platform.apiUrl);
  await page.goto(`http://localhost:${port}/console/#/attention`);
  await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor();
  expect(page.url()).toBe(`http://127.0.0.1:${port}/console/#/attention`);
});

it('commands of a console of another context name that context', async () => {
  const { page } = await opened();
  await page.getByText('kubeloom get --sort state', { exact: true }).waitFor();
  await page.route('**/console/console.json', (route) =>
    route.fulfill({ json: { signIn: 'session', context: 'prod' } }),
  );
  await page.reload();
  await page.getByText('kubeloom --context prod get --sort state', { exact: true }).waitFor();
});

describe('a text that is not applied yet, in a tab that is loaded again since another one signed in', () => {
  /** Two tabs of one browser, the first of which has a text. What the browser asked before it left a page is kept. */
  async function withText() {
    const { page, context, go } = await opened();
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    await go('new');
    const area = page.getByLabel('Manifest as YAML');
    await writeIn(area, '# mine');
    const other = await context.newPage();
    return { page, other, area, questions };
  }

  it('the text is still there when the same person signed in, and no one is asked whether to leave', async () => {
    const { page, other, area, questions } = await withText();
    const loaded = page.waitForEvent('load');
    await other.goto(await addressFor());
    await loaded;
    expect(await textIn(area)).toBe('# mine');
    expect(questions).toEqual([]);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in').waitFor();
    await other.goto(await addressFor());
    expect(await textIn(area)).toBe('# mine');
    expect(questions).toEqual([]);
  });

  it('the page of the one before does not stay when someone else signed in, who is not shown the text', async () => {
    const { page, other, area, questions } = await withText();
    await other.goto(await addressFor(viewer));
    await other.getByRole('button', { name: 'Sign in as the other user' }).click();
    await page.getByText('local:viewer', { exact: true }).waitFor();
    expect(await textIn(area)).toBe('');
    expect(questions).toEqual([]);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('mine');
  });
});
