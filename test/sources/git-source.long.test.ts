/** GitSources against a real git host: what is pushed is submitted, what is faulty is reported, and nothing else happens. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import {
  filesOf,
  fromFolder,
  manifestText,
  removeFiles,
  type SourceWorld,
  sourcePath,
  sourceWorld,
  statesOf,
} from './source-world.ts';

let server: GitServer;
let world: SourceWorld;

beforeEach(async () => {
  server = await startGitServer();
  world = sourceWorld(server);
});
afterEach(async () => {
  trust();
  await server.close();
});

const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
/** Line 4 is faulty. */
const faulty = 'apiVersion: kubeloom.dev/v1\nkind: InputManifest\nmetadata:\n  name: Not_A_Name\nspec: {}\n';

describe('what is pushed', () => {
  it('a commit is submitted under the name of the GitSource and the commit, and a push is submitted after it', async () => {
    const first = server.commit({ ...filesOf('a'), 'README.md': 'no manifest' });
    expect((await world.put()).status).toBe(200);
    const source = await world.settle();
    expect(source.status).toMatchObject({ state: 'Ready', commit: first, faults: [] });
    expect(source.status.manifests).toMatchObject([{ name: 'a', file: 'clusters/a.yaml', state: 'applied' }]);
    const stored = await world.deps.manifests.get({ namespace: 'team', name: 'a' });
    expect(stored?.origin).toMatchObject({
      by: `gitsource:clusters@${first}`,
      reason: `commit ${first.slice(0, 12)} of main, file clusters/a.yaml`,
    });
    expect(world.deps.workflows.started.map(({ input }) => input.name)).toEqual(['a']);
    server.commit({ 'clusters/a.yaml': manifestText('a', { compute: 3 }), ...filesOf('b') });
    expect(statesOf(await world.later())).toEqual({ a: 'applied', b: 'applied' });
    expect((await world.deps.manifests.get({ namespace: 'team', name: 'a' }))?.generation).toBe(2);
  });

  it('a commit that is known starts no runner and submits nothing', async () => {
    server.commit(filesOf('a'));
    await world.put();
    await world.settle();
    const { started } = world.deps.builds;
    const before = [started.length, world.deps.workflows.started.length];
    for (let intervals = 0; intervals < 5; intervals += 1) await world.later();
    expect([started.length, world.deps.workflows.started.length]).toEqual(before);
    expect((await world.source()).status.state).toBe('Ready');
  });

  it('a later change by a person is reported and not undone, until the next commit or a forced sync', async () => {
    server.commit(filesOf('a'));
    await world.put();
    await world.settle();
    const body = JSON.parse(manifestText('a', { compute: 5 }));
    expect((await world.call('PUT', '/v1/manifests/team/a', { body })).status).toBe(202);
    expect(statesOf(await world.later())).toEqual({ a: 'changed' });
    expect((await world.call('POST', `${sourcePath}/sync`)).status).toBe(200);
    expect(statesOf(await world.settle())).toEqual({ a: 'applied' });
    expect((await world.deps.manifests.get({ namespace: 'team', name: 'a' }))?.generation).toBe(3);
  });

  it('a manifest is submitted without a namespace, with templates of the same commit, from YAML with several documents', async () => {
    const { metadata, ...rest } = JSON.parse(manifestText('a'));
    const templates = {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'TemplateGitReference',
      metadata: { name: 'ours' },
      spec: {
        endpoint: { url: server.url, protocol: 'https' },
        paths: { terraformer: 'terraform' },
        commit: 'a'.repeat(40),
      },
    };
    const manifest = { ...rest, metadata: { name: metadata.name } };
    manifest.spec.providers[0].templatesRef = { name: 'ours' };
    server.commit({ 'clusters/all.yml': [manifest, templates].map((one) => JSON.stringify(one)).join('\n---\n') });
    await world.put();
    const source = await world.settle();
    expect(source.status).toMatchObject({ state: 'Ready', faults: [] });
    expect(await world.deps.templateReferences.get('team', 'ours')).toMatchObject({ spec: { commit: 'a'.repeat(40) } });
    expect((await world.deps.manifests.get({ namespace: 'team', name: 'a' }))?.templates).toBeDefined();
  });

  it('a single file is read, and nothing outside of the path', async () => {
    server.commit({ ...filesOf('a', 'b'), 'other/c.yaml': manifestText('c') });
    await world.put({ path: 'clusters/b.yaml' });
    expect(statesOf(await world.settle())).toEqual({ b: 'applied' });
    await world.put({ path: '.' });
    expect(statesOf(await world.settle())).toEqual({ a: 'applied', b: 'unchanged', c: 'applied' });
  });

  it('a suspended GitSource asks no one', async () => {
    server.commit(filesOf('a'));
    await world.put({ suspend: true });
    const before = server.requests();
    expect((await world.settle()).status.state).toBe('Suspended');
    expect(server.requests()).toBe(before);
  });
});

