/** Modules of a git repository in the runner: one folder at one commit, bounded, and no secret left behind. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { StageLog } from '#runner/stage-log.ts';
import { Stopwatch } from '#runner/stopwatch.ts';
import { gitTemplates } from '#runner/terraform/templates/git-templates.ts';
import { fakeConfig } from '#test/fakes/fake-deps.ts';
import { type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { type GitServer, startGitServer } from './git-server.ts';

let open: GitServer;
let locked: GitServer;
let first: string;
let second: string;
let world: StageWorld;
let lines: string[];

beforeAll(async () => {
  open = await startGitServer();
  locked = await startGitServer({ token: 'sesame-open' });
  const module = { 'modules/hetzner/nodepool/main.tf': '# one', 'modules/hetzner/provider.json': '{}' };
  first = open.commit({ ...module, 'modules/aws/nodepool/main.tf': '# other', 'huge.bin': 'x'.repeat(1_000_000) });
  second = open.commit({ 'modules/hetzner/nodepool/main.tf': '# two', 'old/hetzner/nodepool/node.tpl': 'text' });
  locked.commit(module);
}, 30_000);
afterAll(() => Promise.all([open.close(), locked.close()]));

beforeEach(() => {
  world = stageWorld();
  lines = [];
});
afterEach(() => world.close());

function fetch(server: GitServer, commit: string, { path = 'modules', secret = '', allowed = true } = {}) {
  const ports = { ...world.ports, config: fakeConfig(allowed ? { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: server.host } : {}) };
  const mask = new SecretMask();
  const { artifacts, clock } = ports;
  const log = new StageLog({ artifacts, key: 'log', mask, clock, echo: (line) => lines.push(line) });
  const around = { signal: new AbortController().signal, log, stopwatch: new Stopwatch(() => 0), graceMs: 1000 };
  world.set('NODE_EXTRA_CA_CERTS', server.certificate);
  const templates = `git:${server.url}@${commit}#${path}`;
  const provider = { name: 'hz', type: 'hetzner', templates, ...(secret && { templatesSecret: secret }) };
  const context = {
    ports,
    mask,
    runner: runnerConfig(process.env),
    workDirectory: world.directory,
    run: (command: Parameters<typeof runCommand>[0]) => runCommand(command, around),
  };
  return gitTemplates(context, provider, { url: server.url, commit, path });
}

const failureOf = async (work: Promise<string>) => {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (!(thrown instanceof StageFailure)) throw new Error(`no failure of the stage: ${thrown}`);
  return thrown.error;
};

describe('folders of a repository', () => {
  it('the folder is fetched at the named commit, without anything else of the repository', async () => {
    const folder = await fetch(open, first);
    expect(readdirSync(folder).toSorted()).toEqual(['nodepool', 'provider.json']);
    const checkout = join(folder, '..', '..');
    expect(readdirSync(checkout).toSorted()).toContain('modules');
    expect(existsSync(join(checkout, 'huge.bin'))).toBe(false);
    expect(existsSync(join(checkout, 'modules', 'aws'))).toBe(false);
  });

  it('the folders of two commits exist in parallel', async () => {
    const [one, two] = [await fetch(open, first), await fetch(open, second)];
    expect(one).not.toBe(two);
    expect(existsSync(join(one, 'nodepool', 'main.tf')) && existsSync(join(two, 'nodepool', 'main.tf'))).toBe(true);
  });

  it.each([
    ['without modules for the type', 'nowhere', 'TemplatesMissing'],
    ['with text templates of Claudie', 'old', 'TemplatesOfClaudie'],
  ])('a folder %s is refused', async (_what, path, code) => {
    expect(await failureOf(fetch(open, second, { path }))).toMatchObject({ class: 'user', code });
  });

  it.each(['../..', 'modules/../../elsewhere', '.git', '/modules'])(
    'a folder outside of the repository is refused: %s',
    async (path) => {
      const failure = await failureOf(fetch(open, first, { path }));
      expect(failure).toMatchObject({
        class: 'user',
        code: 'TemplatesRefused',
        message: expect.stringContaining(path),
      });
    },
  );

  it('a commit that the repository does not have is refused', async () => {
    const failure = await failureOf(fetch(open, 'e'.repeat(40)));
    expect(failure).toMatchObject({ class: 'user', code: 'TemplatesMissing' });
  });

  it('a folder that is larger than modules are is refused', async () => {
    const files = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`big/hetzner/dns/f${n}.tf`, `# ${n}`]));
    expect(await failureOf(fetch(open, open.commit(files), { path: 'big' }))).toMatchObject({
      code: 'TemplatesTooLarge',
    });
  });
});

describe('private repositories', () => {
  const commit = () => locked.git('rev-parse', 'HEAD');

  it('a private repository opens for the token of its Secret, which is in no log and no file', async () => {
    await world.ports.secrets.put('user/team/git', { token: 'sesame-open' });
    const folder = await fetch(locked, commit(), { secret: 'team/git' });
    expect(existsSync(join(folder, 'nodepool', 'main.tf'))).toBe(true);
    const encoded = Buffer.from('x-access-token:sesame-open').toString('base64');
    const kept = readdirSync(world.directory, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const texts = [...kept.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')), ...lines];
    expect(kept.length).toBeGreaterThan(10);
    for (const text of texts) expect(text.includes('sesame-open') || text.includes(encoded)).toBe(false);
  });

  it.each([
    ['a wrong token', 'team/wrong'],
    ['none', ''],
  ])('a private repository stays closed for a token: %s', async (_what, secret) => {
    await world.ports.secrets.put('user/team/wrong', { token: 'guess' });
    expect(await failureOf(fetch(locked, commit(), { secret }))).toMatchObject({
      class: 'credentials',
      code: 'TemplatesForbidden',
    });
  });
});

describe('hostile repositories', () => {
  it('a tree that expands to a thousand million files is aborted and reported as too large', async () => {
    const bomb = gitBomb(open);
    expect(await failureOf(fetch(open, bomb, { path: 'modules' }))).toMatchObject({
      class: 'user',
      code: 'TemplatesTooLarge',
    });
  });
});

/** A commit with few objects, each tree with ten times the one below it. */
function gitBomb({ git }: GitServer): string {
  let object = git('rev-parse', 'main:huge.bin');
  let kind = '100644 blob';
  for (let depth = 0; depth < 9; depth++) {
    const rows = Array.from({ length: 10 }, (_, at) => `${kind} ${object}\tf${at}`);
    object = git('mktree', { input: rows.join('\n') });
    kind = '040000 tree';
  }
  const type = git('mktree', { input: `${kind} ${object}\thetzner` });
  const tree = git('mktree', { input: `${kind} ${type}\tmodules` });
  const commit = git('commit-tree', tree, '-m', 'bomb');
  git('update-ref', 'refs/heads/bomb', commit);
  return commit;
}

