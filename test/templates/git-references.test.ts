/** What a branch, tag or hash of a git repository names, asked of a real git host. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitReferences } from '#adapters/git-references.ts';
import { isPrivateAddress } from '#adapters/public-https.ts';
import { type GitServer, startGitServer, trust } from './git-server.ts';

let server: GitServer;
let locked: GitServer;
let first: string;
let second: string;

beforeAll(async () => {
  server = await startGitServer();
  locked = await startGitServer({ token: 'let-me-in', suffix: '.git' });
  trust(server, locked);
  first = server.commit({ 'README.md': 'one' });
  server.git('tag', 'v1');
  server.git('tag', '-a', 'v1.0', '-m', 'annotated');
  second = server.commit({ 'README.md': 'two' });
  server.git('branch', 'v1-next');
  server.git('branch', 'both', first);
  server.git('tag', 'both');
  locked.commit({ 'README.md': 'secret' });
}, 30_000);

afterAll(async () => {
  trust();
  await Promise.all([server.close(), locked.close()]);
});

const sources = () => new GitReferences({ privateHosts: [server.host, locked.host] });

describe('public repositories', () => {
  it.each([
    ['a branch', 'main', () => second],
    ['a tag', 'v1', () => first],
    ['an annotated tag, as the commit that it marks', 'v1.0', () => first],
    ['a full reference', 'refs/heads/v1-next', () => second],
    ['a tag before a branch of the same name', 'both', () => second],
  ])('the commit of %s is returned', async (_what, revision, commit) => {
    expect(await sources().resolve(server.url, revision)).toEqual({ commit: commit() });
  });

  it('a whole commit hash is not looked up', async () => {
    const before = server.requests();
    expect(await sources().resolve(server.url, first)).toEqual({ commit: first });
    expect(server.requests()).toBe(before);
  });

  it('a commit counts only if a branch or tag is at it where addresses are limited', async () => {
    const named = new GitReferences({ privateHosts: [server.host], namedOnly: true });
    const stray = server.git('commit-tree', '-m', 'of a fork', `${first}^{tree}`);
    expect(await sources().resolve(server.url, stray)).toEqual({ commit: stray });
    expect(await named.resolve(server.url, stray)).toMatchObject({
      reason: expect.stringMatching(/no branch and no tag .* others may come from a fork/),
    });
    for (const commit of [first, second]) expect(await named.resolve(server.url, commit)).toEqual({ commit });
  });

  it('a pull request is not a branch or tag: strangers open them', async () => {
    server.git('update-ref', 'refs/pull/1/head', first);
    expect(await sources().resolve(server.url, 'refs/pull/1/head')).toMatchObject({
      reason: `${server.url} has no branch or tag "refs/pull/1/head"`,
    });
  });

  it.each([
    ['v1-ne', 'name a branch, a tag or the 40 digits of a commit in the TemplateGitReference'],
    ['abcdef1', 'give all 40 digits of a commit hash'],
  ])('a revision %s that does not exist is reported, also when another name starts with it', async (revision, fix) => {
    const reason = `${server.url} has no branch or tag "${revision}"`;
    expect(await sources().resolve(server.url, revision)).toEqual({ reason, fix });
  });
});

describe('faulty repositories', () => {
  it('a private repository is reported with the Secret as its fix, and no token is asked for', async () => {
    const bare = locked.url.replace(/\.git$/, '');
    const answer = await sources().resolve(bare, 'main');
    expect(answer).toMatchObject({
      reason: expect.stringContaining('is not a public repository'),
      fix: expect.stringContaining('auth.secretRef'),
    });
  });

  it('faults of a plugin name the plugin, which has a version and no token', async () => {
    expect(await sources().resolve(locked.url.replace(/\.git$/, ''), 'main', 'plugin')).toMatchObject({
      fix: 'correct the address; the repository of a provider type has to be public',
    });
    expect(await sources().resolve(server.url, 'none', 'plugin')).toMatchObject({
      fix: 'name a branch, a tag or the 40 digits of a commit as version of the plugin',
    });
  });

  it('faults of a GitSource name the GitSource and its own field', async () => {
    const bare = locked.url.replace(/\.git$/, '');
    expect(await sources().resolve(bare, 'main', 'GitSource')).toMatchObject({
      fix: 'correct the address; for a private repository give the GitSource a spec.secretRef',
    });
    expect(await sources().resolve(server.url, 'none', 'GitSource')).toMatchObject({
      fix: 'name a branch, a tag or the 40 digits of a commit in the GitSource',
    });
  });

  it('a repository that does not exist is reported', async () => {
    const answer = await sources().resolve(`${server.host}/stranger/nothing`, 'main');
    expect(answer).toMatchObject({ reason: expect.stringContaining('status 404') });
  });

  it('a host that does not answer is reported', async () => {
    const { url, host, close } = await startGitServer();
    await close();
    const answer = await new GitReferences({ privateHosts: [host] }).resolve(url, 'main');
    expect(answer).toMatchObject({ reason: expect.stringContaining('could not be read'), fix: expect.any(String) });
  });

  it('a host that accepts the connection and stays silent is reported', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const answer = await new GitReferences({ privateHosts: [host], timeoutMs: 50 }).resolve(`${host}/a/b`, 'main');
    expect(answer).toMatchObject({ reason: expect.stringContaining('no answer within 0.05 s') });
    silent.close();
  });

  it('a host in a private network that is not allowed is refused without a connection', async () => {
    const before = server.requests();
    const reason = `${server.host} is in a private network`;
    expect(await new GitReferences({ privateHosts: [] }).resolve(server.url, 'main')).toMatchObject({ reason });
    const byName = await new GitReferences({ privateHosts: [] }).resolve('localhost:1/a/b', 'main');
    expect(byName).toMatchObject({ reason: 'localhost:1 is in a private network' });
    expect(server.requests()).toBe(before);
  });
});

describe('private addresses', () => {
  it.each([
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
  ])('the address %s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });
  it.each(['140.82.121.4', '8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])(
    'the address %s is public',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});
