/** Templates that move, as a manifest's `onTemplates` has it: reported, proposed, or used pool by pool with a way back. */
import { describe, expect, it } from 'vitest';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import { planOf } from '#functions/pipeline/sources/submit-source.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { aTemplateReference } from '#test/api/documents.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf } from './harness/time.ts';

const commit = (letter: string): string => letter.repeat(40);
const version = (letter: string): string => `git:github.com/team/templates@${commit(letter)}#templates`;

interface Asked {
  readonly onTemplates?: OnTemplates;
  readonly ofProvider?: OnTemplates;
  readonly requireApproval?: true;
  readonly protect?: true;
  readonly checks?: 'off';
}

function documentOf({ onTemplates, ofProvider, requireApproval, protect, checks }: Asked): InputManifest {
  const { spec, ...rest } = manifestOf([{ compute: { work: 2 } }]);
  const providers = spec.providers.map((provider) => ({
    ...provider,
    templatesRef: { name: 'own' },
    ...(ofProvider && { onTemplates: ofProvider }),
  }));
  const dynamic = spec.nodePools.dynamic.map((pool) => ({ ...pool, ...(protect && { protect }) }));
  const driftChecks = checks && { driftChecks: { interval: checks, onDrift: 'report' as const } };
  const more = { ...driftChecks, ...(onTemplates && { onTemplates }), ...(requireApproval && { requireApproval }) };
  return { ...rest, spec: { ...spec, ...more, providers, nodePools: { ...spec.nodePools, dynamic } } };
}

/** A manifest that is done with commit `a` of its templates; the branch names what `branch.at` says. */
async function pinned(asked: Asked = {}, environment: Readonly<Record<string, string>> = {}) {
  const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1', ...environment });
  const branch = { at: 'a' };
  Object.assign(pipeline.deps, { templateSources: { resolve: async () => ({ commit: commit(branch.at) }) } });
  await store(pipeline);
  const { requireApproval, ...plain } = asked;
  await pipeline.call('', { method: 'PUT', body: documentOf(plain) });
  await pipeline.settle();
  if (requireApproval) {
    const { json } = await pipeline.call('', { method: 'PUT', headers: { 'if-match': '*' }, body: documentOf(asked) });
    await pipeline.call('/approve', { body: { plan: planOf(json.details).plan } });
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ generation: 2 });
  }
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('a') } });
  pipeline.runner.ran.length = 0;
  return { pipeline, branch };
}

/** The reference is applied again; the answer. */
async function store(pipeline: Pipeline) {
  const body = aTemplateReference('own');
  return callApi(pipeline.deps, 'PUT', '/v1/templates/team/own', { body });
}

/** What both ticks of the scheduler do with it after these hours. */
async function tickAfter(pipeline: Pipeline, hours: number): Promise<readonly string[]> {
  pipeline.deps.clock.advance(hours * 3600);
  const { care } = (await pipeline.invoke('tick', {})) as { readonly care: readonly string[] };
  await pipeline.settle();
  const { templates = [] } = (await pipeline.invoke('sync-sources', {})) as { readonly templates?: readonly string[] };
  await pipeline.settle();
  return [...care, ...templates].filter((what) => what !== 'leftAlone');
}

interface Described {
  readonly behind?: readonly { readonly because?: string }[];
  readonly proposed?: readonly { readonly id: string }[];
}

const described = async (pipeline: Pipeline): Promise<Described> => (await pipeline.call('', { method: 'GET' })).json;

/** The only plan that waits. */
const waitingPlan = ({ proposed = [] }: Described): string => {
  expect(proposed).toHaveLength(1);
  return proposed[0]?.id ?? '';
};

