/** What functions really use of the ports while runs go well and badly is within what their roles are made of. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { functionUses } from '#functions/rights/uses.ts';
import { useDeps, wire } from '#functions/wire.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom } from '#local/product.ts';
import { functionAtWork } from '#local/rights/function-at-work.ts';
import { boundedFunctions, refuseBeyond } from '#test/fakes/bounded-functions.ts';
import { benchManifest } from '../../bench/manifests.ts';

const used = new Map<string, Set<string>>();
let platform: Platform;
let api: CliClient;

/** The ports, recording which function calls which method. */
function recorded<Ports extends object>(ports: Ports): Ports {
  return new Proxy(ports, {
    get: (target, port: string) => {
      const inner: unknown = Reflect.get(target, port);
      if (typeof inner !== 'object' || inner === null || ['config', 'clock', 'ids'].includes(port)) return inner;
      return new Proxy(inner, {
        get: (adapter, method: string) => {
          const work: unknown = Reflect.get(adapter, method);
          if (typeof work !== 'function') return work;
          return (...given: unknown[]) => {
            const name = functionAtWork();
            if (name !== undefined) used.set(name, (used.get(name) ?? new Set()).add(`${port}.${method}`));
            return Reflect.apply(work, adapter, given);
          };
        },
      });
    },
  });
}

/** Keys of objects that a function used, whether through a port or, as the stores of large documents do, past it. */
const touched = new Set<string>();

/** Holds the adapter itself to the bounds of the function at work. */
function boundObjects(): void {
  for (const method of ['getText', 'putText', 'putBytes', 'list', 'remove', 'removeAll'] as const) {
    const work = S3Artifacts.prototype[method] as (...given: unknown[]) => Promise<never>;
    vi.spyOn(S3Artifacts.prototype, method).mockImplementation(async function (this: S3Artifacts, ...given: unknown[]) {
      const key = String(given[0]);
      refuseBeyond(`artifacts.${method}`, key);
      if (functionAtWork() !== undefined) touched.add(key);
      return Reflect.apply(work, this, given);
    });
  }
}

beforeAll(async () => {
  boundObjects();
  for (const [name, value] of Object.entries({ LOG: 'none', STAGE_RETRY_SECONDS: '0', BACK_OFF_SECONDS: '0' }))
    vi.stubEnv(`KUBELOOM_${name}`, value);
  // Faults are counted by their text for the life of the process, and another test has the same without the manifest.
  vi.stubEnv(
    'KUBELOOM_SIM_FAULTS',
    JSON.stringify([{ stage: 'kubernetes', class: 'user', times: 1, manifest: 'shop' }]),
  );
  const product = kubeloom('sim');
  platform = await startPlatform({
    runner: 'sim',
    inMemory: true,
    apiPort: 0,
    product: {
      ...product,
      async functions() {
        const functions = await product.functions();
        useDeps(recorded(boundedFunctions(wire())));
        return functions;
      },
    },
  });
  api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
});

afterAll(async () => {
  await platform?.stop();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('the rights suffice for a creation, one that is rolled back, a change and a deletion', async () => {
  const key = { namespace: 'default', name: 'shop' };
  // Too large for an item of the table.
  const labels = { long: 'x'.repeat(110_000) };
  const manifest = { ...benchManifest('shop', 'sim'), metadata: { name: 'shop', labels } };
  const end = async (): Promise<string> =>
    vi.waitFor(
      async () => {
        const found = await api.getManifest(key).catch((error: Error) => ({ status: error.message }));
        expect(found.status).not.toMatch(/^(Pending|Running|Deleting)$/);
        return found.status;
      },
      { timeout: 100_000, interval: 20 },
    );
  await api.putManifest(key, manifest);
  expect(await end()).toBe('Failed');
  await api.putManifest(key, { ...manifest, metadata: { name: 'shop', labels: { ...labels, again: 'yes' } } });
  await end();
  await platform.tick();
  const { id } = await api.checkProvider({ ...key, provider: 'cloud-1' });
  await api.getProviderCheck({ ...key, provider: 'cloud-1', check: id });
  await api.listEvents(key);
  await api.deleteManifest(key);
  await end();
  const beyond = [...used].flatMap(([name, uses]) =>
    [...uses].filter((use) => !functionUses(name).includes(use)).map((use) => `${name} uses ${use}`),
  );
  expect(beyond).toEqual([]);
  expect([...touched].some((key) => key.startsWith('documents/default/shop/'))).toBe(true);
  expect([...used.keys()]).toEqual(
    expect.arrayContaining([
      'router',
      'take-lease',
      'plan-manifest',
      'plan-cluster',
      'collect-result',
      'commit-waypoint',
    ]),
  );
  expect([...used.keys()]).toEqual(
    expect.arrayContaining(['settle-manifest', 'assess-failure', 'record-rollback', 'tick']),
  );
});
