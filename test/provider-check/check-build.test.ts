/** The build that tries credentials: it leaves a result in time, or none. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CheckResult, checkKeys } from '#contracts/provider-check.ts';
import { runCheckBuild, simulateCheckBuild } from '#runner/provider-check/check-build.ts';
import { runSimStage } from '#runner/sim/run-sim-stage.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';

const prefix = 'checks/team/shop/cloud/1';
const never = new AbortController().signal;
let deps: FakeDeps;

/** A store that does not answer. */
const silence = (): Promise<never> => new Promise(() => undefined);
const silent = { get: silence, exists: silence, put: silence, remove: silence, list: silence };

async function request(more: object = {}): Promise<void> {
  const wanted = { provider: 'cloud', type: 'hetzner', secret: 'team/cloud', regions: [], ...more };
  await deps.artifacts.putText(checkKeys.request(prefix), JSON.stringify(wanted));
}
const result = async () => {
  const text = await deps.artifacts.getText(checkKeys.result(prefix));
  return text === undefined ? undefined : CheckResult.parse(JSON.parse(text));
};

beforeEach(async () => {
  deps = fakeDeps();
  await request();
});

describe('a build that tries credentials', () => {
  it('leaves what it found, with the times', async () => {
    expect(await runCheckBuild(prefix, deps, { signal: never, templatesDirectory: '/nowhere' })).toBe(true);
    const found = await result();
    expect(found).toMatchObject({ findings: [{ about: 'identity', name: 'SecretMissing', ok: false }] });
    expect(found?.startedAt && found.endedAt > found.startedAt).toBe(true);
  });

  it('says that nobody can tell what takes too long', async () => {
    const around = { signal: never, templatesDirectory: '/nowhere', limitMs: 1 };
    expect(await runCheckBuild(prefix, { ...deps, secrets: silent }, around)).toBe(true);
    expect((await result())?.findings).toMatchObject([{ name: 'hetzner', ok: null }]);
  });

  it('leaves nothing when it is stopped', async () => {
    const stop = new AbortController();
    const around = { signal: stop.signal, templatesDirectory: '/nowhere' };
    const ended = runCheckBuild(prefix, { ...deps, secrets: silent }, around);
    stop.abort();
    expect(await ended).toBe(false);
    expect(await result()).toBeUndefined();
  });

  it('fails without a request', async () => {
    const none = runCheckBuild('checks/team/shop/cloud/2', deps, { signal: never, templatesDirectory: '/nowhere' });
    await expect(none).rejects.toThrow('there is no request under checks/team/shop/cloud/2');
  });

  it('asks nobody where everything is simulated', async () => {
    expect(await simulateCheckBuild(prefix, deps, never)).toBe(true);
    expect((await result())?.findings).toEqual([
      { about: 'identity', name: 'hetzner', ok: null, message: 'simulated: nothing was asked' },
    ]);
    await request({ type: 'aws' });
    expect(await runSimStage({ KUBELOOM_CHECK: prefix }, { signal: never, ports: deps })).toBe(true);
    expect((await result())?.findings[0]?.name).toBe('aws');
  });
});
