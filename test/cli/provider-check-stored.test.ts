/** `kubeloom provider check` without files: which manifest it takes, and what it says on a platform that simulates. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CheckingApi, checkStored } from '#cli/submission/stored-check.ts';
import type { ProviderCheck } from '#contracts/http-documents.ts';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { benchManifest } from '../../bench/manifests.ts';
import { kubeloom } from './kubeloom.ts';

let platform: Platform;

const check = (...args: readonly string[]) =>
  kubeloom(['provider', 'check', ...args], {
    environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token },
  });

/** Puts a manifest whose only provider instance has that name. */
async function put(name: string, provider: string, namespace = 'default'): Promise<void> {
  const text = JSON.stringify(benchManifest(namespace === 'default' ? name : `${name}-of-${namespace}`, 'sim'));
  const document = JSON.parse(text);
  const before = document.spec.providers[0].name as string;
  const body = JSON.parse(text.replaceAll(`"${before}"`, `"${provider}"`));
  const response = await fetch(`${platform.apiUrl}/v1/manifests/${namespace}/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, metadata: { name, namespace } }),
  });
  expect(response.status).toBe(202);
}

beforeAll(async () => {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  platform = await startSimulatedPlatform();
  await put('shop', 'one');
  await put('forum', 'two');
  await put('blog', 'two');
  await put('shop', 'far', 'team');
});
afterAll(async () => {
  await platform?.stop();
  vi.unstubAllEnvs();
});

describe('kubeloom provider check without files', () => {
  it('provider check finds the manifest, and says that no cloud was asked', async () => {
    const { code, stdout } = await check('one');
    expect([code, stdout]).toEqual([
      0,
      '  ?? identity sim: simulated: nothing was asked\none has what it needs, as far as could be checked\n',
    ]);
  });

  it('provider check answers as JSON, and finds instances in other namespaces', async () => {
    const { code, stdout } = await check('far', '-n', 'team', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      provider: 'far',
      ok: true,
      findings: [{ about: 'identity', name: 'sim', ok: null, message: 'simulated: nothing was asked' }],
    });
  });

  it('provider check requires --manifest when several manifests have the instance', async () => {
    const { code, stderr } = await check('two');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/say which with --manifest \((blog, forum|forum, blog)\)/),
    ]);
    expect((await check('two', '--manifest', 'forum')).code).toBe(0);
  });

  it('provider check lists the instances of the namespace or manifest for an unknown name', async () => {
    expect(await check('stranger')).toMatchObject({ code: 4, stderr: expect.stringMatching(/there are .*one/) });
    expect(await check('stranger', '-n', 'empty')).toMatchObject({ code: 4, stderr: expect.stringContaining('-f') });
    expect(await check('one', '--manifest', 'forum')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there are two'),
    });
    expect((await check('one', '--manifest', 'shop', '-f', 'x')).code).toBe(2);
  });
});

describe('waiting for a check', () => {
  const running: ProviderCheck = {
    namespace: 'default',
    name: 'shop',
    provider: 'one',
    id: '1',
    build: 'terraform:b',
    status: 'running',
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: null,
    findings: [],
  };
  const apiWith = (looks: ProviderCheck[]): CheckingApi => ({
    listManifests: async () => ({ items: [] }),
    getManifest: () => Promise.reject(new Error('not to be called')),
    checkProvider: async () => ({ ...running, links: {} }),
    getProviderCheck: async () => looks.shift() ?? running,
  });
  const ask = (looks: ProviderCheck[], limitMs = 60_000) =>
    checkStored(apiWith(looks), { provider: 'one', namespace: 'default', manifest: 'shop' }, { pollMs: 1, limitMs });

  it('the wait for a check continues until there is a result', async () => {
    expect(await ask([running, running, { ...running, status: 'done' }])).toEqual([]);
  });

  it('the wait for a check ends with the build to read when the result is lost', async () => {
    await expect(ask([{ ...running, status: 'lost' }])).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('the log of build terraform:b says why'),
    });
  });

  it('the wait for a check ends when the check does not start in time', async () => {
    await expect(ask([], -1)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('has not ended') });
  });
});