it('a commit that is read out of the folder of a repository is what a runner reads', async () => {
  server.commit({ ...filesOf('a', 'b'), 'clusters/sub/c.yaml': manifestText('c'), 'other/d.yaml': manifestText('d') });
  const read = async (one: SourceWorld) => {
    await one.put();
    const { status, submitted } = await one.settle();
    return { commit: status.commit, manifests: status.manifests, submitted };
  };
  const byRunner = await read(world);
  const byFolder = await read(sourceWorld(server, {}, fromFolder(server)));
  expect(byFolder).toEqual(byRunner);
  expect(Object.keys(byFolder.submitted).sort()).toEqual(['a', 'b', 'c']);
});

describe('a fault in one of ten files', () => {
  const commitTen = () => server.commit({ ...filesOf(...ten.slice(1)), 'clusters/sub/z.yaml': faulty });

  it('a commit with a fault is not submitted, and the fault is reported with its file and line', async () => {
    commitTen();
    await world.put();
    const source = await world.settle();
    expect(source.status.state).toBe('Faulty');
    expect(source.status.faults).toContainEqual(
      expect.objectContaining({ file: 'clusters/sub/z.yaml', path: 'metadata.name', line: 4 }),
    );
    expect(new Set(source.status.faults.map(({ file }) => file))).toEqual(new Set(['clusters/sub/z.yaml']));
    expect(statesOf(source)).toMatchObject({ b: 'held', j: 'held', Not_A_Name: 'refused' });
    expect(await world.stored()).toEqual([]);
    server.git('rm', '-q', 'clusters/sub/z.yaml');
    server.commit(filesOf('a'));
    await world.later();
    expect(await world.stored()).toEqual(ten);
  });

  it('onFault: others submits the nine files without faults, and tries the commit again', async () => {
    commitTen();
    await world.put({ onFault: 'others' });
    const source = await world.settle();
    expect(source.status.state).toBe('Faulty');
    expect(await world.stored()).toEqual(ten.slice(1));
    const runs = world.deps.workflows.started.length;
    expect(statesOf(await world.later())).toMatchObject({ b: 'unchanged', Not_A_Name: 'refused' });
    expect(world.deps.workflows.started).toHaveLength(runs);
  });

  it('every fault of every file is reported: syntax, kinds, namespaces, names that are there twice', async () => {
    server.commit({
      'clusters/1.yaml': 'a: [1\nb: }',
      'clusters/2.yaml': 'kind: RoleBinding\nmetadata: { name: x }',
      'clusters/3.yaml': manifestText('shop', { namespace: 'other' }),
      ...filesOf('a'),
      'clusters/b.yaml': manifestText('a'),
    });
    await world.put();
    const { faults } = (await world.settle()).status;
    expect(faults.map(({ file, path }) => `${file} ${path}`)).toEqual([
      'clusters/1.yaml ',
      'clusters/2.yaml kind',
      'clusters/3.yaml metadata.namespace',
      'clusters/b.yaml metadata.name',
    ]);
    expect(faults.every(({ line }) => line !== undefined)).toBe(true);
    expect(await world.stored()).toEqual([]);
  });
});

/** Git has no part in the tests below. */
const readFromFolder = () => {
  world = sourceWorld(server, {}, fromFolder(server));
};

