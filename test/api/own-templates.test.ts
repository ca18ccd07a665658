/** Manifests that name templates of their own: compared where that is enough, refused where they would have to be fetched. */
import { describe, expect, it } from 'vitest';
import { questionKeys } from '#contracts/job.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { ResolvedTemplates, TemplateSources } from '#functions/ports.ts';
import { apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, aTemplateReference, manifestPath } from './documents.ts';
import { aClusterRecord } from './records.ts';

const templatePath = '/v1/templates/team/own-templates';

function withTemplates(name: string) {
  const manifest = aManifest();
  const providers = manifest.spec.providers.map((provider) => ({ ...provider, templatesRef: { name } }));
  return { ...manifest, spec: { ...manifest.spec, providers } };
}

describe('an installation with built-in templates only', () => {
  it('templates that are not built in are refused with a sentence, even if they are stored', async () => {
    const { deps, call } = apiUnderTest({ KUBELOOM_TEMPLATE_SOURCES: 'builtin' });
    await call('PUT', templatePath, { body: aTemplateReference() });
    const answer = await call('PUT', manifestPath, { body: withTemplates('own-templates') });
    expect(answer.status).toBe(422);
    expect(answer.json.faults).toMatchObject([
      {
        path: 'spec.providers[0].templatesRef',
        reason: expect.stringContaining('it cannot fetch those of "own-templates"'),
      },
    ]);
    expect(deps.workflows.started).toEqual([]);
    const report = await call('POST', '/v1/validate', { body: withTemplates('own-templates') });
    expect(report.json).toMatchObject({ valid: false });
  });

  it('the default templates are accepted by their name', async () => {
    const { call } = apiUnderTest();
    expect((await call('PUT', manifestPath, { body: withTemplates('claudie-default-templates') })).status).toBe(202);
  });
});

describe('an installation that fetches templates', () => {
  const asking = (answer: ResolvedTemplates) => {
    const under = apiUnderTest();
    const asked: string[] = [];
    const templateSources: TemplateSources = {
      resolve: async (url, revision) => {
        asked.push(`${url} ${revision}`);
        return answer;
      },
    };
    Object.assign(under.deps, { templateSources });
    return { ...under, asked };
  };
  const commit = 'c'.repeat(40);

  it('templates are pinned to a commit on acceptance, with one look-up for all providers', async () => {
    const { deps, call, asked } = asking({ commit });
    await call('PUT', templatePath, { body: aTemplateReference() });
    expect((await call('PUT', manifestPath, { body: withTemplates('own-templates') })).status).toBe(202);
    const stored = await deps.manifests.get({ namespace: 'team', name: 'shop' });
    expect(stored?.templates).toEqual({ 'sim-1': `git:github.com/team/templates@${commit}#templates` });
    expect(asked).toEqual(['github.com/team/templates v1.0.0']);
    // What was pinned stays pinned, even if the tag moves.
    await call('POST', `${manifestPath}/retry`, { body: {} });
    expect(asked).toHaveLength(1);
  });

  it('a repository that the installation does not allow is refused, and no one is asked', async () => {
    const { deps, call, asked } = asking({ commit });
    Object.assign(deps.config, { KUBELOOM_TEMPLATE_URLS: ['github.com/other/'] });
    await call('PUT', templatePath, { body: aTemplateReference() });
    const { status, json } = await call('PUT', manifestPath, { body: withTemplates('own-templates') });
    expect([status, asked]).toEqual([422, []]);
    expect(json.faults).toMatchObject([
      { path: 'spec.providers[0].templatesRef', reason: expect.stringContaining('only from github.com/other/') },
    ]);
  });

  it('documents in clusters are pinned by the same look-up, with the folder that is theirs', async () => {
    const { deps, call, asked } = asking({ commit });
    await call('PUT', templatePath, { body: aTemplateReference() });
    const manifest = withTemplates('own-templates');
    const [cluster] = manifest.spec.kubernetes.clusters;
    const documents = [{ name: 'shop', templatesRef: { name: 'own-templates' } }];
    const body = (own: unknown) => ({
      ...manifest,
      spec: { ...manifest.spec, kubernetes: { clusters: [{ ...cluster, documents: own }] } },
    });
    expect((await call('PUT', manifestPath, { body: body(documents) })).json.faults).toBeUndefined();
    const stored = await deps.manifests.get({ namespace: 'team', name: 'shop' });
    expect(stored?.templates).toEqual({
      'sim-1': `git:github.com/team/templates@${commit}#templates`,
      [`${cluster?.name}/shop`]: `git:github.com/team/templates@${commit}#d`,
    });
    expect(asked).toHaveLength(1);
    expect(await call('DELETE', templatePath)).toMatchObject({ status: 409 });
  });

  it('a reference that names no folder for documents is refused, with its place and the fix', async () => {
    const { call } = asking({ commit });
    const { spec, ...reference } = aTemplateReference();
    await call('PUT', templatePath, { body: { ...reference, spec: { ...spec, paths: { terraformer: 'a' } } } });
    const manifest = aManifest();
    const [cluster] = manifest.spec.kubernetes.clusters;
    const documents = [{ name: 'shop', templatesRef: { name: 'own-templates' } }];
    const kubernetes = { clusters: [{ ...cluster, documents }] };
    expect(
      await call('PUT', manifestPath, { body: { ...manifest, spec: { ...manifest.spec, kubernetes } } }),
    ).toMatchObject({
      status: 422,
      json: {
        faults: [
          {
            path: 'spec.kubernetes.clusters[0].documents[0].templatesRef',
            fix: 'add paths.manifestsK8s to it',
          },
        ],
      },
    });
  });

  it('a reference to an unknown tag is refused, with its place and the fix', async () => {
    const { deps, call } = asking({
      reason: 'github.com/team/templates has no branch or tag "v1.0.0"',
      fix: 'name one',
    });
    await call('PUT', templatePath, { body: aTemplateReference() });
    const answer = await call('PUT', manifestPath, { body: withTemplates('own-templates') });
    expect(answer).toMatchObject({
      status: 422,
      json: {
        faults: [{ path: 'spec.providers[0].templatesRef', reason: expect.stringContaining('no branch or tag') }],
      },
    });
    expect(deps.workflows.started).toEqual([]);
  });
});

