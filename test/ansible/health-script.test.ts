/** The script that asks the health checks of a machine group, on this machine: what is healthy, what is not, and why. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HealthCheck } from '#domain/health-check.ts';
import { healthLines } from '#rendering/health-lines.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { templates } from './playbook.ts';

const script = ['common.sh', 'health-asks.sh', 'health.sh']
  .map((name) => readFileSync(join(templates, 'files', name), 'utf8'))
  .join('\n');
const once = { timeout: 5, pause: 1, unhealthyAfter: 1, healthyAfter: 1 };

let server: Server;
let port: number;
/** Status of the next answers; the last one stays. */
let answers: number[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    response.statusCode = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
    response.end(`${request.url} "is\\ open"`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  answers = [200];
});

type Asked = HealthCheck['ask'];
const http = (more: Partial<Extract<Asked, { kind: 'http' }>> = {}): Asked => ({
  kind: 'http',
  port,
  tls: false,
  path: '/',
  status: 200,
  ...more,
});

/** A process that has ended and was not waited for counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function ask(checks: readonly HealthCheck[], within = 0) {
  const environment = {
    KUBELOOM_CHECKS: healthLines(checks),
    KUBELOOM_ADDRESS: '127.0.0.1',
    KUBELOOM_HEALTHY_WITHIN: String(within),
  };
  const child = spawn('bash', [], { env: { ...process.env, ...environment } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.on('data', (text) => {
    output.stderr += text;
  });
  child.stdin.end(script);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const [, found = '[]'] = /^fact: health=(.*)$/m.exec(output.stdout) ?? [];
  return { code, stderr: output.stderr, health: JSON.parse(found) as { ok: boolean | null; why?: string }[] };
}
const answerTo = async (asked: Asked, times: Partial<HealthCheck> = {}) =>
  (await ask([{ ask: asked, ...once, ...times }])).health[0];

describe('KA-9: the health checks of a machine', () => {
  it.each<[string, () => Asked]>([
    ['a port that is open', () => ({ kind: 'tcp', port })],
    ['the expected status', () => http()],
    ['another status that is expected', () => http({ status: 200, path: '/a?b=c&d' })],
    ['the expected text, with quotes', () => http({ path: '/shop', body: '/shop "is\\ open"' })],
    ['a command that ends with 0', () => ({ kind: 'exec', command: 'test 1 = 1' })],
  ])('%s is healthy', async (_what, asked) => {
    expect(await answerTo(asked())).toEqual({ ok: true });
  });

  it.each<[string, () => Asked, RegExp]>([
    ['a port that is closed', () => ({ kind: 'tcp', port: 1 }), /^tcp :1: no connection within 5 s$/],
    ['a service that is not there', () => http({ port: 1 }), /^http :1\/: no answer within 5 s$/],
    ['another status', () => http({ status: 204 }), /: answered 200, expected 204$/],
    ['another text', () => http({ body: 'closed' }), /: the answer lacks the expected text$/],
    ['TLS on a port without TLS', () => http({ tls: true }), /^https .*: no answer/],
    [
      'a command that fails',
      () => ({ kind: 'exec', command: '/bin/bash -c "echo no disk; exit 3"' }),
      /^exec bash: ended with 3$/,
    ],
  ])('%s is unhealthy, and the answer says why', async (_what, asked, why) => {
    const answer = await answerTo(asked());
    expect(answer?.ok).toBe(false);
    expect(answer?.why).toMatch(why);
  });

  it('a service over TLS is healthy with the expected answer, whatever its certificate, and says why when it is not', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubeloom-tls-'));
    const { key, certificate } = selfSigned(directory, 'shop');
    const secure = createSecureServer(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (request, response) => {
        response.statusCode = request.url === '/ready' ? 200 : 404;
        response.end('the shop is open');
      },
    );
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    try {
      const asked = (path: string) =>
        http({ port: (secure.address() as AddressInfo).port, tls: true, path, body: 'open' });
      expect(await answerTo(asked('/ready'))).toEqual({ ok: true });
      expect(await answerTo(asked('/missing'))).toMatchObject({
        ok: false,
        why: expect.stringMatching(/^https :\d+\/missing: answered 404, expected 200$/),
      });
    } finally {
      secure.closeAllConnections();
      await new Promise((resolve) => secure.close(resolve));
      await rm(directory, { recursive: true });
    }
  });

  it('a command that takes too long is ended and unhealthy', async () => {
    const asked: Asked = { kind: 'exec', command: 'sleep 60' };
    expect(await answerTo(asked, { timeout: 1 })).toMatchObject({
      ok: false,
      why: expect.stringMatching('longer than 1 s'),
    });
  });

  it('a command that leaves a process behind neither holds up the answers nor keeps that process', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'kubeloom-left-')), 'pid');
    const asked: Asked = { kind: 'exec', command: `sleep 600 & echo $! >${file}` };
    expect(await answerTo(asked)).toEqual({ ok: true });
    const left = Number(await readFile(file, 'utf8'));
    await rm(dirname(file), { recursive: true });
    expect(left).toBeGreaterThan(1);
    await vi.waitUntil(() => !isRunning(left), { timeout: 10_000 });
  });

  it('health check reports contain no queries, arguments, expected texts or output, which may hold secrets', async () => {
    const secret = 'planted-token';
    const { health } = await ask([
      { ask: http({ path: `/ready?token=${secret}`, body: secret.toUpperCase() }), ...once },
      { ask: { kind: 'exec', command: `PASSWORD=${secret} false` }, ...once },
      { ask: { kind: 'exec', command: `sh -c 'echo ${secret}; exit 1'` }, ...once },
    ]);
    expect(health.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(JSON.stringify(health).toLowerCase()).not.toContain(secret);
  });

  it('a service that fails once and then answers is healthy', async () => {
    answers = [500, 200];
    expect(await answerTo(http(), { unhealthyAfter: 2 })).toEqual({ ok: true });
  });

  it('a service that has to answer twice in a row and does not is unhealthy', async () => {
    answers = [200, 500, 200, 500];
    const answer = await answerTo(http(), { unhealthyAfter: 3, healthyAfter: 2 });
    expect(answer).toMatchObject({ ok: false, why: expect.stringMatching('its answers change from try to try') });
  });

  it('all checks are asked, and each has its answer in its place', async () => {
    const { health } = await ask([
      { ask: { kind: 'tcp', port: 1 }, ...once },
      { ask: http(), ...once },
    ]);
    expect(health.map(({ ok }) => ok)).toEqual([false, true]);
  });

  it('a script that waits for the health of the machine continues when the machine is healthy', async () => {
    answers = [500, 500, 200];
    expect(await ask([{ ask: http(), ...once }], 60)).toMatchObject({ code: 0, health: [{ ok: true }] });
  });

  it('a wait for a machine that does not become healthy ends with the name of the failing check', async () => {
    const { code, stderr } = await ask([{ ask: http({ status: 204 }), ...once }], 1);
    expect(code).toBe(1);
    expect(stderr).toMatch(/the machine did not become healthy within 1 s: http :\d+\/: answered 200, expected 204/);
  });
});