describe('a file that is gone', () => {
  beforeEach(readFromFolder);
  const start = async (spec: object = {}) => {
    server.commit(filesOf('a', 'b', 'c', 'd'));
    await world.put(spec);
    await world.settle();
  };
  const deleting = async (name: string) => (await world.deps.manifests.get({ namespace: 'team', name }))?.deleting;

  it('a manifest whose file is gone stays without prune, and the status reports it', async () => {
    await start();
    removeFiles(server, 'clusters/b.yaml');
    const source = await world.later();
    expect(source.status.state).toBe('Ready');
    expect(source.status.manifests).toContainEqual(
      expect.objectContaining({ name: 'b', state: 'kept', because: 'its file is gone, and spec.prune is false' }),
    );
    expect(await deleting('b')).toBe(false);
  });

  it('prune with a limit deletes at most that many manifests', async () => {
    await start({ prune: { most: 1 } });
    removeFiles(server, 'clusters/a.yaml', 'clusters/b.yaml');
    const refused = await world.later();
    expect(refused.status.faults[0]?.reason).toContain('2 manifests are gone');
    expect([await deleting('a'), await deleting('b')]).toEqual([false, false]);
    server.commit(filesOf('a'));
    expect(statesOf(await world.later())).toMatchObject({ a: 'unchanged', b: 'deleted' });
    expect([await deleting('a'), await deleting('b')]).toEqual([false, true]);
  });

  it('a manifest that is named is deleted, and no other', async () => {
    await start({ prune: { names: ['c'] } });
    removeFiles(server, 'clusters/c.yaml', 'clusters/d.yaml');
    expect(statesOf(await world.later())).toMatchObject({ c: 'deleted', d: 'kept' });
    expect([await deleting('c'), await deleting('d')]).toEqual([true, false]);
  });

  it('prune deletes nothing while a file has faults or the path is empty, and no manifest that someone changed', async () => {
    await start({ prune: { most: 9 }, onFault: 'others' });
    server.git('rm', '-q', 'clusters/a.yaml');
    server.commit({ 'clusters/z.yaml': faulty });
    expect(statesOf(await world.later())).toMatchObject({ a: 'kept' });
    const body = JSON.parse(manifestText('a', { compute: 5 }));
    expect((await world.call('PUT', '/v1/manifests/team/a', { body })).status).toBe(202);
    removeFiles(server, 'clusters/z.yaml');
    expect((await world.later()).status.manifests).toContainEqual(
      expect.objectContaining({ name: 'a', because: 'someone changed it since this GitSource submitted it' }),
    );
    removeFiles(server, 'clusters/b.yaml', 'clusters/c.yaml', 'clusters/d.yaml');
    const empty = await world.later();
    expect(empty.status).toMatchObject({ state: 'Unreachable', problem: { fix: 'correct spec.path or spec.ref' } });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(deleting))).toEqual([false, false, false, false]);
  });

  it('deleting a GitSource leaves its manifests', async () => {
    await start({ prune: { most: 9 } });
    expect((await world.call('DELETE', sourcePath)).status).toBe(204);
    await world.step();
    expect(await deleting('a')).toBe(false);
  });
});

describe('plans that are proposed', () => {
  beforeEach(readFromFolder);
  it('onPlan: propose stores creations and deletions as plans until someone approves them', async () => {
    server.commit(filesOf('a', 'b'));
    await world.put({ onPlan: 'propose', prune: { most: 1 } });
    const source = await world.settle();
    expect(statesOf(source)).toEqual({ a: 'proposed', b: 'proposed' });
    expect(await world.stored()).toEqual([]);
    for (const { name, plan } of source.status.manifests) {
      const path = `/v1/manifests/team/${name}/approve`;
      expect((await world.call('POST', path, { body: { plan } })).status).toBe(202);
    }
    expect(statesOf(await world.later())).toEqual({ a: 'applied', b: 'applied' });
    const commit = removeFiles(server, 'clusters/b.yaml');
    const gone = (await world.later()).status.manifests.find(({ name }) => name === 'b');
    expect(gone).toMatchObject({ state: 'proposed', plan: expect.any(String) });
    const stored = () => world.deps.manifests.get({ namespace: 'team', name: 'b' });
    expect((await stored())?.deleting).toBe(false);
    const approved = await world.call('POST', '/v1/manifests/team/b/approve', { body: { plan: gone?.plan } });
    expect([approved.status, (await stored())?.deleting]).toEqual([202, true]);
    expect((await stored())?.origin?.reason).toContain(`gitsource:clusters@${commit}`);
  });

  it('a GitSource only proposes where plans have to be approved', async () => {
    world = sourceWorld(server, { KUBELOOM_REQUIRE_APPROVAL: 'team' }, fromFolder(server));
    server.commit(filesOf('a'));
    await world.put();
    expect(statesOf(await world.settle())).toEqual({ a: 'proposed' });
  });
});
