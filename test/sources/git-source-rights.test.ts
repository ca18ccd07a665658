/** Whose rights a GitSource has, what it may not reach, and what callers see of it. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Call } from '#test/api/api-under-test.ts';
import { aSecret } from '#test/api/documents.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { aSource, filesOf, manifestText, type SourceWorld, sourcePath, sourceWorld, statesOf } from './source-world.ts';

let server: GitServer;
let world: SourceWorld;

beforeEach(async () => {
  server = await startGitServer();
  world = sourceWorld(server, { KUBELOOM_ADMINS: 'user:root' });
  await bind('operator', ['team', 'other'], [{ user: 'olga' }]);
  await bind('viewer', ['team'], [{ user: 'vera' }]);
  await bind('operator', ['team'], [{ claim: { name: 'groups', value: 'ops' } }]);
});
afterEach(async () => {
  trust();
  await server.close();
});

const as = (sub: string, claims: object = {}): { readonly as: Call['as'] } => ({
  as: { jwt: { claims: { sub, ...claims } } },
});
const olga = as('olga');

async function bind(
  role: string,
  namespaces: string[],
  subjects: { user?: string; claim?: { name: string; value: string } }[],
) {
  const name = `${role}-${subjects.map(({ user, claim }) => user ?? claim?.value).join('-')}`;
  const body = {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name },
    spec: { role, namespaces, subjects },
  };
  expect((await world.call('PUT', `/v1/roles/${name}`, { body, ...as('root') })).status).toBe(200);
}

describe('rights', () => {
  it('a viewer sees a GitSource with its faults, and may not store, sync or delete it; a stranger sees nothing', async () => {
    server.commit({ 'clusters/a.yaml': 'kind: Nothing' });
    await world.put({}, olga);
    await world.settle();
    const vera = as('vera');
    expect((await world.call('GET', sourcePath, vera)).json).toMatchObject({
      by: 'olga',
      status: { faults: [{ file: 'clusters/a.yaml', path: 'kind', line: 1 }] },
    });
    expect((await world.call('GET', '/v1/git-sources', vera)).json.items).toHaveLength(1);
    const refused = [
      await world.put({}, vera),
      await world.call('POST', `${sourcePath}/sync`, vera),
      await world.call('DELETE', sourcePath, vera),
      await world.call('GET', sourcePath, as('stranger')),
      await world.call('GET', '/v1/git-sources', as('stranger')),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('a GitSource whose maker lost the role submits nothing until someone who has it applies it again', async () => {
    server.commit(filesOf('a'));
    await world.put({}, olga);
    expect((await world.call('DELETE', '/v1/roles/operator-olga', as('root'))).status).toBe(204);
    const source = await world.settle();
    expect(source.status).toMatchObject({ state: 'Refused', problem: { reason: expect.stringContaining('olga') } });
    expect(await world.stored()).toEqual([]);
    await world.put({}, as('otto', { groups: '[dev ops]' }));
    expect(statesOf(await world.settle())).toEqual({ a: 'applied' });
  });

  it('a GitSource reaches no other namespace, although its maker may', async () => {
    await world.call('PUT', '/v1/secrets/other/key', {
      body: { ...aSecret('key'), metadata: { namespace: 'other', name: 'key' } },
      ...olga,
    });
    const manifest = JSON.parse(manifestText('a'));
    manifest.spec.providers[0] = {
      name: 'sim-1',
      providerType: 'hetzner',
      secretRef: { namespace: 'other', name: 'key' },
    };
    server.commit({
      'clusters/a.yaml': JSON.stringify(manifest),
      'clusters/b.yaml': manifestText('b', { namespace: 'other' }),
    });
    await world.put({}, olga);
    const { faults } = (await world.settle()).status;
    expect(faults.map(({ file, reason }) => `${file} ${reason}`)).toEqual([
      expect.stringMatching(/^clusters\/b.yaml is "other", and this GitSource submits only into its own namespace/),
      expect.stringMatching(/^clusters\/a.yaml gitsource:clusters@.* lacks the role operator in the namespaces/),
    ]);
    expect((await world.deps.manifests.list('other', 10)).items).toEqual([]);
  });

  it('the Secret of a GitSource is of its own namespace, exists, and has a token', async () => {
    const foreign = await world.put({ secretRef: { name: 'git', namespace: 'other' } }, olga);
    expect(foreign).toMatchObject({ status: 422, json: { faults: [{ path: 'spec.secretRef.namespace' }] } });
    expect(await world.put({ secretRef: { name: 'git' } }, olga)).toMatchObject({ status: 422 });
    const git = '/v1/secrets/team/git';
    await world.call('PUT', git, { body: aSecret('git', { token: 'any-token' }), ...olga });
    expect((await world.put({ secretRef: { name: 'git' } }, olga)).status).toBe(200);
    expect(await world.call('PUT', git, { body: aSecret('git', { password: 'x' }), ...olga })).toMatchObject({
      status: 422,
    });
  });
});

describe('who owns a manifest', () => {
  it('a manifest that another GitSource submitted is refused', async () => {
    server.commit(filesOf('a'));
    await world.put({}, olga);
    await world.settle();
    const twin = { ...aSource({ url: server.url }), metadata: { namespace: 'team', name: 'twin' } };
    expect((await world.call('PUT', '/v1/git-sources/team/twin', { body: twin, ...olga })).status).toBe(200);
    for (let steps = 0; steps < 2; steps += 1) {
      await world.step();
      await world.build();
      world.deps.clock.advance(21);
    }
    const other = await world.deps.gitSources.get({ namespace: 'team', name: 'twin' });
    expect(other?.status.faults).toMatchObject([{ reason: '"a" is submitted by the GitSource clusters' }]);
  });

  it('one of two schedulers takes a step', async () => {
    server.commit(filesOf('a'));
    await world.put({}, olga);
    await Promise.all([world.step(), world.step(), world.step()]);
    expect(world.deps.builds.started).toHaveLength(1);
    await world.build();
    world.deps.clock.advance(21);
    await Promise.all([world.step(), world.step(), world.step()]);
    expect(world.deps.workflows.started).toHaveLength(1);
  });

  it('a GitSource that is stored again while it submits keeps what it submitted', async () => {
    server.commit(filesOf('a'));
    await world.put({}, olga);
    await world.step();
    await world.build();
    world.deps.clock.advance(21);
    await Promise.all([world.step(), world.put({ prune: { most: 1 } }, olga)]);
    const source = await world.settle();
    expect(Object.keys(source.submitted)).toEqual(['a']);
    expect(source.document.spec.prune).toEqual({ most: 1 });
  });
});

it('the GitSource of examples/git-source.yaml submits the manifests of a repository', async () => {
  const example = parse(readFileSync('examples/git-source.yaml', 'utf8'));
  server.commit({ 'team/a.yaml': manifestText('a'), 'team/b.yaml': 'kind: [', 'outside.yaml': manifestText('c') });
  await world.put({ ...example.spec, url: server.url }, olga);
  const source = await world.settle();
  expect(statesOf(source)).toEqual({ a: 'proposed' });
  expect(source.status.faults.map(({ file }) => file)).toEqual(['team/b.yaml']);
});
