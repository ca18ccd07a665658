/** Whom an installation names its first admins: they and no one else, until they give roles. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPlatform } from '#local/platform.ts';
import { down, up } from '#local/supervisor.ts';
import { addUser } from '#local/users.ts';
import { inOneThread } from '#test/local/one-thread.ts';
import { startIssuer } from './issuer-stand-in.ts';

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-admins-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const grantsOf = async (apiUrl: string, token: string): Promise<unknown> => {
  const answer = await fetch(`${apiUrl}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { grants: unknown }).grants;
};
const everything = [{ role: 'admin', namespaces: ['*'] }];

it('the owner of a platform is its first admin, and no one else', async () => {
  const dataDir = await temporaryDirectory();
  const { token: users } = await addUser(dataDir, { name: 'ann', groups: ['admins'], now: new Date() });
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'sim', product: inOneThread() });
  onTestFinished(() => platform.stop());
  expect(await grantsOf(platform.apiUrl, platform.token)).toEqual(everything);
  expect(await grantsOf(platform.apiUrl, users)).toEqual([]);
});

it('the named first admins replace the owner', async () => {
  const dataDir = await temporaryDirectory();
  const { token: users } = await addUser(dataDir, { name: 'ann', groups: ['admins'], now: new Date() });
  const before = process.env.KUBELOOM_ADMINS;
  process.env.KUBELOOM_ADMINS = 'claim:groups=admins, user:local:bob';
  onTestFinished(() => {
    if (before === undefined) delete process.env.KUBELOOM_ADMINS;
    else process.env.KUBELOOM_ADMINS = before;
  });
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'sim', product: inOneThread() });
  onTestFinished(() => platform.stop());
  const { token: bobs } = await addUser(dataDir, { name: 'bob', groups: [], now: new Date() });
  expect(await grantsOf(platform.apiUrl, users)).toEqual(everything);
  expect(await grantsOf(platform.apiUrl, bobs)).toEqual(everything);
  expect(await grantsOf(platform.apiUrl, platform.token)).toEqual([]);
});

it('an issuer adds no first admins, and only its own tokens are accepted', async () => {
  const dataDir = await temporaryDirectory();
  const [issuer, other] = [await startIssuer(), await startIssuer()];
  onTestFinished(async () => {
    await down(dataDir);
    await Promise.all([issuer.close(), other.close()]);
  });
  const oidc = { issuer: issuer.url, audiences: ['kubeloom'] };
  const { apiUrl, token } = await up({ dataDir, apiPort: 0, runner: 'sim', oidc });
  expect(await grantsOf(apiUrl, await issuer.token())).toEqual([]);
  expect(await grantsOf(apiUrl, token)).toEqual(everything);
  const status = async (text: string) =>
    (await fetch(`${apiUrl}/v1/whoami`, { headers: { authorization: `Bearer ${text}` } })).status;
  expect([await status(await issuer.token({ sub: 'local' })), await status(await other.token())]).toEqual([401, 401]);
  // A restart with another issuer is reported and changes nothing.
  const again = up({ dataDir, apiPort: 0, runner: 'sim', oidc: { ...oidc, issuer: other.url } });
  await expect(again).rejects.toThrow('another OIDC issuer');
  expect((await up({ dataDir, runner: 'sim', oidc })).apiUrl).toBe(apiUrl);
});

it.each([
  ['local:bob', 'names no one; use *, iam:<arn>'],
  [' , ', 'names no one: no caller could do anything'],
])('a list of first admins that locks everyone out is refused: "%s"', async (admins, reason) => {
  const dataDir = await temporaryDirectory();
  vi.stubEnv('KUBELOOM_ADMINS', admins);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startPlatform({ dataDir, apiPort: 0, runner: 'sim', product: inOneThread() })).rejects.toThrow(reason);
  vi.unstubAllEnvs();
  const platform = await startPlatform({ dataDir, apiPort: 0, runner: 'sim', product: inOneThread() });
  onTestFinished(() => platform.stop());
  expect(await grantsOf(platform.apiUrl, platform.token)).toEqual(everything);
});