it('a reference that an older version stored and this one refuses is reported as a fault', async () => {
  const { deps, call } = apiUnderTest();
  const old = aTemplateReference();
  await deps.templateReferences.put('team', 'own-templates', {
    ...old,
    spec: { ...old.spec, paths: { ...old.spec.paths, terraformer: '../../etc' } },
  });
  expect(await call('PUT', manifestPath, { body: withTemplates('own-templates') })).toMatchObject({
    status: 422,
    json: {
      faults: [
        {
          path: 'spec.providers[0].templatesRef',
          reason: expect.stringMatching(/"team\/own-templates" is no longer accepted: spec.paths.terraformer: /),
          fix: 'fix it and apply it again',
        },
      ],
    },
  });
});

describe('a branch of a private repository', () => {
  const reference = aTemplateReference();
  const locked = { ...reference, spec: { ...reference.spec, auth: { secretRef: { name: 'git', namespace: 'team' } } } };

  it('a branch of a private repository is looked up by a runner, and nothing is stored until then', async () => {
    const { deps, call } = apiUnderTest();
    await deps.secrets.put('user/team/git', { token: 'kl-token' });
    expect(await call('PUT', templatePath, { body: locked })).toMatchObject({ status: 200 });
    const again = () => call('PUT', manifestPath, { body: withTemplates('own-templates') });
    expect(await again()).toMatchObject({
      status: 409,
      json: { code: 'TemplatesPending', detail: expect.stringContaining('send the same request again') },
    });
    expect(deps.workflows.started).toEqual([]);
    expect(await deps.manifests.get({ namespace: 'team', name: 'shop' })).toBeUndefined();
    const prefix = deps.builds.started[0]?.variables.KUBELOOM_JOB ?? '';
    const request = JSON.parse((await deps.artifacts.getText(questionKeys.request(prefix))) ?? '');
    expect(request).toEqual({
      kind: 'templates',
      url: 'github.com/team/templates',
      revision: 'v1.0.0',
      secret: 'team/git',
    });
    const commit = 'd'.repeat(40);
    const result = { schema: 2, endedAt: deps.clock.now().toISOString(), kind: 'templates', found: { commit } };
    await deps.artifacts.putText(questionKeys.result(prefix), JSON.stringify(result), 'application/json');
    expect((await again()).status).toBe(202);
    expect(await deps.manifests.get({ namespace: 'team', name: 'shop' })).toMatchObject({
      templates: { 'sim-1': `git:github.com/team/templates@${commit}#templates` },
      templateSecrets: { 'sim-1': 'team/git' },
    });
    expect(deps.builds.started).toHaveLength(1);
  });

  it('a branch of a private repository is refused with the words of the runner', async () => {
    const { deps, call } = apiUnderTest();
    await deps.secrets.put('user/team/git', { token: 'kl-token' });
    expect(await call('PUT', templatePath, { body: locked })).toMatchObject({ status: 200 });
    await call('POST', `${manifestPath}/plan`, { body: withTemplates('own-templates') });
    const prefix = deps.builds.started[0]?.variables.KUBELOOM_JOB ?? '';
    const answer = { reason: 'github.com/team/templates has no branch or tag "v1.0.0"', fix: 'name one' };
    const result = { schema: 2, endedAt: deps.clock.now().toISOString(), kind: 'templates', found: answer };
    await deps.artifacts.putText(questionKeys.result(prefix), JSON.stringify(result), 'application/json');
    expect(await call('PUT', manifestPath, { body: withTemplates('own-templates') })).toMatchObject({
      status: 422,
      json: { faults: [{ path: 'spec.providers[0].templatesRef', ...answer }] },
    });
  });
});

