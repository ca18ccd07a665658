/** What is uploaded runs: every bundle loads with nothing around it but Node, and the API answers. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { HttpHandler } from '#functions/middleware.ts';
import { bundleFunctions, functionFiles } from '../../cdk/bundle-functions.ts';

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

it('a cold start of a function loads at most 470 kB, and at most 780 kB with what its first request needs', () => {
  expect(Object.keys(sizes)).toEqual(Object.keys(functionFiles));
  for (const [name, { start, most }] of Object.entries(sizes)) {
    expect(start, name).toBeGreaterThan(100 * 1024);
    expect(start, name).toBeLessThanOrEqual(470_000);
    expect(most, name).toBeGreaterThan(start);
    expect(most, name).toBeLessThanOrEqual(780_000);
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
