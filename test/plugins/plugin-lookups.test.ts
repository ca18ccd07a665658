/** Provider types from elsewhere: asked by a runner, known to the API, with a real git host and archives between them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type PluginAnswer, type PluginLookup, pluginKeys } from '#contracts/job.ts';
import { copyOf } from '#domain/template-version.ts';
import { askForPlugin } from '#functions/pipeline/jobs/template-lookups.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { checksumOfCopy } from '#runner/terraform/templates/kept-copy.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { type ArchiveServer, startArchiveServer } from './archive-server.ts';
import { houseHosts, houseHostsFiles, houseHostsRepository } from './house-hosts.ts';

let server: GitServer;
let archives: ArchiveServer;
let tagged: string;
let deps: ReturnType<typeof fakeDeps>;

beforeAll(async () => {
  [server, archives] = await Promise.all([startGitServer(), startArchiveServer()]);
  const authorities = join(server.certificate, '..', 'both.pem');
  writeFileSync(authorities, [server, archives].map(({ certificate }) => readFileSync(certificate, 'utf8')).join(''));
  trust(server, archives);
  process.env.NODE_EXTRA_CA_CERTS = authorities;
  server.commit(houseHostsRepository());
  server.git('tag', 'v1.9.0');
  tagged = server.commit(houseHostsRepository({ title: 'Newer' }));
  server.git('tag', 'v1.10.0');
  server.git('tag', 'v2.0.0-preview');
  server.commit({ [`${houseHosts}/notes`]: 'not released' });
}, 30_000);
afterAll(async () => {
  trust();
  await Promise.all([server.close(), archives.close()]);
});
beforeEach(() => {
  deps = fakeDeps({ KUBELOOM_TEMPLATE_PRIVATE_HOSTS: `${server.host},${archives.host}` });
});

const lookup = (changes: Partial<PluginLookup> = {}): PluginLookup => ({
  name: houseHosts,
  url: server.url,
  version: 'latest',
  properties: { web: { motto: 'stay warm' } },
  ...changes,
});
const once = (changes: Partial<PluginLookup> = {}) =>
  askForPlugin(deps, { namespace: 'team', mayAsk: true }, lookup(changes));
/** Asked, answered by the runner, and repeated. */
async function found(
  changes: Partial<PluginLookup> = {},
): Promise<Partial<PluginAnswer> & { reason?: string; fix?: string }> {
  await expect(once(changes)).rejects.toMatchObject({ name: 'TemplatesPending' });
  const newest = deps.builds.started.at(-1);
  const signal = new AbortController().signal;
  const job = newest?.variables.KUBELOOM_JOB ?? '';
  const bounded = await boundedForQuestion(deps, job);
  await answerQuestion(job, bounded, { signal, answers, templatesDirectory: '' });
  deps.builds.statuses.set(newest?.id ?? '', 'ended');
  return once(changes);
}

/** The copy of what an answer found. */
async function copyKept({ version = '' }: Partial<PluginAnswer>): Promise<string | undefined> {
  const { copy = '' } = copyOf(version);
  const text = await deps.artifacts.getText(pluginKeys.accepted(copy));
  if (text !== undefined) expect(checksumOfCopy(text)).toBe(copy);
  return text;
}

