/** GitSources and hosts that rewrite, move, refuse, hang or lie: the status says what is wrong, and the next push heals it. */
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aSecret } from '#test/api/documents.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { filesOf, manifestText, type SourceWorld, sourcePath, sourceWorld, statesOf } from './source-world.ts';

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

describe('commits that move', () => {
  it('a force push is handled like any other push: the current commit of the branch counts', async () => {
    server.commit(filesOf('a'));
    server.commit(filesOf('b'));
    await world.put();
    await world.settle();
    server.git('reset', '-q', '--hard', 'HEAD~1');
    const rewritten = server.commit({ 'clusters/a.yaml': manifestText('a', { compute: 4 }) });
    const source = await world.later();
    expect(source.status).toMatchObject({ state: 'Ready', commit: rewritten });
    expect(statesOf(source)).toEqual({ a: 'applied', b: 'kept' });
  });

  it('a commit is read as a whole when the branch moves while it is fetched', async () => {
    const first = server.commit(filesOf('a'));
    await world.put();
    await world.step();
    const second = server.commit({ 'clusters/a.yaml': manifestText('a', { compute: 7 }), ...filesOf('b') });
    await world.build();
    world.deps.clock.advance(21);
    const source = await world.settle();
    expect(source.status).toMatchObject({ commit: first, state: 'Ready' });
    expect(statesOf(source)).toEqual({ a: 'applied' });
    expect((await world.later()).status.commit).toBe(second);
    expect(await world.stored()).toEqual(['a', 'b']);
  });

  it('a commit that a force push took away while it was fetched is reported, and the next one is read', async () => {
    server.commit(filesOf('a'));
    await world.put();
    await world.step();
    server.git('commit', '-q', '--amend', '-m', 'rewritten');
    const rewritten = server.git('rev-parse', 'HEAD');
    server.git('reflog', 'expire', '--expire=now', '--all');
    server.git('gc', '-q', '--prune=now');
    await world.build();
    world.deps.clock.advance(21);
    const gone = await world.settle();
    expect(gone.status).toMatchObject({
      state: 'Unreachable',
      problem: { reason: expect.stringContaining('cannot be fetched') },
    });
    expect(gone.status.problem?.fix).toContain('GitSource');
    const source = await world.later();
    expect(source.status).toMatchObject({ state: 'Ready', commit: rewritten });
    expect(source.status.problem).toBeUndefined();
  });
});

describe('hosts', () => {
  it('a host that redirects is not followed', async () => {
    const moved = await startGitServer({ redirectTo: `https://${server.url}` });
    world = sourceWorld(moved, { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: `${moved.host},${server.host}` });
    server.commit(filesOf('a'));
    await world.put();
    const before = server.requests();
    const { status } = await world.settle();
    expect(status).toMatchObject({ state: 'Unreachable', problem: { reason: expect.stringContaining('status 301') } });
    expect(server.requests()).toBe(before);
    await moved.close();
  });

  it('a host that accepts the connection and stays silent is reported, for a public and a private repository', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    world = sourceWorld({ ...server, host });
    await world.put({ url: `${host}/team/clusters` });
    expect((await world.settle()).status.problem?.reason).toContain('no answer within 2 s');
    await world.call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token: 'any-token-at-all' }) });
    await world.put({ url: `${host}/team/clusters`, secretRef: { name: 'git' } });
    await world.step();
    await world.build(300);
    world.deps.clock.advance(21);
    expect((await world.settle()).status.problem?.reason).toContain('There was no answer');
    silent.close();
  });

  it('a runner that never ends is stopped, and the repository is read again', async () => {
    server.commit(filesOf('a'));
    await world.put();
    await world.step();
    world.deps.clock.advance(21);
    await world.step();
    expect((await world.source()).status.state).toBe('Fetching');
    world.deps.clock.advance(700);
    await world.step();
    expect(world.deps.builds.stopped).toHaveLength(1);
    expect((await world.source()).status.problem?.reason).toContain('ended without a result');
    expect(statesOf(await world.later())).toEqual({ a: 'applied' });
  });

  it('a host in a private network that is not allowed is refused without a connection, by the API and by the runner', async () => {
    world = sourceWorld({ ...server, host: 'other.example' });
    await world.call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token: 'any-token-at-all' }) });
    const before = server.requests();
    for (const spec of [{}, { secretRef: { name: 'git' } }]) {
      await world.put(spec);
      const { status } = await world.settle();
      expect(status.problem?.reason).toContain('in a private network');
    }
    expect(server.requests()).toBe(before);
  });
});

