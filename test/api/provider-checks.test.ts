/** Checks of stored credentials through the API: one at a time, numbered, with the outcome that a runner left. */
import { describe, expect, it } from 'vitest';
import { questionKeys } from '#contracts/job.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { aManifest, manifestPath } from './documents.ts';

const posted = `${manifestPath}/providers/cloud/check`;
const prefix = (id: number) => `${questionKeys.checks({ namespace: 'team', name: 'shop' }, 'cloud')}${id}`;

/** `cloud` is at Hetzner, with its token in a Vault; it makes one pool. */
async function withManifest(): Promise<ApiUnderTest> {
  const under = apiUnderTest();
  const manifest = aManifest();
  const { dynamic } = manifest.spec.nodePools;
  const own = { name: 'own', providerSpec: { name: 'cloud', region: 'fsn1' }, count: 1, serverType: 's', image: 'i' };
  const secretRef = { vault: { path: 'clouds/hetzner' } };
  const clusters = manifest.spec.kubernetes.clusters.map((cluster) => ({
    ...cluster,
    pools: { ...cluster.pools, compute: [...cluster.pools.compute, 'own'] },
  }));
  const body = {
    ...manifest,
    spec: {
      ...manifest.spec,
      kubernetes: { clusters },
      providers: [...manifest.spec.providers, { name: 'cloud', providerType: 'hetzner', secretRef }],
      nodePools: { ...manifest.spec.nodePools, dynamic: [...dynamic, own] },
    },
  };
  await under.deps.secrets.put('user/team/vault', { address: 'https://vault.example', token: 't' });
  expect((await under.call('PUT', manifestPath, { body })).status).toBe(202);
  return under;
}

async function leaveResult(under: ApiUnderTest, id: number): Promise<void> {
  const found = [{ about: 'identity', name: 'project', ok: true, message: 'lets us in' }];
  const times = { startedAt: '2026-11-20T12:00:01.000Z', endedAt: '2026-11-20T12:00:02.000Z' };
  await under.deps.artifacts.putText(
    questionKeys.result(prefix(id)),
    JSON.stringify({ schema: 2, ...times, kind: 'credentials', found }),
  );
}

describe('a check of stored credentials', () => {
  it('a check starts as a build that finds its request, and is reported as an event', async () => {
    const under = await withManifest();
    const { status, json } = await under.call('POST', posted);
    expect(status).toBe(202);
    expect(json).toEqual({
      namespace: 'team',
      name: 'shop',
      provider: 'cloud',
      id: '1',
      links: { check: `${manifestPath}/providers/cloud/checks/1` },
    });
    expect(under.deps.builds.started).toMatchObject([{ project: 'sim', variables: { KUBELOOM_JOB: prefix(1) } }]);
    const request = await under.deps.artifacts.getText(questionKeys.request(prefix(1)));
    expect(JSON.parse(request ?? 'null')).toEqual({
      kind: 'credentials',
      provider: 'cloud',
      type: 'hetzner',
      regions: ['fsn1'],
      secret: 'vault://team/vault/secret/clouds/hetzner',
    });
    const { items } = (await under.call('GET', `${manifestPath}/events`)).json as { items: { message: string }[] };
    expect(items.at(-1)?.message).toMatch(/^check of the credentials of provider "cloud" requested by tester from /);
  });

  it('a check runs until there is a result', async () => {
    const under = await withManifest();
    await under.call('POST', posted);
    const look = async () => (await under.call('GET', `${manifestPath}/providers/cloud/checks/1`)).json;
    expect(await look()).toMatchObject({ status: 'running', endedAt: null, findings: [], build: 'sim:1' });
    await leaveResult(under, 1);
    expect(await look()).toMatchObject({ status: 'done', findings: [{ name: 'project', ok: true }] });
  });

  it.each([
    ['ended', (under: ApiUnderTest) => under.deps.builds.statuses.set('sim:1', 'ended')],
    ['is no longer known', (under: ApiUnderTest) => under.deps.builds.statuses.delete('sim:1')],
  ])('a check is lost when its build %s without a result, and the next one may start', async (_, end) => {
    const under = await withManifest();
    await under.call('POST', posted);
    end(under);
    expect((await under.call('GET', `${manifestPath}/providers/cloud/checks/1`)).json).toMatchObject({
      status: 'lost',
      findings: [],
    });
    expect((await under.call('POST', posted)).json).toMatchObject({ id: '2' });
  });

  it('a check is refused while another one of the same instance runs', async () => {
    const under = await withManifest();
    await under.call('POST', posted);
    const { status, json } = await under.call('POST', posted);
    expect([status, json.detail]).toEqual([
      409,
      'provider "cloud" of manifest "team/shop" is being checked already (check 1): wait for its end',
    ]);
    expect((await under.call('POST', `${manifestPath}/providers/sim-1/check`)).status).toBe(202);
    await leaveResult(under, 1);
    expect((await under.call('POST', posted)).json).toMatchObject({ id: '2' });
    expect(under.deps.builds.started).toHaveLength(3);
  });

  it('two requests for a check at the same moment start one build', async () => {
    const under = await withManifest();
    const answers = await Promise.all([under.call('POST', posted), under.call('POST', posted)]);
    expect(answers.map(({ json }) => json.id)).toEqual(['1', '1']);
    expect(under.deps.builds.started).toHaveLength(1);
  });

  it('a stuck check is stopped when another one is requested', async () => {
    const under = await withManifest();
    await under.call('POST', posted);
    under.deps.clock.advance(11 * 60);
    expect((await under.call('POST', posted)).json).toMatchObject({ id: '2' });
    expect(under.deps.builds.stopped).toEqual(['sim:1']);
  });

  it('the latest check is found without its id, and is 404 when there was no check', async () => {
    const under = await withManifest();
    const latest = () => under.call('GET', `${manifestPath}/providers/cloud/checks/latest`);
    const { status, json } = await latest();
    expect([status, json.detail]).toEqual([404, 'provider "cloud" of manifest "shop" was never checked']);
    await under.call('POST', posted);
    await leaveResult(under, 1);
    expect((await latest()).json).toMatchObject({ id: '1', status: 'done' });
    await under.call('POST', posted);
    expect((await latest()).json).toMatchObject({ id: '2', status: 'running', findings: [] });
  });

  it('an unknown instance, check or manifest is 404, with the names of the instances', async () => {
    const under = await withManifest();
    const { status, json } = await under.call('POST', `${manifestPath}/providers/stranger/check`);
    expect([status, json.detail]).toEqual([
      404,
      'manifest "team/shop" has no provider "stranger": there are sim-1, cloud',
    ]);
    expect((await under.call('GET', `${manifestPath}/providers/cloud/checks/7`)).status).toBe(404);
    expect((await under.call('GET', `${manifestPath}/providers/cloud/checks/..`)).status).toBe(400);
    expect((await under.call('POST', '/v1/manifests/team/none/providers/cloud/check')).status).toBe(404);
    expect(under.deps.builds.started).toEqual([]);
  });
});
