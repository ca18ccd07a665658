/** `GET /metrics` of a platform at work, and what its documentation and dashboard say about it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { measures } from '#domain/measures.ts';
import { exposition } from '#local/metrics/exposition.ts';
import { metricHelp } from '#local/metrics/kubeloom-metrics.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { aManifest, manifestPath } from '#test/api/documents.ts';

const file = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

describe('metrics of a platform', () => {
  let platform: Platform;
  beforeAll(async () => {
    vi.stubEnv('KUBELOOM_LOG', 'errors');
    platform = await startPlatform({ inMemory: true, apiPort: 0, runner: 'sim' });
  });
  afterAll(async () => {
    await platform?.stop();
    vi.unstubAllEnvs();
  });

  const scrape = async () => (await fetch(platform.metricsUrl)).text();

  it('metrics need no token, and nothing but them is there', async () => {
    expect(new URL(platform.metricsUrl).hostname).toBe('127.0.0.1');
    const answer = await fetch(platform.metricsUrl);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('version=0.0.4'),
    ]);
    expect((await fetch(platform.metricsUrl.replace('/metrics', '/v1/manifests'))).status).toBe(404);
    expect((await fetch(platform.metricsUrl, { method: 'POST' })).status).toBe(404);
  });

  it('a manifest that was done is in the metrics with its run and its stages, and without its name', async () => {
    const response = await fetch(`${platform.apiUrl}${manifestPath}`, {
      method: 'PUT',
      body: JSON.stringify(aManifest()),
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
    });
    expect(response.status, await response.text()).toBe(202);
    await expect.poll(scrape, { timeout: 60_000, interval: 200 }).toContain('kubeloom_manifests{status="Done"} 1');
    const text = await scrape();
    expect(text).toContain('kubeloom_clusters{status="Converged"} 1');
    expect(text).toMatch(/^kubeloom_stage_seconds_count{stage="infrastructure"} [1-9]/m);
    expect(text).toMatch(/^kubeloom_builds{stage="infrastructure",status="SUCCEEDED"} [1-9]/m);
    expect(text).toMatch(/^kubeloom_builds_queued 0$/m);
    expect(text).not.toMatch(/shop|team/);
  });

  it('metrics of a tick have the same values as in CloudWatch', async () => {
    await platform.tick();
    expect(await scrape()).toMatch(/^kubeloom_lease_overdue_seconds 0$/m);
  });
});

describe('the documentation of metrics', () => {
  it('docs/monitoring.md has each metric, and each name in CloudWatch', () => {
    const page = file('monitoring.md');
    expect([...page.matchAll(/^\| `(kubeloom_\w+)`/gm)].map(([, name]) => name)).toEqual(Object.keys(metricHelp));
    for (const name of Object.keys(measures)) expect(page).toContain(`\`${name}\``);
  });

  it('the dashboard asks for each metric, and for no other', () => {
    const { panels } = JSON.parse(file('monitoring/grafana-dashboard.json'));
    const asked = JSON.stringify(panels).match(/kubeloom_[a-z_]+/g) ?? [];
    expect([...new Set(asked.map((name) => name.replace(/_(sum|count)$/, '')))].sort()).toEqual(
      Object.keys(metricHelp).sort(),
    );
  });

  it('labels with quotes, backslashes and several lines are escaped', () => {
    const samples = [{ labels: { code: 'a"b\\c\nd' }, value: 2 }];
    expect(exposition([{ name: 'x', help: 'y', type: 'gauge', samples }])).toBe(
      '# HELP x y\n# TYPE x gauge\nx{code="a\\"b\\\\c\\nd"} 2\n',
    );
  });
});