describe('private repositories', () => {
  const token = 'kl-planted-token-of-a-git-source';

  it('a private repository is read with the token of its Secret, which is in no status, event, log or result', async () => {
    const locked = await startGitServer({ token });
    world = sourceWorld(locked);
    const first = locked.commit(filesOf('a'));
    await world.call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token }) });
    await world.put({ secretRef: { name: 'git' } });
    const source = await world.settle();
    expect(source.status).toMatchObject({ state: 'Ready', commit: first });
    const again = await world.later();
    expect(again.status).toMatchObject({ state: 'Ready', commit: first });
    expect(world.deps.workflows.started).toHaveLength(1);
    const keys = (await world.deps.artifacts.list('')).map(({ key }) => key);
    const kept = await Promise.all(keys.map((key) => world.deps.artifacts.getText(key)));
    const events = await Promise.all(
      ['@changes', 'a'].map((name) => world.deps.events.list({ namespace: 'team', name }, 100)),
    );
    const shown = await world.call('GET', sourcePath);
    expect(keys.some((key) => key.startsWith('checks/_sources/team/clusters/'))).toBe(true);
    for (const text of [...kept, JSON.stringify(events), shown.text, JSON.stringify(source)]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(`x-access-token:${token}`).toString('base64'));
    }
    await locked.close();
  });

  it('a token that may not read it is reported, and so is a Secret that was deleted', async () => {
    const locked = await startGitServer({ token });
    world = sourceWorld(locked);
    locked.commit(filesOf('a'));
    await world.call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token: 'not-this-token' }) });
    await world.put({ secretRef: { name: 'git' } });
    expect((await world.settle()).status.problem).toMatchObject({
      reason: expect.stringContaining('denies access to the token of the GitSource'),
    });
    expect((await world.call('DELETE', '/v1/secrets/team/git')).json.detail).toContain('GitSource team/clusters');
    await world.deps.secrets.remove('user/team/git');
    expect((await world.later()).status.problem?.reason).toContain('The Secret team/git, ');
    await locked.close();
  });
});

describe('what a repository may not do', () => {
  it('a commit whose list of files is too long to be read as a whole is refused, and what seems to be gone is not deleted', async () => {
    server.commit(filesOf('aa', 'zz'));
    await world.put({ prune: { most: 5 } });
    await world.settle();
    const blob = server.git('hash-object', '-w', '--stdin', { input: 'x' });
    const [first, last] = ['aa', 'zz'].map((name) => {
      return `100644 blob ${server.git('rev-parse', `HEAD:clusters/${name}.yaml`)}\t${name}.yaml`;
    });
    // 22 MB of names between those of the manifests.
    const names = Array.from({ length: 5_500 }, (_, number) => `${'n'.repeat(4_000)}${number}`).sort();
    const rows = [first, ...names.map((name) => `100644 blob ${blob}\t${name}`), last];
    const folder = server.git('mktree', { input: `${rows.join('\n')}\n` });
    const root = server.git('mktree', { input: `040000 tree ${folder}\tclusters\n` });
    server.git('update-ref', 'refs/heads/main', server.git('commit-tree', root, '-p', 'HEAD', '-m', 'many'));
    const source = await world.later();
    expect(source.status).toMatchObject({
      state: 'Unreachable',
      problem: { reason: expect.stringContaining('too long') },
    });
    expect((await world.deps.manifests.get({ namespace: 'team', name: 'zz' }))?.deleting).toBe(false);
  });

  it('links, Secrets, files that are too large or not text are refused with their file, and their content is kept nowhere', async () => {
    world = sourceWorld(server, { KUBELOOM_MAX_BODY_BYTES: '5000' });
    server.commit({ 'clusters/large.yaml': `# ${'x'.repeat(6000)}` });
    const work = server.git('rev-parse', '--show-toplevel');
    writeFileSync(`${work}/clusters/bytes.yaml`, new Uint8Array([0xff, 0xfe, 0x00]));
    symlinkSync('../../../etc/passwd', `${work}/clusters/link.yaml`);
    server.commit({
      'clusters/secret.yaml':
        '---\napiVersion: v1\nkind: Secret\nstringData: { token: planted-in-git }\nmetadata: { name: x }\n',
      'clusters/broken.yaml': 'a: [\nkind: Secret\ntoken: planted-in-git\n',
    });
    await world.put({ onFault: 'others' });
    const { status } = await world.settle();
    expect(status.faults.map(({ file, line = 0, reason }) => `${file} ${line} ${reason.slice(0, 12)}`)).toEqual([
      'clusters/broken.yaml 2 is a Secret,',
      'clusters/bytes.yaml 0 is not UTF-8',
      'clusters/large.yaml 0 has 6002 byt',
      'clusters/link.yaml 0 is not a fil',
      'clusters/secret.yaml 3 is a Secret,',
    ]);
    const keys = (await world.deps.artifacts.list('')).map(({ key }) => key);
    for (const key of keys) expect(await world.deps.artifacts.getText(key)).not.toContain('planted-in-git');
  });

  it.each(['../other', '/etc', 'a/../../b', '.git', 'clusters/.git/config'])(
    'a path %s out of the repository is refused when it is stored',
    async (path) => {
      expect(await world.put({ path })).toMatchObject({ status: 422, json: { faults: [{ path: 'spec.path' }] } });
    },
  );

  it('a commit with too many files is refused before their contents are fetched', async () => {
    server.commit(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`clusters/${n}.yaml`, 'a: 1'])));
    await world.put();
    expect((await world.settle()).status.problem?.reason).toContain('201 files');
  });
});