describe('a type from a git repository', () => {
  it('the latest version is the highest tag, not the newest commit and not a preview', async () => {
    expect(await found()).toEqual({
      version: expect.stringMatching(new RegExp(`^git:${server.url}@${tagged}#\\.\\+copy:[0-9a-f]{64}$`)),
      title: 'Newer',
      machines: true,
      dns: true,
      faults: [],
    });
    expect(await once({ version: 'latest' })).toMatchObject({ title: 'Newer' });
    expect(deps.builds.started).toHaveLength(1);
  });

  it('properties are judged by its schema, with the pool and the place of each fault', async () => {
    const properties = {
      web: { motto: 'x', flour: 1 },
      night: { floor: 1.5 },
      good: { motto: 'fine', image: 'debian' },
    };
    expect((await found({ properties })).faults).toEqual([
      { pool: 'web', path: ['motto'], reason: 'does not fit: expected string to have >=3 characters' },
      { pool: 'web', path: ['flour'], reason: 'is not a property of the type' },
      { pool: 'night', path: ['motto'], reason: 'is missing' },
      { pool: 'night', path: ['floor'], reason: expect.stringContaining('expected int') },
    ]);
  });

  it('a caller who may only read gets the known answer, and starts no runner', async () => {
    const reader = { namespace: 'team', mayAsk: false };
    expect(await askForPlugin(deps, reader, lookup())).toMatchObject({
      reason: expect.stringMatching(
        /these properties must be checked by a runner, which requires the role operator in namespace "team"/,
      ),
    });
    expect(deps.builds.started).toEqual([]);
    await found();
    expect(await askForPlugin(deps, reader, lookup())).toMatchObject({ title: 'Newer' });
  });

  it('no copy is kept for properties that are refused', async () => {
    expect(await copyKept(await found({ properties: { web: {} } }))).toBeUndefined();
    expect(await copyKept(await found())).toContain('provider.json');
  });

  it('a repository without version tags has no latest version, and the fix says what to write', async () => {
    const other = await startGitServer();
    onTestFinished(() => other.close());
    trust(server, archives, other);
    other.commit(houseHostsRepository());
    Object.assign(deps.config, { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: [other.host] });
    expect(await found({ url: other.url })).toEqual({
      reason: `${other.url} has no version tag such as "v1.2.3", so "latest" means nothing`,
      fix: 'name a branch, a tag or the 40 digits of a commit',
    });
  });

  it('a commit that the manifest was accepted with is known from its copy when the repository is gone', async () => {
    const gone = await startGitServer();
    const commit = gone.commit(houseHostsRepository());
    const authorities = [process.env.NODE_EXTRA_CA_CERTS ?? '', gone.certificate].map((file) =>
      readFileSync(file, 'utf8'),
    );
    const file = join(server.certificate, '..', 'three.pem');
    writeFileSync(file, authorities.join(''));
    const before = process.env.NODE_EXTRA_CA_CERTS;
    process.env.NODE_EXTRA_CA_CERTS = file;
    onTestFinished(() => {
      process.env.NODE_EXTRA_CA_CERTS = before;
    });
    Object.assign(deps.config, { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: [gone.host] });
    const { version = '', machines } = await found({ url: gone.url, version: commit });
    expect(machines).toBe(true);
    await gone.close();
    const again = { url: gone.url, version: commit, properties: { web: { motto: 'again' } } };
    const kept = { namespace: 'team', manifest: 'shop', version };
    expect(await found({ ...again, kept })).toMatchObject({ version, faults: [] });
    expect((await found({ ...again, properties: { web: { motto: 'other' } } })).reason).toMatch(/cannot be fetched/);
  });

  it('a Secret that lacks what the type needs is named with the fields, and read again once it is corrected', async () => {
    const secret = { type: 'object', properties: { token: { type: 'string', minLength: 8 } }, required: ['token'] };
    server.commit(houseHostsRepository({ secret }), 'secretive');
    const asked = { version: 'secretive', secret: 'team/acme' };
    await deps.secrets.put('user/team/acme', { token: 'short', other: 'planted-value' });
    const { secretFaults } = await found(asked);
    expect(secretFaults).toEqual([expect.stringMatching(/^token does not fit: .*>=8/)]);
    await deps.secrets.put('user/team/acme', { token: 'long-enough' });
    deps.clock.advance(31);
    expect(await found(asked)).not.toHaveProperty('secretFaults');
  });

  it('a commit of no branch and no tag is refused where addresses are limited, unless the manifest has it already', async () => {
    Object.assign(deps.config, { KUBELOOM_TEMPLATE_URLS: [server.url] });
    const commit = server.git('commit-tree', '-m', 'of a fork', `${tagged}^{tree}`);
    const properties = { web: { motto: 'of a fork' } };
    expect((await found({ version: commit, properties })).reason).toMatch(/others may come from a fork/);
    const version = `git:${server.url}@${commit}#.+copy:${'a'.repeat(64)}`;
    const kept = { namespace: 'team', manifest: 'shop', version };
    deps.clock.advance(31);
    expect(await found({ version: commit, properties, kept })).toMatchObject({ machines: true });
  });

  it('a folder without a description, with a faulty one, or with an invalid schema is refused with the name of the file', async () => {
    server.commit(
      { 'bare/nodepool/main.tf': '', 'odd/network/main.tf': '', 'odd/provider.json': '{"colour":1}' },
      'odd',
    );
    server.commit({ 'wrong/network/main.tf': '', 'wrong/provider.json': '{"properties":{"type":"colour"}}' }, 'odd');
    server.commit({ 'loose/network/main.tf': '', 'loose/provider.json': '{"properties":{"required":["a"]}}' }, 'odd');
    const reasonOf = async (name: string) => (await found({ name, version: 'odd' })).reason;
    expect(await reasonOf('bare')).toMatch(/has no provider.json, which describes it/);
    expect(await reasonOf('odd')).toMatch(/provider.json .*: .*colour/);
    expect(await reasonOf('wrong')).toMatch(/"properties" in the provider.json .* is not a JSON Schema/);
    expect(await reasonOf('loose')).toMatch(/its type is not "object"/);
    expect(await reasonOf('none')).toMatch(/There are no Terraform modules for provider type none/);
  });
});

