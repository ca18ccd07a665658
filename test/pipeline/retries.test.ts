/** Failed manifests are retried: after growing pauses, or when the missing document is stored. */
import { describe, expect, it } from 'vitest';
import { mostRetries } from '#domain/due-times.ts';
import type { ErrorClass } from '#domain/errors.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { startRun, storeNext } from '#functions/pipeline/manifests/next-generation.ts';
import { makingNow, nextRecord } from '#functions/pipeline/records/next-record.ts';
import type { ResolvedTemplates } from '#functions/ports.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { aTemplateReference } from '#test/api/documents.ts';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';
import { eventsOf } from './harness/time.ts';

const small = manifestOf([{ compute: { work: 1 } }]);
const plain = manifestOf([{ compute: { work: 2 } }]);
const secretRef = { namespace: 'team', name: 'cloud' };
const grown: InputManifest = {
  ...plain,
  spec: { ...plain.spec, providers: plain.spec.providers.map((provider) => ({ ...provider, secretRef })) },
};

/** A manifest that is done, whose next generation fails `times` times of this class. */
async function failing(name: ErrorClass, times = 1): Promise<Pipeline> {
  const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1' });
  await pipeline.apply(small);
  pipeline.runner.trouble('infrastructure', name, { times });
  await pipeline.apply(grown);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', generation: 2 });
  return pipeline;
}

async function tickAfter(pipeline: Pipeline, hours: number): Promise<unknown> {
  pipeline.deps.clock.advance(hours * 3600);
  const tick = await pipeline.invoke('tick', {});
  await pipeline.settle();
  // The other tick compares templates.
  await pipeline.invoke('sync-sources', {});
  await pipeline.settle();
  return tick;
}

describe('retries by the clock', () => {
  it.each(['transient', 'conflict', 'capacity', 'quota'] as const)(
    'a manifest that failed of class %s is retried without a person once the cause is gone',
    async (name) => {
      const pipeline = await failing(name);
      expect(await tickAfter(pipeline, 0.9)).toMatchObject({ care: [] });
      expect(await tickAfter(pipeline, 0.3)).toMatchObject({ care: ['retried'] });
      const manifest = await pipeline.manifest();
      expect(manifest).toMatchObject({ status: 'Done', generation: 2, attempt: 2 });
      expect(manifest).not.toHaveProperty('retries');
      const [newest] = await pipeline.runs();
      expect(newest?.reason).toBe(`automatic retry 1 of ${mostRetries}`);
    },
  );

  it.each(['user', 'credentials', 'bug'] as const)(
    'a manifest that failed of class %s is not retried without a reason',
    async (name) => {
      const pipeline = await failing(name);
      expect(await pipeline.manifest()).toMatchObject({ failed: {} });
      expect(await tickAfter(pipeline, 100)).toMatchObject({ care: ['checked'] });
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 1, failed: {} });
      expect(await eventsOf(pipeline, 'RetryScheduled')).toEqual([]);
    },
  );

  it('a manifest that keeps failing is retried after growing pauses, and each event says when', async () => {
    const pipeline = await failing('quota', 9);
    for (const hours of [1.2, 2.3, 4.5, 9])
      expect(await tickAfter(pipeline, hours)).toMatchObject({ care: ['retried'] });
    expect(await tickAfter(pipeline, 15)).toMatchObject({ care: ['checked'] });
    const manifest = await pipeline.manifest();
    expect(manifest).toMatchObject({ status: 'Failed', attempt: 5, retries: 4 });
    const scheduled = await eventsOf(pipeline, 'RetryScheduled');
    expect(scheduled).toHaveLength(5);
    expect(scheduled.at(-1)).toBe(
      `it will be retried at ${manifest.failed?.retryAt}, retry 5 of ${mostRetries} (a quota must be raised first)`,
    );
  });

  it('a retry by a person starts the pauses again from the shortest', async () => {
    const pipeline = await failing('capacity', 9);
    for (const hours of [1.2, 2.3]) await tickAfter(pipeline, hours);
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.manifest()).not.toHaveProperty('retries');
    expect(await tickAfter(pipeline, 1.2)).toMatchObject({ care: ['retried'] });
  });

  it('a manifest is not retried for ever: the last retry says that a person has to', async () => {
    const pipeline = await failing('capacity', mostRetries + 1);
    for (let retries = 0; retries < mostRetries; retries++) await tickAfter(pipeline, 27);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', retries: mostRetries, failed: {} });
    expect(await tickAfter(pipeline, 27)).toMatchObject({ care: ['checked'] });
    expect(await eventsOf(pipeline, 'RetriesUsedUp')).toHaveLength(1);
  });

  it('a cluster with a pool that could not be created is retried, too', async () => {
    const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1' });
    pipeline.runner.trouble('infrastructure', { failedPools: ['web-work'] });
    await pipeline.apply(manifestOf([{ compute: { work: 1, more: 1 } }]));
    expect(await pipeline.cluster()).toMatchObject({ status: 'Degraded' });
    await tickAfter(pipeline, 1.2);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('a manifest that is paused is not retried until it is resumed', async () => {
    const pipeline = await failing('quota');
    await pipeline.call('/pause');
    expect(await tickAfter(pipeline, 1.2)).toMatchObject({ care: ['leftAlone'] });
    await pipeline.call('/resume');
    await tickAfter(pipeline, 1.2);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  });

  it('a run that a person cancelled is not retried', async () => {
    const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1' });
    await pipeline.apply(small);
    pipeline.runner.trouble('infrastructure', async () => {
      await pipeline.call('/cancel');
      return 'stopped';
    });
    await pipeline.apply(grown);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', failed: {} });
  });

  it('the description of a failed manifest says when it is retried, and when what exists is checked', async () => {
    const pipeline = await failing('quota');
    const { dueAt } = await pipeline.manifest();
    const { json } = await pipeline.call('', { method: 'GET' });
    expect(json).toMatchObject({ status: 'Failed', retryAt: dueAt });
    expect(json).not.toHaveProperty('checkAt');
    const other = await failing('user');
    const { dueAt: checkAt } = await other.manifest();
    const { json: checked } = await other.call('', { method: 'GET' });
    expect(checked).toMatchObject({ status: 'Failed', checkAt });
    expect(checked).not.toHaveProperty('retryAt');
  });
});