describe('templates that moved', () => {
  it('a manifest that says nothing is reported to be behind, in an event, its status and the answer to the reference, until they are used', async () => {
    const { pipeline, branch } = await pinned();
    branch.at = 'b';
    const { json } = await store(pipeline);
    const change = 'provider sim-1 at aaaaaaa, now bbbbbbb';
    expect(json.behind).toEqual([{ namespace: 'team', name: 'shop', change, next: 'report' }]);
    expect(await tickAfter(pipeline, 0.1)).toEqual(['compared']);
    expect(await described(pipeline)).toMatchObject({ status: 'Done', behind: [{ change }] });
    expect(await eventsOf(pipeline, 'TemplatesMoved')).toEqual([expect.stringContaining('apply the manifest again')]);
    expect(pipeline.runner.ran).toEqual([]);
    await pipeline.call('', { method: 'PUT', headers: { 'if-match': '*' }, body: documentOf({}) });
    await pipeline.settle();
    expect(await described(pipeline)).not.toHaveProperty('behind');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('b') } });
  });

  it('a branch that moved back is reported no more', async () => {
    const { pipeline, branch } = await pinned();
    branch.at = 'b';
    await tickAfter(pipeline, 7);
    expect(await described(pipeline)).toHaveProperty('behind');
    branch.at = 'a';
    await tickAfter(pipeline, 7);
    expect(await described(pipeline)).not.toHaveProperty('behind');
  });

  it.each([
    { onTemplates: 'replace' },
    { ofProvider: 'replace' },
    { onTemplates: 'report', ofProvider: 'replace' },
  ] as const)('machines are replaced when the manifest or the provider says so: %o', async (asked) => {
    const { pipeline, branch } = await pinned(asked);
    const before = await pipeline.nodes();
    branch.at = 'b';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'replaced']);
    const manifest = await pipeline.manifest();
    expect(manifest).toMatchObject({ status: 'Done', generation: 1, attempt: 2, templates: { 'sim-1': version('b') } });
    expect(manifest).not.toHaveProperty('behind');
    expect((await pipeline.nodes()).filter((node) => before.includes(node))).toEqual([]);
    expect(await eventsOf(pipeline, 'TemplatesTaken')).toHaveLength(1);
    const [run] = await pipeline.runs();
    expect(run?.reason).toBe('templates moved: provider sim-1 at aaaaaaa, now bbbbbbb');
  });

  it('a provider that reports only is not replaced by a manifest that replaces', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace', ofProvider: 'report' });
    branch.at = 'b';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    expect(await pipeline.manifest()).toMatchObject({ attempt: 1, templates: { 'sim-1': version('a') } });
  });

  it('a reference that is stored is noticed without drift checks, too', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace', checks: 'off' });
    branch.at = 'b';
    await store(pipeline);
    expect(await tickAfter(pipeline, 0.1)).toEqual(['replaced']);
    expect(await pipeline.manifest()).toMatchObject({ templates: { 'sim-1': version('b') } });
  });

  it('the check that a manifest is due for comes when it was due, however often references are stored', async () => {
    const { pipeline } = await pinned();
    const { dueAt } = await pipeline.manifest();
    const now = pipeline.deps.clock.now().toISOString();
    const asked = { since: now, ...(dueAt !== undefined && { dueAt }) };
    await pipeline.deps.manifests.askForTemplates({ namespace: 'team', name: 'shop' }, asked, now);
    expect(await tickAfter(pipeline, 0.1)).toEqual(['compared']);
    expect(await pipeline.manifest()).toMatchObject({ dueAt });
    expect(await pipeline.manifest()).not.toHaveProperty('templatesAsked');
  });
});

describe('plans with templates that moved', () => {
  it('a proposal waits, is not proposed twice, and carries out the commit that it was made for', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'propose' });
    branch.at = 'b';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    const found = await described(pipeline);
    const plan = waitingPlan(found);
    expect(found.behind).toMatchObject([{ plan, because: expect.stringContaining('waits for an approval') }]);
    expect(await eventsOf(pipeline, 'TemplatesMoved')).toHaveLength(1);
    branch.at = 'c';
    const approved = await pipeline.call('/approve', { body: { plan } });
    expect(approved.status).toBe(202);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('b') } });
  });

  it('a proposal that was rejected is not proposed again until the branch moves', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'propose' });
    branch.at = 'b';
    await tickAfter(pipeline, 7);
    const plan = waitingPlan(await described(pipeline));
    await pipeline.call(`/plans/${plan}/reject`, { body: { reason: 'not this week' } });
    await tickAfter(pipeline, 7);
    const after = await described(pipeline);
    expect(after).not.toHaveProperty('proposed');
    expect(after.behind).toMatchObject([{ because: expect.stringContaining('not this week') }]);
    branch.at = 'c';
    await tickAfter(pipeline, 7);
    expect((await described(pipeline)).proposed).toHaveLength(1);
  });

  it('a manifest that needs an approval gets a proposal, although it says to replace', async () => {
    const asked = { onTemplates: 'replace', requireApproval: true } as const;
    const { pipeline, branch } = await pinned(asked, { KUBELOOM_OWN_APPROVALS: 'allowed' });
    const before = await pipeline.nodes();
    branch.at = 'b';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    expect((await described(pipeline)).proposed).toHaveLength(1);
    expect(await pipeline.nodes()).toEqual(before);
  });

  it('a plan that is refused is reported with its reason, and nothing is replaced', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace', protect: true });
    const before = await pipeline.nodes();
    branch.at = 'b';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    expect(await pipeline.nodes()).toEqual(before);
    expect((await described(pipeline)).behind).toMatchObject([{ because: expect.stringContaining('protect') }]);
  });

  it('a paused manifest is reported only, and replaced after it is resumed', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace' });
    await pipeline.call('/pause');
    branch.at = 'b';
    expect((await store(pipeline)).json.behind).toMatchObject([{ paused: true }]);
    expect(await tickAfter(pipeline, 0.1)).toEqual(['compared']);
    expect((await described(pipeline)).behind).toMatchObject([{ because: 'the manifest is paused' }]);
    expect(await pipeline.manifest()).toMatchObject({ attempt: 1 });
    await pipeline.call('/resume');
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'replaced']);
    expect(await pipeline.manifest()).toMatchObject({ templates: { 'sim-1': version('b') } });
  });
});