describe('hosts of repositories', () => {
  it('the host is asked at the address that was checked, and its redirects are not followed', async () => {
    const before = open.requests();
    const sly = await startGitServer({ redirectTo: `https://${open.url}` });
    const certificate = join(world.directory, 'both.pem');
    writeFileSync(certificate, [sly, open].map((server) => readFileSync(server.certificate, 'utf8')).join('\n'));
    const failure = await failureOf(fetch({ ...sly, certificate }, first));
    expect(failure).toMatchObject({ class: 'user', code: 'TemplatesMoved' });
    await sly.close();
    expect(open.requests()).toBe(before);
  });

  it('a host that needs .git in the name of the repository is asked with it', async () => {
    const strict = await startGitServer({ suffix: '.git' });
    const commit = strict.commit({ 'modules/hetzner/nodepool/main.tf': '# one' });
    const folder = await fetch({ ...strict, url: strict.url.replace(/\.git$/, '') }, commit);
    await strict.close();
    expect(readdirSync(folder)).toEqual(['nodepool']);
  });

  it('the request to a host whose name does not resolve is repeated later, and not by git', async () => {
    const failure = await failureOf(
      fetch({ ...open, url: 'nowhere.invalid/team/templates' }, first, { allowed: false }),
    );
    expect(failure).toMatchObject({ class: 'transient', code: 'TemplatesUnreachable' });
    expect(failure.message).toMatch(/nowhere\.invalid has no address/);
  });

  it('a host in a private network that is not allowed is never asked', async () => {
    const before = open.requests();
    expect(await failureOf(fetch(open, first, { allowed: false }))).toMatchObject({ code: 'TemplatesRefused' });
    expect(open.requests()).toBe(before);
  });

  it('the request to a host that does not answer is repeated later', async () => {
    const gone = await startGitServer();
    await gone.close();
    expect(await failureOf(fetch(gone, first))).toMatchObject({ class: 'transient', code: 'TemplatesUnreachable' });
  });
});
