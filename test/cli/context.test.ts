/** Several installations: which one a command talks to, with which token, and that no token is shown or kept. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeloom } from './kubeloom.ts';

const secret = 'token-that-must-stay-secret';
let home: string;
let api: Server;
let url: string;
let authorization: (string | undefined)[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-context-'));
  authorization = [];
  api = createServer((request, response) => {
    authorization.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'ann', kind: 'token', from: '127.0.0.1', grants: [] }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  writeFileSync(join(home, 'token'), `${secret}\n`, { mode: 0o600 });
});
afterEach(() => {
  api.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  kubeloom(args, { environment: { XDG_CONFIG_HOME: home, KUBELOOM_HOME: join(home, 'none'), ...environment } });
const stored = () => readFileSync(join(home, 'kubeloom/contexts.json'), 'utf8');

describe('kubeloom context', () => {
  it('the context file keeps where a token comes from, readable by its owner, and never the token', async () => {
    const { code, stdout, stderr } = await run([
      'context',
      'add',
      'prod',
      '--url',
      url,
      '--token-file',
      join(home, 'token'),
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('kubeloom context use prod') });
    expect(statSync(join(home, 'kubeloom/contexts.json')).mode & 0o777).toBe(0o600);
    const listed = await run(['context', 'list']);
    expect(listed.stdout).toMatch(/prod .*http.*file /);
    expect([stdout, stderr, stored(), listed.stdout].join()).not.toContain(secret);
  });

  it.each([
    ['a file', () => ['--token-file', join(home, 'token')], {}],
    ['a command', () => ['--token-command', `cat ${join(home, 'token')}`], {}],
    ['an environment variable', () => ['--token-env', 'PROD_TOKEN'], { PROD_TOKEN: secret }],
  ])('the request carries the token from %s', async (_, source, environment) => {
    await run(['context', 'add', 'prod', '--url', url, ...source(), '--use'], environment);
    const { stdout } = await run(['whoami'], environment);
    expect(stdout).toContain(`context prod: ${url}`);
    expect(stdout).not.toContain(secret);
    expect(authorization).toEqual([`Bearer ${secret}`]);
  });

  it('the context in use applies unless --context names another, before or after the command', async () => {
    await run(['context', 'add', 'prod', '--url', 'http://127.0.0.1:9', '--use']);
    await run(['context', 'add', 'test', '--url', url]);
    expect((await run(['whoami'])).code).toBe(7);
    expect((await run(['--context', 'test', 'whoami'])).stdout).toContain(`context test: ${url}`);
    expect((await run(['whoami', '--context', 'test'])).stdout).toContain(`context test: ${url}`);
    const unknown = await run(['whoami', '--context', 'tset']);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('there is local, prod, test') });
  });

  it('KUBELOOM_API_URL overrides the context with a note, and is refused with --context', async () => {
    await run(['context', 'add', 'prod', '--url', 'http://127.0.0.1:9', '--use']);
    const environment = { KUBELOOM_API_URL: url, KUBELOOM_TOKEN: 'other' };
    const { stdout } = await run(['whoami'], environment);
    expect(stdout).toContain(`KUBELOOM_API_URL, instead of context prod: ${url} (with KUBELOOM_TOKEN)`);
    expect(authorization).toEqual(['Bearer other']);
    const both = await run(['whoami', '--context', 'prod'], environment);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('are both given') });
  });

  it('`context use local`, or removal of the context, goes back to the local platform', async () => {
    await run(['context', 'add', 'prod', '--url', url, '--use']);
    await run(['context', 'use', 'local']);
    expect((await run(['whoami'])).code).toBe(7);
    await run(['context', 'use', 'prod']);
    await run(['context', 'remove', 'prod']);
    expect((await run(['whoami'])).stderr).toContain('no installation of Kubeloom is configured');
  });

  it('a file open to others, a failing source, two sources or a taken name is refused', async () => {
    chmodSync(join(home, 'token'), 0o644);
    const open = await run(['context', 'add', 'prod', '--url', url, '--token-file', join(home, 'token')]);
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') });
    await run(['context', 'add', 'prod', '--url', url, '--token-command', `echo ${secret}; false`, '--use']);
    const failed = await run(['get']);
    expect(failed).toMatchObject({ code: 8, stderr: expect.stringContaining('the command for the token failed') });
    const two = await run(['context', 'add', 'prod', '--url', url, '--token-env', 'A', '--token-command', 'b']);
    expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used with') });
    expect((await run(['context', 'add', 'local', '--url', url])).code).toBe(2);
  });
});
