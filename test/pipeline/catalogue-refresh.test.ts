/** Once a week clouds are asked what they sell, with credentials of a manifest that is done; admission reads the newer list. */
import { beforeEach, describe, expect, it } from 'vitest';
import { questionKeys } from '#contracts/job.ts';
import type { KeptCatalogue } from '#domain/catalogue/kept-catalogue.ts';
import { handler } from '#functions/tasks/sync-sources.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { apiUnderTest } from '#test/api/api-under-test.ts';
import { aManifest, manifestPath } from '#test/api/documents.ts';
import { listOfHetzner } from '#test/catalogue/cloud-lists.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';

let under: ReturnType<typeof apiUnderTest>;
beforeEach(() => {
  under = apiUnderTest();
});

const token = 'planted-token-of-hetzner'.padEnd(64, 'x');
const document = (serverType = 'cx23') => {
  const manifest = aManifest();
  const own = {
    name: 'own',
    providerSpec: { name: 'cloud', region: 'fsn1' },
    count: 1,
    serverType,
    image: 'ubuntu-24.04',
  };
  const clusters = manifest.spec.kubernetes.clusters.map((cluster) => ({
    ...cluster,
    pools: { ...cluster.pools, compute: [...cluster.pools.compute, 'own'] },
  }));
  const cloud = { name: 'cloud', providerType: 'hetzner', secretRef: { namespace: 'team', name: 'hz' } };
  const { providers, nodePools } = manifest.spec;
  return {
    ...manifest,
    spec: {
      ...manifest.spec,
      kubernetes: { clusters },
      providers: [...providers, cloud],
      nodePools: { ...nodePools, dynamic: [...nodePools.dynamic, own] },
    },
  };
};

/** A manifest with credentials of Hetzner whose run has ended well. */
async function withManifest(status: 'Done' | 'Failed' = 'Done'): Promise<void> {
  await under.deps.secrets.put('user/team/hz', { credentials: token });
  expect(await under.call('PUT', manifestPath, { body: document() })).toMatchObject({ status: 202 });
  const record = await under.deps.manifests.get({ namespace: 'team', name: 'shop' });
  if (record === undefined) throw new Error('it is not stored');
  const { generation, attempt } = record;
  await under.deps.manifests.replace({ ...record, status }, { generation, attempt });
}

/** What a tick does about catalogues after so many days. */
async function daysLater(days: number): Promise<unknown> {
  under.deps.clock.advance(days * 86_400);
  useDeps(boundedFunctions(under.deps));
  return ((await asFunction('sync-sources', () => handler({}))) as { readonly catalogues?: unknown }).catalogues;
}

/** What the newest build does, with the rights of its session; the cloud answers `list`. */
async function build(list: KeptCatalogue): Promise<void> {
  const { id = '', variables } = under.deps.builds.started.at(-1) ?? {};
  const job = variables?.KUBELOOM_JOB ?? '';
  const given = { ...answers, catalogue: async () => list };
  const { signal } = new AbortController();
  await answerQuestion(job, await boundedForQuestion(under.deps, job), {
    signal,
    answers: given,
    templatesDirectory: '',
  });
  under.deps.builds.statuses.set(id, 'ended');
}
const today = () => under.deps.clock.now().toISOString().slice(0, 10);
const stored = () => under.deps.artifacts.getText('catalogue/hetzner.json');
const events = async () =>
  (await under.deps.events.list({ namespace: 'team', name: 'shop' }, 100)).items.filter(
    ({ kind }) => kind === 'CatalogueIgnored',
  );
async function warningsOf(serverType: string): Promise<readonly string[]> {
  const { json } = await under.call('POST', '/v1/validate', { body: document(serverType) });
  return JSON.stringify(json).match(/unknown-server-type/g) ?? [];
}

