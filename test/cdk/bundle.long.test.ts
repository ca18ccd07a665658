/** What is uploaded runs: every bundle loads with nothing around it but Node, the API answers, and a cluster is created and deleted. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cliClient } from '#cli/connection/api-client.ts';
import { eventKinds } from '#domain/event-kinds.ts';
import type { HttpHandler } from '#functions/middleware.ts';
import { startPlatform } from '#local/platform.ts';
import { kubeloom } from '#local/product.ts';
import { accessKeyOf, functionKeyOf } from '#local/rights/access-key.ts';
import { benchManifest } from '../../bench/manifests.ts';
import { bundleFunctions, functionFiles } from '../../cdk/bundle-functions.ts';
import { callsOfImport } from '../../cdk/import-calls.ts';
import { callBundle } from './bundled-function.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-bundles-'));
/** By Node itself, as Lambda does. */
const load = createRequire(import.meta.url);
let sizes: Awaited<ReturnType<typeof bundleFunctions>>;
const bundle = (name: string): string => join(directory, name, 'index.mjs');

beforeAll(async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('KUBELOOM_TABLE', 'table');
  vi.stubEnv('KUBELOOM_BUCKET', 'bucket');
  vi.stubEnv('KUBELOOM_PROVIDER_TYPES', 'hetzner,aws');
  vi.stubEnv('KUBELOOM_RUNNER_PROJECTS', '{}');
  vi.stubEnv('KUBELOOM_LOG', 'none');
  sizes = await bundleFunctions(directory);
}, 600_000);

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** Their work is the planner, which is a third of them; in every other function it is loaded when there is something to plan. */
const planners = ['plan-cluster', 'plan-manifest'];

it('a cold start of a function loads at most 400 kB, and one that always plans at most 467 kB', () => {
  expect(Object.keys(sizes)).toEqual(Object.keys(functionFiles));
  expect(Object.keys(sizes)).toEqual(expect.arrayContaining(planners));
  for (const [name, { start, from }] of Object.entries(sizes)) {
    expect(start, name).toBeGreaterThan(100_000);
    expect
      .soft(start, `${name}: ${JSON.stringify(from)}`)
      .toBeLessThanOrEqual(planners.includes(name) ? 467_000 : 400_000);
  }
});

/** Calls of functions by an import, in thousands. Code that reads manifests creates their schemas; the API creates the schemas of all its documents. */
const mostCalls: Readonly<Record<string, number>> = {
  ...Object.fromEntries(planners.map((name) => [name, 34])),
  ...Object.fromEntries(['record-drift', 'settle-manifest', 'tick'].map((name) => [name, 33])),
  'plan-batch': 24,
  'submit-cluster': 42,
  // It reads what any build may be asked.
  'build-credentials': 47,
  router: 67,
  agents: 31,
};

it('an import of a function makes at most 24,000 calls, and more only where it needs more schemas', async () => {
  expect(Object.keys(functionFiles)).toEqual(expect.arrayContaining(Object.keys(mostCalls)));
  const beyond: Record<string, number> = {};
  for (const name of Object.keys(functionFiles)) {
    const calls = await callsOfImport(bundle(name));
    expect(calls, name).toBeGreaterThan(10_000);
    if (calls > 1000 * (mostCalls[name] ?? 24)) beyond[name] = calls;
  }
  expect(beyond).toEqual({});
}, 300_000);

it('a function has at most 845 kB loaded with its largest part', () => {
  for (const [name, { start, most, all }] of Object.entries(sizes)) {
    expect(most, name).toBeGreaterThan(start);
    expect(all, name).toBeGreaterThan(most);
    expect.soft(most, name).toBeLessThanOrEqual(845_000);
  }
});

it('every function has a bundle that exports its handler, and a source map', () => {
  for (const name of Object.keys(functionFiles)) {
    const module = load(bundle(name)) as { handler?: unknown };
    expect(typeof module.handler, name).toBe('function');
    expect(existsSync(`${bundle(name)}.map`)).toBe(true);
  }
});

it('a bundle does not contain the place of the checkout', () => {
  const { sources } = JSON.parse(readFileSync(`${bundle('tick')}.map`, 'utf8')) as { sources: string[] };
  expect(sources).toContain('../../functions/tasks/tick.ts');
  expect(readFileSync(bundle('tick'), 'utf8')).not.toContain(directory);
});

