/** Sign-in at an OIDC issuer, as with the console of an installation in AWS: what works, and every answer that must not sign anyone in. */
import type { LoopbackServer } from 'aws-on-loopback/server/loopback-server.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { attack, drawn, nothingTaken, takenAsMarkup } from './all-places.ts';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  settled,
  simManifest,
  textIn,
  writeIn,
} from './console-in-browser.ts';
import { hostConsole } from './hosted-console.ts';
import { audience, clientId, type SignInIssuer, startSignInIssuer } from './sign-in-issuer.ts';

let issuer: SignInIssuer;
let console: ConsoleInBrowser;
let site: LoopbackServer;
let address: string;

beforeAll(async () => {
  issuer = await startSignInIssuer();
  console = await consoleInBrowser({}, { oidc: { issuer: issuer.url, audiences: [audience] } });
  site = await hostConsole(
    { signIn: 'oidc', issuer: issuer.url, clientId, scope: 'openid profile', token: 'access' },
    console.platform.apiUrl,
  );
  address = `${site.url}/console/`;
  issuer.redirects.add(address);
  const spec = { role: 'admin' as const, namespaces: ['*'], subjects: [{ user: 'ann' }] };
  const binding = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: 'ann' }, spec } as const;
  await console.api.putRole({ name: 'ann' }, binding);
  await settled(console.api, simManifest('calm'));
});
afterAll(async () => {
  await site?.close();
  await console?.close();
  await issuer?.close();
});
beforeEach(() => {
  issuer.events.length = 0;
  Object.assign(issuer, { tamper: undefined, seconds: 3600, refreshes: true, renewsId: true });
});

async function opened({ clock = false } = {}) {
  const context = await console.browser.newContext({ reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (clock) await page.clock.install();
  const requests: string[] = [];
  const reports: string[] = [];
  const answers: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('response', (response) => {
    if (response.ok() && response.url().includes('/v1/')) answers.push(response.url());
  });
  page.on('console', (message) => reports.push(message.text()));
  return { context, page, requests, reports, answers };
}
const signIn = async (page: Page, place = ''): Promise<void> => {
  await page.goto(`${address}${place}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'I am ann' }).click();
};
const fleet = (page: Page) => page.getByRole('link', { name: 'calm', exact: true }).waitFor();
const grants = () => issuer.events.filter((event) => event.startsWith('grant'));

describe('signing in', () => {
  it('someone signs in at the issuer and comes back to the place that was opened', async () => {
    const { page, reports } = await opened();
    await signIn(page, '#/manifests/default/calm/history');
    await page.getByText('generation 1', { exact: true }).waitFor();
    expect(page.url()).toBe(`${address}#/manifests/default/calm/history`);
    await page.getByText('ann', { exact: true }).waitFor();
    expect(reports.filter((text) => !/status of 401/.test(text))).toEqual([]);
  });

  it('no token is in an address, a storage or the page, and the code is in no address that the browser keeps', async () => {
    const { page, context, requests } = await opened();
    const bodies: string[] = [];
    page.on('response', (response) => {
      if (response.url() === `${issuer.url}/token`) void response.text().then((text) => bodies.push(text));
    });
    await signIn(page);
    await fleet(page);
    await expect.poll(() => bodies.length).toBe(1);
    const tokens = Object.entries(JSON.parse(bodies[0] ?? '{}') as Record<string, unknown>).flatMap(([name, value]) =>
      name.endsWith('_token') ? [String(value)] : [],
    );
    expect(tokens.length).toBe(3);
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie, history.state, location.href])',
    );
    for (const text of [String(stored), await page.content(), ...requests])
      for (const token of tokens) expect(text).not.toContain(token);
    expect(String(stored)).not.toMatch(/code=|state=|verifier|nonce/);
    const cookies = await context.cookies(site.url);
    expect(cookies.filter(({ name }) => name !== 'person')).toEqual([]);
  });

  it('a page that is loaded again signs in without asking, while the issuer knows who it is', async () => {
    const { page } = await opened();
    await signIn(page);
    await fleet(page);
    issuer.events.length = 0;
    await page.reload();
    await fleet(page);
    expect(issuer.events).toEqual(['silent', 'grant authorization_code']);
  });

  it('a user who signs out is signed out at the issuer, too, and is not signed in again silently', async () => {
    const { page } = await opened();
    await signIn(page);
    await fleet(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in').waitFor();
    expect(issuer.events).toContain('end');
    issuer.events.length = 0;
    await page.reload();
    await page.getByText('You are not signed in').waitFor();
    expect(issuer.events).toEqual([]);
  });
});

it('a sign-out in one tab signs out all tabs of this browser', async () => {
  const { page, context } = await opened();
  await signIn(page);
  await fleet(page);
  const second = await context.newPage();
  await second.goto(address);
  await fleet(second);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in').waitFor();
  await second.getByText('You are not signed in').waitFor();
});

