/** `kubeloom console` for an installation in AWS: it stays, serves the console here, and signs with the credentials of the caller. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { usedContext } from '#cli/connection/connection.ts';
import { writeContexts } from '#cli/connection/contexts.ts';
import { consoleCaller } from '#cli/console-here.ts';
import { region, sessionTokenOf, startSignedApi } from '../security/signed-api.ts';
import { kubeloom } from './kubeloom.ts';
import { kubeloomProcess } from './kubeloom-process.ts';

const me = { kind: 'iam', name: 'arn:aws:iam::123456789012:user/ann', from: '192.0.2.1', claims: {}, grants: [] };

async function installation() {
  const api = await startSignedApi(() => ({ status: 200, body: me }));
  api.secrets.set('AKIDALICE', 'secret-of-alice');
  const environment = {
    KUBELOOM_API_URL: api.url,
    KUBELOOM_API_REGION: region,
    KUBELOOM_TOKEN: '',
    AWS_ACCESS_KEY_ID: 'AKIDALICE',
    AWS_SECRET_ACCESS_KEY: 'secret-of-alice',
    AWS_SESSION_TOKEN: sessionTokenOf('AKIDALICE'),
    // What is on this machine is not to be found.
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    HOME: '/nonexistent',
  };
  return { api, environment };
}

it('the console is served on this machine until Ctrl-C, and what it asks is signed as the caller', async () => {
  const { api, environment } = await installation();
  const { stdout, stderr, code } = await kubeloomProcess(['console'], { environment, interruptAt: '#sign-in=' });
  expect({ code, address: stdout.trim() }).toEqual({
    code: 130,
    address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/#sign-in=[\w-]{43}$/),
  });
  expect(stderr).toContain('Ctrl-C ends it');
  expect([api.seen.map(({ route }) => route), api.refusals]).toEqual([['GET /v1/whoami'], []]);
});

it('missing or refused credentials are reported before the console serves anything', async () => {
  const { environment } = await installation();
  const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
  const without = { ...environment, ...Object.fromEntries(keys.map((name) => [name, ''])) };
  expect(await kubeloom(['console'], { environment: without })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('there are no credentials: run `aws configure sso`'),
  });
  expect(
    await kubeloom(['console'], { environment: { ...environment, AWS_SECRET_ACCESS_KEY: 'other' } }),
  ).toMatchObject({
    code: 8,
    stdout: '',
    stderr: expect.stringContaining('signature we calculated does not match'),
  });
});

it('a --port that is not a number is refused', async () => {
  const { environment } = await installation();
  expect(await kubeloom(['console', '--port', 'x'], { environment })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--port is a number'),
  });
});

afterEach(() => vi.unstubAllEnvs());

it('credentials of another installation are not shown to the one whose console is open', async () => {
  const [here, elsewhere] = ['https://here.example.com', 'https://elsewhere.example.com'];
  vi.stubEnv('KUBELOOM_API_URL', here);
  vi.stubEnv('KUBELOOM_TOKEN', 'token-of-here');
  const { asCaller, renew } = consoleCaller(here);
  const ask = () => asCaller('GET', new URL(`${here}/v1/whoami`), {});
  expect(await ask()).toMatchObject({ authorization: 'Bearer token-of-here' });
  vi.stubEnv('KUBELOOM_API_URL', elsewhere);
  vi.stubEnv('KUBELOOM_TOKEN', 'token-of-elsewhere');
  expect(await ask()).toMatchObject({ authorization: 'Bearer token-of-here' });
  renew();
  await expect(ask()).rejects.toThrow(`this console is of ${here}, and the command line now uses another installation`);
  vi.stubEnv('KUBELOOM_API_URL', here);
  vi.stubEnv('KUBELOOM_TOKEN', 'new-token-of-here');
  expect(await ask()).toMatchObject({ authorization: 'Bearer new-token-of-here' });
});

it('a console is of the context that is used, and of none where an address was given', async () => {
  const home = await mkdtemp(join(tmpdir(), 'kubeloom-contexts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('KUBELOOM_API_URL', '');
  writeContexts({ current: 'prod', contexts: { prod: { url: 'https://prod.example.com' } } });
  expect(usedContext()).toBe('prod');
  vi.stubEnv('KUBELOOM_API_URL', 'https://prod.example.com');
  expect(usedContext()).toBeUndefined();
});