it('bundles have the levels of events, and none of the sentences that the documentation says of them', () => {
  const parts = readdirSync(join(directory, 'plan-cluster')).filter((file) => file.endsWith('.mjs'));
  const text = parts.map((part) => readFileSync(join(directory, 'plan-cluster', part), 'utf8')).join('\n');
  expect(text).toMatch(/RunFailed:\{level:[`'"]error[`'"]\}/);
  for (const { when } of Object.values(eventKinds).flatMap((kinds) => Object.values(kinds)))
    expect(text).not.toContain(when);
});

it('descriptions of fields of the API are in its OpenAPI document, and in no bundle', () => {
  const document = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  const parts = readdirSync(join(directory, 'router')).filter((file) => file.endsWith('.mjs'));
  expect(parts.length).toBeGreaterThan(10);
  expect(document).toContain('unique within its manifest');
  for (const part of parts)
    expect(readFileSync(join(directory, 'router', part), 'utf8'), part).not.toContain('unique within its manifest');
});

it('the bundle of the API answers version, OpenAPI document and a manifest with faults', async () => {
  const { handler } = load(bundle('router')) as { handler: HttpHandler };
  const ask = async (routeKey: string, more: object = {}) => {
    const [method = '', path = ''] = routeKey.split(' ');
    const authorizer = { iam: { userArn: 'arn:aws:iam::123456789012:role/ops' } };
    const requestContext = { requestId: 'r', http: { method, path, sourceIp: '192.0.2.1' }, authorizer };
    return handler({ routeKey, rawPath: path, requestContext, headers: {}, ...more } as never);
  };
  const version = await ask('GET /v1/version');
  expect(version.statusCode).toBe(200);
  expect(JSON.parse(version.body ?? '{}')).toMatchObject({ providerTypes: ['hetzner', 'aws'] });
  const openapi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
  expect(JSON.parse((await ask('GET /v1/openapi.json')).body ?? '{}')).toEqual(openapi);
  const yaml = {
    headers: { 'content-type': 'application/yaml' },
    body: 'kind: InputManifest\nspec: [',
    isBase64Encoded: false,
  };
  const refused = await ask('POST /v1/validate', yaml);
  expect(refused.statusCode).toBeGreaterThanOrEqual(400);
  expect(refused.statusCode).toBeLessThan(500);
});

it('bundled functions create and delete a cluster, each in a process of its own with its own credentials', async () => {
  const product = kubeloom('sim');
  const called = new Set<string>();
  /** Each signs with a key of its own: the services refuse what its role in AWS may not do. */
  const call = async (name: string, event: unknown): Promise<unknown> => {
    called.add(name);
    const variables = Object.entries(process.env).filter(([variable]) => /^(AWS|KUBELOOM)_/.test(variable));
    const AWS_ACCESS_KEY_ID = functionKeyOf(process.env.AWS_ACCESS_KEY_ID ?? '', name);
    const environment = { ...Object.fromEntries(variables), AWS_ACCESS_KEY_ID, AWS_SESSION_TOKEN: 'of-this-session' };
    return callBundle(bundle(name), event, environment);
  };
  const platform = await startPlatform({
    runner: 'sim',
    inMemory: true,
    apiPort: 0,
    product: {
      ...product,
      async functions() {
        const names = Object.keys(await product.functions());
        return Object.fromEntries(names.map((name) => [name, (event: unknown) => call(name, event)]));
      },
      async routes() {
        const rows = await product.routes();
        return rows.map((row) => ({ ...row, handler: (event) => call('router', event) as never }));
      },
    },
  });
  try {
    expect(process.env.AWS_ACCESS_KEY_ID).toBe(accessKeyOf(platform.token));
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    const key = { namespace: 'default', name: 'shop' };
    // Too large for an item of the table: its document is in the bucket.
    const metadata = { name: 'shop', labels: { long: 'x'.repeat(110_000) } };
    const ends = (): Promise<string> =>
      vi.waitFor(
        async () => {
          const { status } = await api.getManifest(key).catch((error: Error) => ({ status: error.message }));
          expect(status).not.toMatch(/^(Pending|Running|Deleting)$/);
          return status;
        },
        { timeout: 500_000, interval: 1000 },
      );
    await api.putManifest(key, { ...benchManifest('shop', 'sim'), metadata });
    expect(await ends()).toBe('Done');
    const { id } = await api.checkProvider({ ...key, provider: 'cloud-1' });
    await api.getProviderCheck({ ...key, provider: 'cloud-1', check: id });
    await platform.tick();
    await platform.quickTick();
    await api.deleteManifest(key);
    expect(await ends()).toMatch(/does not exist|no manifest/);
    const roles = ['router', 'tick', 'sync-sources', 'publish-events', 'take-lease', 'plan-manifest'];
    const ofRuns = ['plan-cluster', 'collect-result', 'commit-waypoint', 'settle-manifest'];
    expect([...called]).toEqual(expect.arrayContaining([...roles, ...ofRuns]));
  } finally {
    await platform.stop();
  }
}, 600_000);

it('the trace of a failed call of a bundled function names places in its sources', async () => {
  const input = { namespace: 'default', name: 'shop', executionArn: 'arn:of-an-execution' };
  const variables = { ...process.env, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_MAX_ATTEMPTS: '1' };
  const call = callBundle(bundle('take-lease'), input, { ...variables, AWS_ENDPOINT_URL_DYNAMODB: 'no address' });
  const { name, stack = '' } = await call.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );
  expect(name).toBe('InternalFault');
  const [wrapper, cause] = stack.split('caused by: TypeError: Invalid URL');
  expect(wrapper).toMatch(/ at .*functions\/failures\.ts:\d+:\d+/);
  expect(cause).toMatch(/ at .*node_modules\/@smithy\/[\w/-]+\.js:\d+:\d+/);
  expect(stack).not.toContain(directory);
});
