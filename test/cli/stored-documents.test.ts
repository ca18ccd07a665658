/** `list`, `describe`, `get` and `delete` mean the same for all kinds of stored documents. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { aPlane } from '#test/planes/planes.ts';
import { kubeloom as run } from './kubeloom.ts';

let platform: Platform;
const logBefore = process.env.KUBELOOM_LOG;
const kubeloom = (args: readonly string[], stdin = '') =>
  run(args, { stdin, environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });

beforeAll(async () => {
  process.env.KUBELOOM_LOG = 'none';
  platform = await startPlatform({ inMemory: true, runner: 'sim', apiPort: 0, graceMs: 100 });
});
afterAll(async () => {
  await platform.stop();
  if (logBefore === undefined) delete process.env.KUBELOOM_LOG;
  else process.env.KUBELOOM_LOG = logBefore;
});

const head = { apiVersion: 'kubeloom.dev/v1' };
const metadata = { name: 'one', namespace: 'team' };
const kinds = [
  {
    word: 'templates',
    document: {
      ...head,
      kind: 'TemplateGitReference',
      metadata,
      spec: { endpoint: { url: 'git.invalid/a/b', protocol: 'https' }, commit: 'v1', paths: { terraformer: 'tf' } },
    },
    described: 'url: git.invalid/a/b',
  },
  {
    word: 'sources',
    document: {
      ...head,
      kind: 'GitSource',
      metadata,
      spec: { url: 'git.invalid/a/b', ref: 'main', path: 'prod', suspend: true },
    },
    described: 'git.invalid/a/b/prod at main',
  },
  {
    word: 'roles',
    document: {
      ...head,
      kind: 'RoleBinding',
      metadata: { name: 'one' },
      spec: { role: 'viewer', namespaces: ['team'], subjects: [{ user: 'local:ann' }] },
    },
    described: 'viewer in team',
  },
  { word: 'planes', document: { ...aPlane(), metadata }, described: 'one on cluster mgmt' },
];

it.each(kinds)(
  '$word are listed, described, printed and deleted like other kinds',
  async ({ word, document, described }) => {
    const inTeam = document.kind === 'RoleBinding' ? [] : ['-n', 'team'];
    const stored = await kubeloom(['apply', '-f', '-'], JSON.stringify(document));
    expect(stored, stored.stderr).toMatchObject({ code: 0 });
    expect((await kubeloom([word, 'list', ...inTeam])).stdout).toContain('one');
    expect((await kubeloom([word, 'describe', 'one', ...inTeam])).stdout).toContain(described);
    const printed = await kubeloom([word, 'get', 'one', ...inTeam]);
    expect(printed.stdout).toContain(`kind: ${document.kind}`);
    expect((await kubeloom(['apply', '-f', '-'], printed.stdout)).code).toBe(0);
    expect(JSON.parse((await kubeloom([word, 'get', 'one', '--json', ...inTeam])).stdout)).toMatchObject(document);
    expect((await kubeloom([word, 'delete', 'one', ...inTeam])).stdout).toMatch(
      new RegExp(`^${document.kind} (team/)?one deleted`),
    );
    expect((await kubeloom([word, 'list', ...inTeam])).stdout).toContain(`no ${document.kind}s`);
    for (const verb of ['describe', 'get', 'delete']) {
      const missing = await kubeloom([word, verb, 'one', ...inTeam]);
      expect([missing.code, missing.stderr]).toEqual([4, expect.stringMatching(/there is no \w+ "(team\/)?one"/)]);
    }
  },
);
