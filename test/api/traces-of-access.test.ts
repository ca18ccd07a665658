/** Access leaves a trace: who got a kubeconfig, or read logs and names of Secrets, and that nothing is given which cannot be recorded. */
import { beforeEach, describe, expect, it } from 'vitest';
import { changesOf, installationChanges } from '#contracts/change-events.ts';
import { questionKeys } from '#contracts/job.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { key, manifestPath } from './documents.ts';
import { aClusterRecord, aState } from './records.ts';

const run = 'shop-abcde-g1-a1';
const kubeconfig = `${manifestPath}/clusters/web/kubeconfig`;
const log = `${manifestPath}/runs/${run}/logs/web/w00/infrastructure/1`;
const kubeconfigKey = 'kubeconfigs/team/shop/web-1234567';
let api: ApiUnderTest;

async function open(
  settings: Readonly<Record<string, string>> = {},
  text = kubeconfigTo('https://web.example.com:6443'),
) {
  api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', ...settings });
  await bindRoles(api.deps, 'team', { operator: 'ann', viewer: 'bob' });
  const facts = { nodes: {}, loadBalancers: {}, simulated: [], kubeconfigKey };
  await api.deps.clusters.put(aClusterRecord({ current: aState([]), facts }));
  await api.deps.artifacts.putText(kubeconfigKey, text);
  await api.deps.artifacts.putText(`runs/team/shop/${run}/web-1234567/w00/infrastructure/1/log.txt`, 'made');
}
const events = async (of = key) => (await api.deps.events.list(of, 100)).items;
beforeEach(() => open());

describe('a kubeconfig', () => {
  it('a reader leaves an event with who got it and from where, each time', async () => {
    for (let times = 0; times < 2; times += 1) expect((await api.call('GET', kubeconfig, as('ann'))).status).toBe(200);
    expect(await events()).toMatchObject(
      [1, 2].map(() => ({
        kind: 'KubeconfigRead',
        by: 'ann',
        message: expect.stringMatching(/^kubeconfig of web read by ann from \d/),
      })),
    );
  });

  it('a kubeconfig is not given when its event cannot be stored', async () => {
    api.deps.events.append = () => Promise.reject(new Error('the table is full'));
    const answer = await api.call('GET', kubeconfig, as('ann'));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('client-key-data');
  });

  it('a viewer is refused without an event', async () => {
    expect((await api.call('GET', kubeconfig, as('bob'))).status).toBe(403);
    expect(await events()).toEqual([]);
  });

  it('a file that was stored with a program is refused with its key, and leaves no event', async () => {
    await open(
      {},
      kubeconfigTo('https://web.example.com:6443').replace('  user:\n', '  user:\n    exec: { command: sh }\n'),
    );
    const answer = await api.call('GET', kubeconfig, as('ann'));
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({
      code: 'KubeconfigRefused',
      detail: expect.stringContaining('the kubeconfig of cluster "web" has users[0].user.exec, which is not accepted'),
    });
    expect(await events()).toEqual([]);
  });

  it('a file that leads to another server than that of the cluster is refused', async () => {
    await open({}, kubeconfigTo('https://169.254.169.254:443'));
    expect((await api.call('GET', kubeconfig, as('ann'))).json.detail).toContain('is not the API of the cluster');
  });

  it('a file without an end is refused where the installation forbids it, with the command that gives another', async () => {
    await open({ KUBELOOM_ENDLESS_KUBECONFIGS: 'no' });
    const answer = await api.call('GET', kubeconfig, as('ann'));
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({
      code: 'KubeconfigRefused',
      detail: expect.stringContaining('`kubeloom kubeconfig web --ttl 8h --role admin`'),
    });
  });
});