describe('an installation that only records templates', () => {
  const recorded = { KUBELOOM_TEMPLATE_SOURCES: 'recorded' };
  const targetOf = (plans: unknown) => (plans as readonly ClusterPlan[])[0]?.waypoints.at(-1)?.target ?? null;

  it('a plan has url, commit and folder of the recorded templates as their version', async () => {
    const { call } = apiUnderTest(recorded);
    await call('PUT', templatePath, { body: aTemplateReference() });
    const { json } = await call('POST', `${manifestPath}/plan`, { body: withTemplates('own-templates') });
    const [pool] = targetOf(json.clusters)?.pools ?? [];
    expect(pool?.source).toMatchObject({
      provider: { name: 'sim-1', templates: 'git:github.com/team/templates@v1.0.0#templates' },
    });
  });

  it('a change of its templates replaces the machines when the same manifest is applied', async () => {
    const { deps, call } = apiUnderTest(recorded);
    await call('PUT', templatePath, { body: aTemplateReference() });
    const body = withTemplates('own-templates');
    const current = targetOf((await call('POST', `${manifestPath}/plan`, { body })).json.clusters);
    await call('PUT', manifestPath, { body });
    await deps.clusters.put(aClusterRecord({ status: 'Converged', cluster: current?.id ?? '', current }));
    const stored = await deps.manifests.get({ namespace: 'team', name: 'shop' });
    if (stored) await deps.manifests.replace({ ...stored, status: 'Done' }, stored);
    expect((await call('PUT', manifestPath, { body })).status).toBe(200);

    const { spec, ...reference } = aTemplateReference();
    await call('PUT', templatePath, { body: { ...reference, spec: { ...spec, commit: 'v1.1.0' } } });
    const again = await call('PUT', manifestPath, { body });
    expect(again).toMatchObject({ status: 202, json: { generation: 1, attempt: 2 } });
    const { json } = await call('POST', `${manifestPath}/plan`, { body });
    const [plan] = json.clusters as readonly ClusterPlan[];
    expect(plan?.waypoints.map(({ direction }) => direction)).toEqual(expect.arrayContaining(['grow', 'shrink']));
  });

  it('templates that are not stored are refused', async () => {
    const { call } = apiUnderTest(recorded);
    const answer = await call('PUT', manifestPath, { body: withTemplates('own-templates') });
    expect(answer).toMatchObject({ status: 422, json: { faults: [{ path: 'spec.providers[0].templatesRef' }] } });
  });
});

describe('provider types from elsewhere', () => {
  it('a plan of a viewer starts no runner for them, one of an operator does', async () => {
    const { deps, call } = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
    await bindRoles(deps, 'team', { viewer: 'reader', operator: 'maker' });
    const manifest = aManifest();
    const plugin = { name: 'acme', url: 'git.example.com/acme/types', version: 'v1.0.0' };
    const providers = manifest.spec.providers.map((one) => ({ ...one, providerType: 'plugin', plugin }));
    const body = { ...manifest, spec: { ...manifest.spec, providers } };
    const read = await call('POST', `${manifestPath}/plan`, { body, ...as('reader') });
    expect(read.text).toContain('requires the role operator in namespace');
    expect(deps.builds.started).toEqual([]);
    expect((await call('POST', `${manifestPath}/plan`, { body, ...as('maker') })).status).toBe(409);
    expect(deps.builds.started).toHaveLength(1);
  });
});