describe('asking', () => {
  it('no build is started while no manifest that is done has credentials of such a cloud, and it is looked again a day later', async () => {
    expect(await daysLater(0)).toEqual({});
    await withManifest('Failed');
    expect(await daysLater(0.5)).toBeUndefined();
    expect(await daysLater(0.6)).toEqual({});
    expect(under.deps.builds.started).toEqual([]);
  });

  it('a cloud is asked once a week, by one build that may read that one Secret, and its list is kept', async () => {
    await withManifest();
    expect(await daysLater(0)).toEqual({ hetzner: 'asked' });
    const prefix = `${questionKeys.catalogues('team', 'hetzner')}1`;
    expect(under.deps.builds.started.map(({ variables }) => variables)).toEqual([{ KUBELOOM_JOB: prefix }]);
    const request = await under.deps.artifacts.getText(questionKeys.request(prefix));
    expect(JSON.parse(request ?? '')).toEqual({ kind: 'catalogue', type: 'hetzner', secret: 'team/hz' });
    const list = listOfHetzner(today());
    await build(list);
    expect(await daysLater(0.1)).toEqual({ hetzner: 'kept' });
    expect(JSON.parse((await stored()) ?? '')).toEqual(list);
    for (const _day of [1, 2, 3, 4, 5, 6]) expect(await daysLater(1)).toBeUndefined();
    expect(await daysLater(1)).toEqual({ hetzner: 'asked' });
    expect(under.deps.builds.started).toHaveLength(2);
    expect(await events()).toEqual([]);
  });

  it('a tick that crashes when a build was to be started does not start it at each tick', async () => {
    await withManifest();
    const { workflows } = under.deps;
    const ask = workflows.askRunner.bind(workflows);
    workflows.askRunner = () => Promise.reject(new Error('it did not answer'));
    await expect(daysLater(0)).rejects.toThrow('it did not answer');
    workflows.askRunner = ask;
    expect(await daysLater(0.1)).toEqual({ hetzner: 'ignored' });
    for (const _day of [1, 2, 3]) expect(await daysLater(1)).toBeUndefined();
    expect(under.deps.builds.started).toEqual([]);
    expect(await daysLater(4)).toEqual({ hetzner: 'asked' });
  });

  it('a build that never ends is stopped, and its list is not used', async () => {
    await withManifest();
    await daysLater(0);
    expect(await daysLater(0.1)).toEqual({ hetzner: 'ignored' });
    expect(under.deps.builds.stopped).toHaveLength(1);
    expect(await events()).toMatchObject([{ level: 'warning', message: expect.stringContaining('left no answer') }]);
  });

  it.each([
    ['too few types', (date: string) => listOfHetzner(date, ['cx23']), /less than half/],
    ['an old date', () => listOfHetzner('2020-01-01'), /is of 2020-01-01, and not newer/],
    ['another form', (date: string) => listOfHetzner(date, ['\u001b[2J']), /it has another form/],
  ])('a list with %s is not kept, and an event of the manifest says why', async (_what, list, words) => {
    await withManifest();
    await daysLater(0);
    await build(list(today()));
    expect(await daysLater(0.1)).toEqual({ hetzner: 'ignored' });
    expect(await stored()).toBeUndefined();
    expect(await events()).toMatchObject([{ level: 'warning', message: expect.stringMatching(words) }]);
    expect(JSON.stringify(await events())).not.toContain(token);
  });
});

describe('admission', () => {
  it('a type that only the newer list has is known, and one that it lacks is not', async () => {
    await withManifest();
    expect([await warningsOf('new9'), await warningsOf('cx23')]).toEqual([['unknown-server-type'], []]);
    await under.deps.artifacts.putText('catalogue/hetzner.json', JSON.stringify(listOfHetzner(today())));
    under.deps.clock.advance(3601);
    expect([await warningsOf('new9'), await warningsOf('cax21')]).toEqual([[], ['unknown-server-type']]);
  });

  it.each([
    ['broken', () => '{"regions":'],
    ['of another form', () => '{"serverTypes":"x"}'],
    ['older', () => JSON.stringify(listOfHetzner('2020-01-01'))],
    ['of a day to come', () => JSON.stringify(listOfHetzner('2031-01-01'))],
    ['too small', () => JSON.stringify(listOfHetzner(today(), ['new9']))],
  ])('a stored list that is %s changes nothing', async (_what, text) => {
    await withManifest();
    under.deps.clock.advance(3601);
    await under.deps.artifacts.putText('catalogue/hetzner.json', text());
    expect([await warningsOf('new9'), await warningsOf('cx23')]).toEqual([['unknown-server-type'], []]);
  });

  it('a store that does not answer for a list is no reason to refuse a document', async () => {
    await withManifest();
    under.deps.clock.advance(3601);
    const { artifacts } = under.deps;
    const getText = artifacts.getText.bind(artifacts);
    artifacts.getText = (key) => (key.startsWith('catalogue/') ? Promise.reject(new Error('no')) : getText(key));
    expect(await warningsOf('cx23')).toEqual([]);
  });
});
