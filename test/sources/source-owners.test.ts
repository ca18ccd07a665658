/** Which GitSource owns a manifest: it may move to another one, and only what its GitSource made is ever deleted. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import { PipelineError } from '#domain/errors.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import {
  aSource,
  filesOf,
  fromFolder,
  manifestText,
  removeFiles,
  type SourceWorld,
  sourceWorld,
  statesOf,
} from './source-world.ts';

let server: GitServer;
let world: SourceWorld;

beforeEach(async () => {
  server = await startGitServer();
  world = sourceWorld(server, {}, fromFolder(server));
});
afterEach(async () => {
  trust();
  await server.close();
});

const deleting = async (name: string) => (await world.deps.manifests.get({ namespace: 'team', name }))?.deleting;
const rowOf = ({ status }: GitSourceRecord, name: string) => status.manifests.find((row) => row.name === name);

describe('what a GitSource deletes', () => {
  it('a manifest that cannot be read is kept with the reason, and the other manifests of its GitSource continue', async () => {
    server.commit(filesOf('a', 'b', 'c'));
    await world.put({ prune: { most: 5 } });
    await world.settle();
    const { manifests } = world.deps;
    const get = manifests.get.bind(manifests);
    manifests.get = async (key) => {
      if (key.name === 'a') throw new PipelineError('Unreadable', 'the stored record of "team/a" cannot be read');
      return get(key);
    };
    removeFiles(server, 'clusters/a.yaml', 'clusters/b.yaml');
    const source = await world.later();
    expect(source.status.state).toBe('Faulty');
    expect(source.status.faults).toMatchObject([
      { file: 'clusters/a.yaml', reason: expect.stringContaining('the stored record of "team/a" cannot be read') },
    ]);
    expect(statesOf(source)).toMatchObject({ a: 'kept', b: 'deleted', c: 'unchanged' });
    expect(Object.keys(source.submitted).sort()).toEqual(['a', 'c']);
  });

  it('a manifest that a person deleted and created again with the same document is the person’s, and stays', async () => {
    server.commit(filesOf('a', 'b'));
    await world.put({ prune: { most: 5 } });
    await world.settle();
    const key = { namespace: 'team', name: 'a' };
    const stored = await world.deps.manifests.get(key);
    await world.deps.manifests.discard(key);
    expect((await world.call('PUT', '/v1/manifests/team/a', { body: JSON.parse(manifestText('a')) })).status).toBe(202);
    expect((await world.deps.manifests.get(key))?.checksum).toBe(stored?.checksum);
    removeFiles(server, 'clusters/a.yaml');
    expect(rowOf(await world.later(), 'a')).toMatchObject({
      state: 'kept',
      because: 'someone deleted it and created it again since this GitSource submitted it',
    });
    expect(await deleting('a')).toBe(false);
  });
});

describe('a manifest that moves from one GitSource to another', () => {
  const twin = { namespace: 'team', name: 'twin' };
  const other = async (): Promise<GitSourceRecord> => {
    const found = await world.deps.gitSources.get(twin);
    if (found === undefined) throw new Error('there is no twin');
    return found;
  };
  const putTwin = async (spec: object = {}) => {
    const body = { ...aSource({ url: server.url, path: 'twin', ...spec }), metadata: twin };
    expect((await world.call('PUT', '/v1/git-sources/team/twin', { body })).status).toBe(200);
  };
  /** Both come to rest. */
  const rest = async () => {
    for (let steps = 0; steps < 4; steps += 1) {
      await world.step();
      await world.build();
      world.deps.clock.advance(21);
    }
  };
  const next = async () => {
    world.deps.clock.advance(301);
    await rest();
  };
  const start = async (spec: object = {}) => {
    server.commit({ ...filesOf('a', 'b'), 'twin/x.yaml': manifestText('x') });
    await world.put(spec);
    await putTwin(spec);
    await rest();
  };

  it.each([
    ['without prune', false],
    ['with prune', { most: 5 }],
  ])(
    'a manifest whose file moves to another GitSource is taken over by that, %s, and never deleted',
    async (_, prune) => {
      await start({ prune });
      server.git('mv', 'clusters/a.yaml', 'twin/a.yaml');
      server.commit({});
      for (let intervals = 0; intervals < 3; intervals += 1) await next();
      expect(statesOf(await other())).toMatchObject({ a: 'unchanged', x: 'unchanged' });
      expect((await other()).status.state).toBe('Ready');
      expect(Object.keys((await other()).submitted).sort()).toEqual(['a', 'x']);
      const source = await world.source();
      expect([source.status.state, Object.keys(source.submitted)]).toEqual(['Ready', ['b']]);
      expect([
        await deleting('a'),
        (await world.deps.manifests.get({ namespace: 'team', name: 'a' }))?.generation,
      ]).toEqual([false, 1]);
    },
  );

  it('a manifest that is in two GitSources belongs to the first, which keeps it until its file is gone', async () => {
    await start({ prune: { most: 5 } });
    server.commit({ 'twin/a.yaml': manifestText('a') });
    await next();
    expect((await other()).status.faults).toMatchObject([{ reason: '"a" is submitted by the GitSource clusters' }]);
    removeFiles(server, 'clusters/a.yaml');
    for (let intervals = 0; intervals < 3; intervals += 1) await next();
    expect(statesOf(await other())).toMatchObject({ a: 'unchanged' });
    expect(await deleting('a')).toBe(false);
  });

  it('a manifest whose file is gone is deleted only after the other GitSources of the namespace were read', async () => {
    await start({ prune: { most: 5 } });
    removeFiles(server, 'clusters/a.yaml');
    world.deps.clock.advance(301);
    for (let steps = 0; steps < 2; steps += 1) {
      await world.step();
      await world.build();
      world.deps.clock.advance(21);
    }
    expect(await deleting('a')).toBe(false);
    for (let intervals = 0; intervals < 2; intervals += 1) await next();
    expect(await deleting('a')).toBe(true);
  });

  it('a manifest whose file moves to another GitSource, where it has a fault, is kept, and continues there once the fault is fixed', async () => {
    await start({ prune: { most: 5 } });
    server.git('mv', 'clusters/a.yaml', 'twin/a.yaml');
    server.commit({ 'twin/a.yaml': 'kind: [' });
    for (let intervals = 0; intervals < 3; intervals += 1) await next();
    expect((await other()).status.state).toBe('Faulty');
    expect(rowOf(await world.source(), 'a')).toMatchObject({ state: 'kept' });
    expect(await deleting('a')).toBe(false);
    server.commit({ 'twin/a.yaml': manifestText('a') });
    for (let intervals = 0; intervals < 3; intervals += 1) await next();
    expect(statesOf(await other())).toMatchObject({ a: 'unchanged' });
    expect(await deleting('a')).toBe(false);
  });

  it('a GitSource that is made due while its runner works counts as not read', async () => {
    await start({ prune: { most: 5 } });
    const { gitSources } = world.deps;
    const read = await other();
    const asked = world.deps.clock.now().toISOString();
    await gitSources.put({ ...read, version: read.version + 1, askedAt: asked, fetching: 'questions/none' });
    expect((await world.call('POST', '/v1/git-sources/team/twin/sync', {})).status).toBe(200);
    expect(await other()).not.toHaveProperty('askedAt');
  });

  it('a GitSource that cannot be reached holds back what another one would delete', async () => {
    await start({ prune: { most: 5 } });
    await putTwin({ ref: 'gone' });
    removeFiles(server, 'clusters/a.yaml');
    for (let intervals = 0; intervals < 3; intervals += 1) await next();
    expect(rowOf(await world.source(), 'a')).toMatchObject({
      state: 'kept',
      because: 'its file is gone; it may be in the GitSource twin, which has faults or was not read since then',
    });
    await putTwin({ suspend: true });
    for (let intervals = 0; intervals < 2; intervals += 1) await next();
    expect(await deleting('a')).toBe(true);
  });
});