describe('readings that are repeated every few seconds', () => {
  it('readings of the logs of a run are one event an hour for each reader', async () => {
    for (const who of ['bob', 'bob', 'ann', 'bob']) expect((await api.call('GET', log, as(who))).text).toBe('made');
    expect(await events()).toMatchObject([
      {
        kind: 'LogRead',
        runId: run,
        by: 'bob',
        message: expect.stringMatching(/^logs of run \S+ read by bob from \d/),
      },
      { kind: 'LogRead', runId: run, by: 'ann' },
    ]);
    api.deps.clock.advance(3600);
    await api.call('GET', log, as('bob'));
    expect(await events()).toHaveLength(3);
  });

  it('a log is not given when its event cannot be stored', async () => {
    api.deps.events.append = () => Promise.reject(new Error('the table is full'));
    const answer = await api.call('GET', log, as('bob'));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('made');
  });

  it('readings of names of Secrets are one event an hour for each reader and namespace, without the names', async () => {
    await api.deps.secrets.put('user/team/cloud', { token: 'x' });
    for (const who of ['bob', 'bob', 'ann'])
      expect((await api.call('GET', '/v1/secrets?namespace=team', as(who))).json.items).toHaveLength(1);
    await api.call('GET', '/v1/secrets', as('bob'));
    const found = await events(changesOf('team'));
    expect(found).toMatchObject([
      {
        kind: 'SecretsListed',
        by: 'bob',
        message: expect.stringMatching(/^names of Secrets of namespace team listed by bob from \d/),
      },
      { kind: 'SecretsListed', by: 'ann' },
    ]);
    expect(JSON.stringify(found)).not.toContain('cloud');
    expect((await events(changesOf(installationChanges))).at(-1)).toMatchObject({ kind: 'SecretsListed', by: 'bob' });
  });
});

it('access that is requested is recorded before a runner is asked, or not asked for at all', async () => {
  api.deps.events.append = () => Promise.reject(new Error('the table is full'));
  const body = { publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEaCu1vB1VNp3Yh2qXW3yHk1c2m4K3b2yZ6oQ3kVnS9x ann' };
  const answer = await api.call('POST', `${manifestPath}/clusters/web/ssh-access`, { body, ...as('ann') });
  expect(answer.status).toBe(500);
  expect(api.deps.builds.started).toEqual([]);
});

describe('the Terraform states of a cluster', () => {
  const path = `${manifestPath}/clusters/web/state`;
  const address = 'module.pool_x.hcloud_server.node["web-01"]';
  const request = async () => {
    const [prefix = ''] = api.deps.builds.started.map(({ variables }) => variables.KUBELOOM_JOB ?? '');
    return JSON.parse((await api.deps.artifacts.getText(questionKeys.request(prefix))) ?? 'null');
  };

  it('a reader leaves an event with what was read, by whom and from where', async () => {
    await api.deps.clusters.put({ ...aClusterRecord({ current: aState(['compute-00']) }), version: 2 });
    const answer = await api.call('POST', path, { body: { address }, ...as('ann') });
    expect(answer.status).toBe(202);
    const { read = '' } = answer.json.links as Record<string, string>;
    expect(await request()).toMatchObject({
      kind: 'state',
      address,
      workspaces: ['dns-front-1234567-sim-1', 'machines-sim-1'],
    });
    const message = expect.stringMatching(/^module\.pool_x\..* in the Terraform states of web read by ann from \d/);
    expect(await events()).toMatchObject([{ kind: 'StateRead', by: 'ann', message }]);
    expect((await api.call('GET', read, as('ann'))).json).toMatchObject({
      status: 'running',
      read: null,
    });
    expect((await api.call('GET', read, as('root'))).status).toBe(404);
  });

  it('a viewer, a malformed address, and a cluster without machines of Terraform are refused', async () => {
    expect((await api.call('POST', path, as('bob'))).status).toBe(403);
    for (const wrong of ['-x', 'a\nb', ''])
      expect((await api.call('POST', path, { body: { address: wrong }, ...as('ann') })).status).toBe(400);
    await api.deps.clusters.put({ ...aClusterRecord({ current: null }), version: 2 });
    expect((await api.call('POST', path, as('ann'))).json).toMatchObject({
      code: 'VerbRefused',
      detail: expect.stringContaining('nothing that Terraform creates'),
    });
    expect(await events()).toEqual([]);
    expect(api.deps.builds.started).toEqual([]);
  });
});
