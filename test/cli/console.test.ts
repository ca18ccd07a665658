/** `kubeloom console`: an address that signs a browser in once, as the caller. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom as run } from './kubeloom.ts';

let platform: Platform;
const kubeloom = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token, ...more } });

beforeAll(async () => {
  process.env.KUBELOOM_LOG = 'none';
  platform = await startPlatform({ inMemory: true, runner: 'sim', apiPort: 0 });
});
afterAll(() => platform.stop());

it('the address has a code that signs in once and is no token', async () => {
  const { stdout, stderr, code } = await kubeloom(['console']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('within 2 minutes') });
  const { origin, pathname, hash } = new URL(stdout.trim());
  expect([origin, pathname]).toEqual([platform.apiUrl, '/console/']);
  const [, secret = ''] = /^#sign-in=([\w-]{43})$/.exec(hash) ?? [];
  expect(secret).not.toContain(platform.token);
  const signIn = () => fetch(`${platform.apiUrl}/console/session`, { method: 'POST', body: secret });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 401]);
});

it('the platform serves the built page, and programs get the address as JSON', async () => {
  const { url, seconds } = JSON.parse((await kubeloom(['console', '--json'])).stdout) as Record<string, unknown>;
  expect(seconds).toBe(120);
  const page = await fetch(String(url));
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringMatching(/<script type="module"[^>]* src="\/console\/assets\//),
  ]);
});

it('a wrong token exits with 8', async () => {
  expect(await kubeloom(['console'], { KUBELOOM_TOKEN: 'wrong' })).toMatchObject({ code: 8 });
});

it('the address is that of 127.0.0.1, also where the platform is called localhost', async () => {
  const { port } = new URL(platform.apiUrl);
  const { stdout, code } = await kubeloom(['console'], { KUBELOOM_API_URL: `http://localhost:${port}` });
  expect([code, new URL(stdout.trim()).origin]).toEqual([0, platform.apiUrl]);
});
