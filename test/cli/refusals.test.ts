/** What goes wrong between a person's files and the API: reported precisely and all at once, before anything is sent. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { inOneThread } from '#test/local/one-thread.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
let home: string;
const logBefore = process.env.KUBELOOM_LOG;
const kubeloom = (args: readonly string[], stdin = '') => run(args, { stdin, environment: { KUBELOOM_HOME: home } });
const minimal = join(root, 'examples/sim-minimal.yaml');

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-refusals-'));
  process.env.KUBELOOM_LOG = 'none';
  platform = await startPlatform({
    dataDir: home,
    runner: 'sim',
    apiPort: 0,
    graceMs: 100,
    product: inOneThread(),
  });
});
afterAll(async () => {
  await platform.stop();
  rmSync(home, { recursive: true, force: true });
  if (logBefore === undefined) delete process.env.KUBELOOM_LOG;
  else process.env.KUBELOOM_LOG = logBefore;
});

const secret = (name: string, fields: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name} }\nstringData: ${fields}\n`;

describe('kubeloom apply', () => {
  it('apply --if-match takes a version with or without quotation marks', async () => {
    expect((await kubeloom(['apply', '-f', minimal, '--wait'])).code).toBe(0);
    const stale = await kubeloom(['apply', '-f', minimal, '--if-match', 'g7-a1']);
    expect([stale.code, stale.stderr]).toEqual([5, expect.stringContaining('generation 1, attempt 1 is stored')]);
    for (const tag of ['g1-a1', '"g1-a1"', '*'])
      expect((await kubeloom(['apply', '-f', minimal, '--if-match', tag])).code).toBe(0);
    const odd = await kubeloom(['apply', '-f', minimal, '--if-match', 'a\nb']);
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('e.g. g3-a1')]);
  });

  it('apply prints all faults of a document with an impossible name, and submits nothing', async () => {
    const bad = 'apiVersion: kubeloom.dev/v1\nkind: RoleBinding\nmetadata: { name: bad one }\nspec: { role: root }\n';
    const { code, stdout, stderr } = await kubeloom(['apply', '-f', '-'], `${secret('fine', '{ a: b }')}---\n${bad}`);
    expect([code, stdout]).toEqual([3, '']);
    for (const part of ['nothing was submitted', 'metadata.name', '  role\n', '  namespaces\n', '  subjects\n'])
      expect(stderr).toContain(part);
    expect((await kubeloom(['secrets', 'list', '--json'])).stdout).not.toContain('fine');
  });

  it('a name with slashes is sent to no other path of the API', async () => {
    const { code } = await kubeloom(['apply', '-f', '-'], secret('../../roles/evil', '{ a: b }'));
    expect(code).toBe(3);
    expect((await kubeloom(['describe', '../../v1/roles'])).code).toBe(2);
    expect((await kubeloom(['roles', 'delete', '../secrets/default/x'])).stderr).toContain('the path is not valid');
  });

  it('apply refuses the same document twice', async () => {
    const { code, stderr } = await kubeloom(
      ['apply', '-f', '-'],
      `${secret('a', '{ a: b }')}---\n${secret('a', '{ a: c }')}`,
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining('Secret default/a is in these documents twice')]);
  });

  it('apply warns of long-lived keys, and shows none of them', async () => {
    const key = '{ accesskey: AKIAIOSFODNN7EXAMPLE, secretkey: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY }';
    const text = await kubeloom(['apply', '-f', '-'], secret('aws', key));
    expect([text.code, text.stdout]).toEqual([0, 'Secret default/aws stored\n']);
    expect(text.stderr).toMatch(/warning[\s\S]*until it is revoked[\s\S]*rolearn/);
    const json = await kubeloom(['apply', '--json', '-f', '-'], secret('aws', key));
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, documents: [{ warnings: [{ path: '' }] }] });
    expect(`${text.stdout}${text.stderr}${json.stdout}`).not.toMatch(/AKIA|wJalr/);
  });
});

describe('kubeloom secrets and templates', () => {
  it('secrets and templates list names, show documents, and delete what is not in use', async () => {
    const reference =
      'apiVersion: kubeloom.dev/v1\nkind: TemplateGitReference\nmetadata: { name: ours, namespace: team }\nspec: { endpoint: { url: github.com/team/modules, protocol: https }, commit: v1, paths: { terraformer: tf } }\n';
    const applied = await kubeloom(['apply', '-f', '-'], `${secret('spare.one', '{ a: hidden }')}---\n${reference}`);
    expect(applied.code).toBe(0);
    const list = await kubeloom(['secrets', 'list', '-n', 'default']);
    expect(list.stdout).toMatch(/default +spare\.one/);
    expect(list.stdout).not.toContain('hidden');
    expect((await kubeloom(['secrets', 'delete', 'spare.one'])).stdout).toBe('Secret default/spare.one deleted\n');
    expect((await kubeloom(['secrets', 'delete', 'spare.one'])).code).toBe(4);
    expect((await kubeloom(['templates', 'list', '-n', 'team'])).stdout).toMatch(/team +ours/);
    expect((await kubeloom(['templates', 'list'])).stdout).toBe('no TemplateGitReferences in namespace default\n');
    const shown = await kubeloom(['templates', 'get', 'team/ours']);
    expect(shown.stdout).toContain('url: github.com/team/modules');
    expect(await kubeloom(['templates', 'describe', 'team/ours'])).toEqual(shown);
    expect((await kubeloom(['apply', '-f', '-'], shown.stdout)).code).toBe(0);
    expect((await kubeloom(['templates', 'delete', 'ours', '-n', 'team'])).code).toBe(0);
    expect((await kubeloom(['templates', 'get', 'team/ours'])).code).toBe(4);
  });
});

describe('a faulty parameter', () => {
  it('a fault in a parameter is shown once', async () => {
    const { code, stderr } = await kubeloom(['get', '-n', 'No']);
    expect([code, stderr.match(/must consist of/g)?.length]).toEqual([3, 1]);
  });
});

describe('logs and events', () => {
  it('logs shows a check for drift like any other run', async () => {
    expect((await kubeloom(['drift', 'sim-minimal', '--wait'])).code).toBe(0);
    const runs = JSON.parse((await kubeloom(['runs', 'sim-minimal', '--json'])).stdout) as { runId: string }[];
    const check = runs.find(({ runId }) => /-d[0-9a-z]+$/.test(runId))?.runId ?? '';
    expect(await kubeloom(['logs', check])).toMatchObject({ code: 0, stdout: expect.stringContaining('drift') });
  });

  it('events reports that the named run has no events', async () => {
    const { code, stderr } = await kubeloom(['events', 'sim-minimal', '--run', 'nothing']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('no events of run nothing')]);
  });
});

describe('an API that cannot be reached', () => {
  const at = (url: string) => run(['whoami'], { environment: { KUBELOOM_API_URL: url, KUBELOOM_TOKEN: 'hush' } });

  it.each(['localhost:7700', 'ftp://x', 'http://a b', 'https://x/?y'])(
    'an address that is no http URL is refused as wrong use: %s',
    async (url) => {
      const { code, stderr } = await at(url);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`KUBELOOM_API_URL is "${url}"`)]);
    },
  );

  it('an API that does not answer is named', async () => {
    const url = await withServer(
      () => {},
      async (live) => live,
    );
    expect(await at(url)).toMatchObject({ code: 7, stderr: expect.stringContaining(`nothing answers at ${url}`) });
  });

  it('the reason is shown when the server does not speak the protocol', async () => {
    const { code, stderr } = await withServer(
      (_, response) => response.end('x'),
      (url) => at(url.replace('http', 'https')),
    );
    expect([code, stderr]).toEqual([7, expect.stringMatching(/cannot be asked \(.+\): /)]);
  });

  it('a redirect is refused, and the token is not sent to the other address', async () => {
    let asked = 0;
    const { code, stderr } = await withServer(
      (request, response) => {
        asked += 1;
        response.writeHead(307, { location: `http://127.0.0.1:1${request.url}` }).end();
      },
      (url) => at(url),
    );
    expect([code, asked, stderr]).toEqual([7, 1, expect.stringContaining('redirects to http://127.0.0.1:1/v1/whoami')]);
  });

  it('a broken platform file is answered with the command that starts the platform', async () => {
    const directory = mkdtempSync(join(home, 'broken-'));
    writeFileSync(join(directory, 'platform.json'), '{');
    const { code, stderr } = await run(['get'], { environment: { KUBELOOM_HOME: directory } });
    expect([code, stderr]).toEqual([7, expect.stringContaining('kubeloom local up')]);
  });
});

async function withServer<Result>(answer: RequestListener, use: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