describe('an answer that signs no one in', () => {
  const refusals = {
    state: /not for a sign-in that this tab began/,
    nonce: /another nonce/,
    issuer: /another issuer/,
    client: /another audience/,
  } as const;
  for (const tamper of ['state', 'nonce', 'issuer', 'client'] as const)
    it(`an answer with another ${tamper} is refused, with the reason`, async () => {
      const { page, answers } = await opened();
      await page.goto(address);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      issuer.tamper = tamper;
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'I am ann' }).click();
      await page.getByText(refusals[tamper]).waitFor();
      expect(page.url()).toBe(`${address}#/`);
      expect(grants()).toEqual(tamper === 'state' ? [] : ['grant authorization_code']);
      expect(answers).toEqual([]);
    });

  it('markup in what the issuer says of a refusal is text', async () => {
    const { page } = await opened();
    await page.goto(address);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.route(`${issuer.url}/authorize?*`, (route) => {
      const state = new URL(route.request().url()).searchParams.get('state') ?? '';
      const answer = new URLSearchParams({ state, error: 'access_denied', error_description: attack });
      return route.fulfill({ status: 302, headers: { location: `${address}?${answer}` } });
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText(`the issuer refused: ${attack}`).waitFor();
    expect(await takenAsMarkup(page)).toEqual(nothingTaken);
  });

  it('an issuer that answers nothing leaves no white page: it says what is asked for, and then that nothing answered', async () => {
    const { page } = await opened();
    const held: (() => void)[] = [];
    await page.route('**/.well-known/openid-configuration', () => new Promise<void>((resolve) => held.push(resolve)));
    await page.goto(address);
    await page.getByText('Asking for how you are signed in').waitFor();
    await page.getByText(/did not answer within 10 seconds/).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    for (const release of held) release();
  });

  it('a code that someone else began is not even shown to the issuer (sign-in by a link)', async () => {
    const { page } = await opened();
    await page.goto(`${address}?code=stolen-or-planted&state=guessed`);
    await page.getByText(refusals.state).waitFor();
    expect([page.url(), grants()]).toEqual([`${address}#/`, []]);
  });

  it.each([
    ['code_verifier', 'x'.repeat(43), 'the code verifier does not fit'],
    ['redirect_uri', 'https://evil.example/', 'the redirect URI is not the registered one'],
    ['code', 'made-up', 'the code was used or is not known'],
  ])('the console shows the message of the issuer about a wrong %s', async (name, value, sentence) => {
    const { page } = await opened();
    await page.route(`${issuer.url}/token`, (route) => {
      const form = new URLSearchParams(route.request().postData() ?? '');
      form.set(name, value);
      return route.continue({ postData: form.toString() });
    });
    await signIn(page);
    await page.getByText(sentence).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('a token that the API does not accept is named as that, and not as a session that has ended', async () => {
    const { page } = await opened();
    issuer.tamper = 'audience';
    await signIn(page);
    await page.getByText('the API does not accept its token').waitFor();
  });
});

describe('a session that lasts', () => {
  it('a token is renewed before it ends, and no one notices', async () => {
    issuer.seconds = 300;
    const { page } = await opened({ clock: true });
    await signIn(page);
    await fleet(page);
    await page.clock.fastForward(270_000);
    await expect.poll(grants).toEqual(['grant authorization_code', 'grant refresh_token']);
    await fleet(page);
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });

  it('a session continues after the ID token of the sign-in has expired, even if the issuer gives no new one', async () => {
    Object.assign(issuer, { seconds: 3500, renewsId: false });
    const { page } = await opened({ clock: true });
    await signIn(page);
    await fleet(page);
    const renewed = ['grant authorization_code', 'grant refresh_token'];
    await page.clock.fastForward(3_450_000);
    await expect.poll(grants).toEqual(renewed);
    await fleet(page);
    await page.clock.fastForward(3_450_000);
    await expect.poll(grants).toEqual([...renewed, 'grant refresh_token']);
    await page.getByText(/^updated \d s ago$/).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });

  it('a text that is not applied yet is still there after the same person signed in again, and is kept nowhere', async () => {
    issuer.seconds = 300;
    const { page } = await opened({ clock: true });
    await signIn(page, '#/manifests/default/calm/plan');
    const text = page.getByLabel('Manifest as YAML');
    await page.getByText(/is valid/).waitFor();
    await writeIn(text, '# mine');
    issuer.refreshes = false;
    await page.clock.fastForward(400_000);
    await page.getByText('Your session has ended').first().waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Not applied yet').waitFor();
    expect(await textIn(text)).toBe('# mine');
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('mine');
  });

  it('a text that is not applied yet is nothing that another person gets who signs in', async () => {
    const { page } = await opened();
    await signIn(page, '#/manifests/default/calm/plan');
    await page.getByText(/is valid/).waitFor();
    const draft = ['default/calm', { text: '# of bob', stored: { text: '', generation: 1 } }];
    await page.evaluate(
      `sessionStorage.setItem('kubeloom-console-drafts', ${JSON.stringify(JSON.stringify({ owner: 'bob', drafts: [draft] }))})`,
    );
    await page.reload();
    await page.getByText(/is valid/).waitFor();
    expect(await textIn(page.getByLabel('Manifest as YAML'))).not.toContain('bob');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('bob');
  });

  it('a session that cannot be renewed ends with a sentence and a way back to the same place', async () => {
    issuer.seconds = 300;
    const { page } = await opened({ clock: true });
    await signIn(page, '#/events?minutes=60');
    await drawn(page, /generation 1: created/);
    issuer.refreshes = false;
    await page.clock.fastForward(400_000);
    await page.getByText('Your session has ended').first().waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await drawn(page, /generation 1: created/);
    expect(page.url()).toBe(`${address}#/events?minutes=60`);
  });
});

it('a refresh token of the issuer of these tests is good once', async () => {
  const { page } = await opened();
  const bodies: { refresh_token: string }[] = [];
  page.on('response', (response) => {
    if (response.url() === `${issuer.url}/token`) void response.json().then((json) => bodies.push(json));
  });
  await signIn(page);
  await fleet(page);
  await expect.poll(() => bodies.length).toBe(1);
  const refresh = { grant_type: 'refresh_token', refresh_token: bodies[0]?.refresh_token ?? '' };
  const body = new URLSearchParams({ client_id: clientId, ...refresh });
  const ask = async () => (await fetch(`${issuer.url}/token`, { method: 'POST', body })).status;
  expect([await ask(), await ask()]).toEqual([200, 400]);
});