describe('a type from an archive', () => {
  const archive = (name: string, sha256: string) => found({ url: `${archives.host}/${name}`, sha256 });

  it('an archive with the sum that the document has is taken, with the folder at its root or under its name', async () => {
    for (const [name, files] of Object.entries({
      'root.tar.gz': houseHostsFiles(),
      'named.tar.gz': houseHostsRepository(),
    })) {
      const sum = archives.put(name, files);
      expect(await archive(name, sum)).toMatchObject({
        version: expect.stringContaining(`archive:${archives.host}/${name}@${sum}+copy:`),
        machines: true,
        faults: [],
      });
    }
  });

  it('an archive with another sum is refused before it is unpacked, with both sums', async () => {
    const sum = archives.put('changed.tar.gz', houseHostsFiles());
    const wanted = 'a'.repeat(64);
    const { reason, fix } = await archive('changed.tar.gz', wanted);
    expect(reason).toContain(`has the SHA-256 ${sum}, and the document wants ${wanted}`);
    expect(fix).toMatch(/only if you trust/);
  });

  it('an archive with links, one that is no archive and one that is not there are refused', async () => {
    const sum = archives.put('links.tar.gz', houseHostsFiles(), { 'nodepool/passwd': '/etc/passwd' });
    expect((await archive('links.tar.gz', sum)).reason).toMatch(/neither a file nor a folder: .*passwd/);
    expect((await archive('none.tar.gz', sum)).reason).toMatch(/answered with status 404/);
    const text = archives.putBytes('text.tar.gz', Buffer.from('no archive'));
    expect((await archive('text.tar.gz', text)).reason).toMatch(/text.tar.gz cannot be unpacked: /);
  });

  it('an archive that is too large is refused before it is unpacked, also with odd names of owners', async () => {
    const pads = Object.fromEntries([1, 2, 3].map((number) => [`pad-${number}`, ' '.repeat(9_000_000)]));
    const sum = archives.putWith(['--owner=odd name:0'], 'vast.tar.gz', { ...houseHostsFiles(), ...pads });
    expect((await archive('vast.tar.gz', sum)).reason).toMatch(/entries with 27\d{6} bytes; at most/);
  });

  it('the archive itself is not in the copy that is kept', async () => {
    const sum = archives.put('plain.tar.gz', houseHostsFiles());
    const copy = JSON.parse((await copyKept(await archive('plain.tar.gz', sum))) ?? '');
    expect(Object.keys(copy.files).toSorted()).toEqual(Object.keys(houseHostsFiles()).toSorted());
  });

  it('an archive at a private address is refused unless the installation allows it', async () => {
    const sum = archives.put('private.tar.gz', houseHostsFiles());
    Object.assign(deps.config, { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: [] });
    expect((await archive('private.tar.gz', sum)).reason).toMatch(/is in a private network/);
  });
});
