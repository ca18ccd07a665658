/** The composition root: ports out of the environment, once; and a sentence that names everything missing. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordedTemplateSources } from '#adapters/git-references.ts';
import { useDeps, wire } from '#functions/wire.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

beforeEach(() => useDeps(undefined));
afterEach(() => {
  vi.unstubAllEnvs();
  useDeps(undefined);
});

describe('wire', () => {
  it('ports and adapters are wired once for each process, and an adapter is loaded with the first call', async () => {
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('KUBELOOM_TABLE', 'kubeloom');
    vi.stubEnv('KUBELOOM_BUCKET', 'kubeloom');
    vi.stubEnv('KUBELOOM_PROVIDER_TYPES', 'sim,hetzner');
    vi.stubEnv('KUBELOOM_RUNNER_PROJECTS', '{"terraform":"sim"}');
    vi.stubEnv('KUBELOOM_TEMPLATE_SOURCES', 'recorded');
    const deps = wire();
    const [url, commit] = ['git.example/modules', 'main'];
    expect(await deps.templateSources.resolve(url, commit)).toEqual(await recordedTemplateSources.resolve(url, commit));
    expect(await deps).toBe(deps);
    expect(await deps.workflows).toBe(deps.workflows);
    expect(deps.config.KUBELOOM_PROVIDER_TYPES).toEqual(['sim', 'hetzner']);
    expect(wire()).toBe(deps);
  });

  it('all missing variables are named in one message', () => {
    for (const name of ['KUBELOOM_TABLE', 'KUBELOOM_BUCKET', 'KUBELOOM_PROVIDER_TYPES', 'KUBELOOM_RUNNER_PROJECTS'])
      vi.stubEnv(name, undefined);
    expect(() => wire()).toThrow(/KUBELOOM_TABLE.*KUBELOOM_BUCKET.*KUBELOOM_PROVIDER_TYPES.*KUBELOOM_RUNNER_PROJECTS/);
  });

  it('the given ports are used instead of adapters', () => {
    const deps = fakeDeps();
    useDeps(deps);
    expect(wire()).toBe(deps);
  });
});
