/** A platform with one manifest on it, and what can be seen of it: whoever is refused must not have changed that. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { aManifest } from '#test/api/documents.ts';

export interface UnderAttack {
  readonly platform: Platform;
  /** With the right token, unless headers say otherwise. */
  call(
    method: string,
    path: string,
    call?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Response>;
  /** Throws when anything changed since the start. */
  unchanged(): Promise<void>;
}

/** For one test file. */
export function platformUnderAttack(): UnderAttack {
  let platform: Platform;
  let before: unknown;
  const call: UnderAttack['call'] = (method, path, { headers = {}, body } = {}) =>
    fetch(`${platform.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  const look = async (): Promise<unknown> => ({
    manifests: await (await call('GET', '/v1/manifests')).json(),
    secrets: await (await call('GET', '/v1/secrets')).json(),
    shop: await (await call('GET', '/v1/manifests/team/shop')).json(),
    executions: platform.executions.store.list({ offset: 0, limit: 1000 }).map(({ arn }) => arn),
  });
  beforeAll(async () => {
    platform = await startPlatform({ inMemory: true, apiPort: 0, runner: 'sim', tickSeconds: 3600 });
    const put = await call('PUT', '/v1/manifests/team/shop', { body: JSON.stringify(aManifest()) });
    expect(put.status).toBe(202);
    await platform.executions.idle();
    before = await look();
  });
  afterAll(() => platform.stop());
  return {
    get platform() {
      return platform;
    },
    call,
    unchanged: async () => expect(await look()).toEqual(before),
  };
}
