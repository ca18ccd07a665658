/** What is uploaded runs: the bundled API answers, with nothing around it but Node. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { HttpHandler } from '#functions/middleware.ts';
import { addStacks } from '../../cdk/stacks.ts';

const outdir = mkdtempSync(join(tmpdir(), 'kubeloom-synth-'));
let files: string[];

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('KUBELOOM_TABLE', 'table');
  vi.stubEnv('KUBELOOM_BUCKET', 'bucket');
  vi.stubEnv('KUBELOOM_PROVIDER_TYPES', 'hetzner,aws');
  vi.stubEnv('KUBELOOM_RUNNER_PROJECTS', '{}');
  vi.stubEnv('KUBELOOM_LOG', 'none');
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': ['kubeloom-api'] } });
  addStacks(app, { installation: 'kubeloom' });
  app.synth();
  files = readdirSync(outdir)
    .map((asset) => join(outdir, asset, 'index.mjs'))
    .filter((file) => existsSync(file));
}, 120_000);

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(outdir, { recursive: true, force: true });
});

it('bundles the API into one module that answers', async () => {
  expect(files).toHaveLength(1);
  const { handler } = (await import(pathToFileURL(files[0] ?? '').href)) as { handler: HttpHandler };
  const request = { requestId: 'r', http: { method: 'GET' } };
  const answer = await handler({ routeKey: 'GET /v1/version', requestContext: request, headers: {} } as never);
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(answer.body ?? '{}')).toMatchObject({ providerTypes: ['hetzner', 'aws'] });
});