describe('templates that fail', () => {
  it('a commit that failed is used when a person applies the manifest again', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace' });
    branch.at = 'b';
    pipeline.runner.trouble('infrastructure', 'user', { times: 1 });
    await tickAfter(pipeline, 7);
    await tickAfter(pipeline, 0.1);
    await pipeline.call('', {
      method: 'PUT',
      headers: { 'if-match': '*' },
      body: documentOf({ onTemplates: 'replace' }),
    });
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('b') } });
  });

  it('a failure after the first pool leaves that to a person: nothing is replaced a second time', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace' });
    branch.at = 'b';
    // The first pool is replaced.
    pipeline.runner.trouble('infrastructure', async () => undefined, { times: 2 });
    pipeline.runner.trouble('infrastructure', 'user');
    await tickAfter(pipeline, 7);
    const manifest = await pipeline.manifest();
    expect(manifest.status).toBe('Failed');
    expect(await tickAfter(pipeline, 0.1)).not.toContain('wentBack');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', templates: { 'sim-1': version('b') } });
    expect(await eventsOf(pipeline, 'TemplatesFailed')).toHaveLength(1);
    const ran = pipeline.runner.ran.length;
    await tickAfter(pipeline, 0.1);
    expect(pipeline.runner.ran).toHaveLength(ran);
  });

  it('a commit that fails for good is undone, its templates are those of before, and it is not used again until it moves', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace' });
    const before = await pipeline.nodes();
    branch.at = 'b';
    pipeline.runner.trouble('infrastructure', 'user', { times: 1 });
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'replaced']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', templates: { 'sim-1': version('b') } });
    expect(await tickAfter(pipeline, 0.1)).toEqual(['wentBack']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('a') } });
    expect(await pipeline.nodes()).toEqual(before);
    expect((await described(pipeline)).behind).toMatchObject([{ because: expect.stringContaining('it failed: ') }]);
    expect(await eventsOf(pipeline, 'TemplatesFailed')).toHaveLength(1);
    for (let checks = 0; checks < 3; checks++) expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'compared']);
    expect(await pipeline.manifest()).toMatchObject({ attempt: 3, status: 'Done' });
    branch.at = 'c';
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'replaced']);
    expect(await described(pipeline)).not.toHaveProperty('behind');
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('c') } });
  });

  it('a commit that fails of something that passes is retried three times, and then undone', async () => {
    const { pipeline, branch } = await pinned({ onTemplates: 'replace' });
    branch.at = 'b';
    pipeline.runner.trouble('infrastructure', 'quota', { times: 99 });
    expect(await tickAfter(pipeline, 7)).toEqual(['checked', 'replaced']);
    for (const hours of [1.2, 2.3, 4.5])
      expect(await tickAfter(pipeline, hours)).toEqual(hours < 4 ? ['retried', 'compared'] : ['retried']);
    expect(await tickAfter(pipeline, 0.1)).toEqual(['wentBack']);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', templates: { 'sim-1': version('a') } });
  });
});