describe('templates of a branch', () => {
  const [old, fresh] = ['a'.repeat(40), 'b'.repeat(40)];
  const version = (commit: string): string => `git:github.com/team/templates@${commit}#templates`;

  /** A manifest that is done with templates of a branch, and what the branch names now. */
  async function pinned(answer: ResolvedTemplates): Promise<{ pipeline: Pipeline; asked: string[] }> {
    const pipeline = new Pipeline();
    const reference = aTemplateReference('own');
    await pipeline.deps.templateReferences.put('team', 'own', reference);
    const asked: string[] = [];
    const resolve = async (url: string, revision: string) => {
      asked.push(`${url} ${revision}`);
      return answer;
    };
    Object.assign(pipeline.deps, { templateSources: { resolve } });
    await pinnedRun(pipeline, small);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    pipeline.runner.ran.length = 0;
    return { pipeline, asked };
  }

  /** With the commit that the branch named at first. */
  async function pinnedRun(pipeline: Pipeline, { spec, ...rest }: InputManifest): Promise<void> {
    const providers = spec.providers.map((provider) => ({ ...provider, templatesRef: { name: 'own' } }));
    const before = await pipeline.deps.manifests.get(key);
    const stored = nextRecord(makingNow(pipeline.deps), key, before, {
      document: { ...rest, spec: { ...spec, providers } },
      deleting: false,
      again: false,
      templates: { templates: { 'sim-1': version(old) } },
    });
    await storeNext(pipeline.deps, before, stored);
    await startRun(pipeline.deps, stored, 'submitted');
    await pipeline.settle();
  }
  const kept = { templates: { 'sim-1': version(old) } };

  it('a branch of templates that moved is reported once, and a manifest that is done keeps its commit and its machines', async () => {
    const { pipeline, asked } = await pinned({ commit: fresh });
    const before = await pipeline.nodes();
    expect(await tickAfter(pipeline, 7)).toMatchObject({ care: ['checked'] });
    expect(await tickAfter(pipeline, 7)).toMatchObject({ care: ['checked'] });
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'github.com/team/templates v1.0.0'));
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1, ...kept });
    expect(pipeline.runner.ran).toEqual(['drift', 'drift']);
    expect(await pipeline.nodes()).toEqual(before);
    expect(await eventsOf(pipeline, 'TemplatesMoved')).toEqual([
      'templates moved: provider sim-1 at aaaaaaa, now bbbbbbb; nothing is changed: apply the manifest again to use that (`kubeloom plan` shows what it replaces)',
    ]);
  });

  it('a manifest that failed before it had any machine is retried with the commit that its branch names now', async () => {
    const { pipeline } = await pinned({ commit: fresh });
    await pipeline.call('', { method: 'DELETE' });
    await pipeline.settle();
    pipeline.runner.trouble('infrastructure', 'quota', { times: 9 });
    await pinnedRun(pipeline, small);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', ...kept });
    expect(await tickAfter(pipeline, 1.2)).toMatchObject({ care: ['retried'] });
    expect(await pipeline.manifest()).toMatchObject({ attempt: 2, templates: { 'sim-1': version(fresh) } });
    expect((await eventsOf(pipeline, 'TemplatesTaken')).at(-1)).toContain('the retry uses that');
  });

  it.each([{ protect: false }, { protect: true }])(
    'a manifest that failed and has machines is retried with its own commit, protected or not: %o',
    async ({ protect }) => {
      const { pipeline } = await pinned({ commit: fresh });
      const before = await pipeline.nodes();
      pipeline.runner.trouble('infrastructure', 'quota', { times: 9 });
      const pools = plain.spec.nodePools.dynamic.map((pool) => ({ ...pool, ...(protect && { protect }) }));
      const nodePools = { ...plain.spec.nodePools, dynamic: pools };
      await pinnedRun(pipeline, { ...plain, spec: { ...plain.spec, nodePools } });
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed' });
      for (const hours of [1.2, 2.3]) expect(await tickAfter(pipeline, hours)).toMatchObject({ care: ['retried'] });
      expect(await pipeline.manifest()).toMatchObject({ attempt: 3, ...kept });
      expect(await pipeline.nodes()).toEqual(before);
      expect(await eventsOf(pipeline, 'TemplatesMoved')).toHaveLength(1);
    },
  );

  it('a branch that names the same commit, or a repository that does not answer, starts nothing but the check', async () => {
    for (const answer of [{ commit: old }, { reason: 'it does not answer', fix: 'retry' }]) {
      const { pipeline } = await pinned(answer);
      expect(await tickAfter(pipeline, 7)).toMatchObject({ care: ['checked'] });
      expect(await pipeline.manifest()).toMatchObject({ attempt: 1, templates: { 'sim-1': version(old) } });
    }
  });
});

describe('retries when a Secret is stored', () => {
  const stored = async (pipeline: Pipeline, name: string): Promise<unknown> => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name }, stringData: { any: 'x' } };
    return (await callApi(pipeline.deps, 'PUT', `/v1/secrets/team/${name}`, { body })).status;
  };

  it('a manifest that failed because of credentials is retried once its Secret is stored', async () => {
    const pipeline = await failing('credentials');
    expect(await stored(pipeline, secretRef.name)).toBe(200);
    expect(await tickAfter(pipeline, 0.1)).toMatchObject({ care: ['retried'] });
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2 });
    expect((await eventsOf(pipeline, 'RetryScheduled')).join()).toContain(`team/${secretRef.name}`);
  });

  it('a Secret of another name, or another failure, retries nothing', async () => {
    const pipeline = await failing('credentials');
    await stored(pipeline, 'another');
    expect(await tickAfter(pipeline, 0.1)).toMatchObject({ care: [] });
    const user = await failing('user');
    await stored(user, secretRef.name);
    expect(await tickAfter(user, 0.1)).toMatchObject({ care: [] });
  });
});
