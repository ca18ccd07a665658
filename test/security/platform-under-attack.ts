/** A platform with one manifest on it, and what can be seen of it: refused requests must not change that. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform, PlatformOptions } from '#local/platform.ts';
import { aManifest } from '#test/api/documents.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';

export interface UnderAttack {
  readonly platform: Platform;
  /** With the right token, unless headers say otherwise. */
  call(
    method: string,
    path: string,
    call?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Response>;
  /** Throws when anything changed since the start, or since it was last read as a whole. */
  unchanged(): Promise<void>;
  /** What exists now has to stay. */
  remember(): Promise<void>;
}

/** For one test file; `prepare` says what is not as usual. */
export function platformUnderAttack(prepare: () => Promise<Partial<PlatformOptions>> = async () => ({})): UnderAttack {
  let platform: Platform;
  let before: unknown;
  const call: UnderAttack['call'] = (method, path, { headers = {}, body } = {}) =>
    fetch(`${platform.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  /** Without readings, which change nothing. */
  const changesIn = async (path: string): Promise<unknown> => {
    const { items } = (await (await call('GET', path)).json()) as { items: { kind: string }[] };
    return items.filter(({ kind }) => kind !== 'SecretsListed');
  };
  const look = async (): Promise<unknown> => ({
    manifests: await (await call('GET', '/v1/manifests')).json(),
    secrets: await (await call('GET', '/v1/secrets')).json(),
    notifications: await (await call('GET', '/v1/notifications')).json(),
    gitSources: await (await call('GET', '/v1/git-sources')).json(),
    roles: await (await call('GET', '/v1/roles')).json(),
    changes: await changesIn('/v1/changes?namespace=team'),
    changesOfRoles: await changesIn('/v1/changes'),
    shop: await (await call('GET', '/v1/manifests/team/shop')).json(),
    events: await (await call('GET', '/v1/manifests/team/shop/events?limit=200')).json(),
    executions: platform.executionStore.list({ offset: 0, limit: 1000 }).map(({ arn }) => arn),
  });
  const remember = async (): Promise<void> => {
    await platform.executions.idle();
    before = await look();
  };
  beforeAll(async () => {
    // The thousand refusals of a test are no news.
    process.env.KUBELOOM_LOG ??= 'errors';
    platform = await startSimulatedPlatform({ tickSeconds: 3600, ...(await prepare()) });
    const put = await call('PUT', '/v1/manifests/team/shop', { body: JSON.stringify(aManifest()) });
    expect(put.status).toBe(202);
    await remember();
  });
  afterAll(() => platform.stop());
  return {
    get platform() {
      return platform;
    },
    call,
    remember,
    unchanged: async () => expect(await look()).toEqual(before),
  };
}
