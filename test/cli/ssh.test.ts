/** `kubeloom ssh` with an API and an ssh of this test: what ssh is given, and that nothing of the key is left. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

/** Notes how it was started and what the key is, and ends with 7. */
const fakeSsh = `#!/bin/bash
printf '%s\\n' "$@" >"$RECORD"
while [ "$1" != -i ]; do shift; done; key=$2
{ stat -c %a "$key" "$(dirname "$key")"; ssh-keygen -y -f "$key"; } >"$RECORD.key"
exit 7
`;

let directory: string;
let server: Server;
let platform: Platform;
let machine = '';
let problem: string | null = null;
let asked: { publicKey?: string; seconds?: number; target?: string } = {};

beforeAll(async () => {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '0');
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-ssh-test-'));
  writeFileSync(join(directory, 'ssh'), fakeSsh);
  chmodSync(join(directory, 'ssh'), 0o755);
  platform = await startSimulatedPlatform();
  const { code, stdout } = await onPlatform('apply', '-f', join(root, 'examples/sim-machine-groups.yaml'), '--wait');
  expect(code, stdout).toBe(0);
  const described = JSON.parse((await onPlatform('describe', 'shop', 'batch/big', '--json')).stdout);
  machine = described[0].machines[0].name;
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const answer = async (): Promise<string> => {
      const { url = '', method } = request;
      if (!url.includes('/ssh-access')) {
        const { authorization = '' } = request.headers;
        return (await fetch(platform.apiUrl + url, { headers: { authorization } })).text();
      }
      const place = { namespace: 'default', name: 'shop', cluster: 'shop', id: '1' };
      if (method === 'POST') {
        asked = JSON.parse(body);
        return JSON.stringify({ ...place, links: { opened: '/' } });
      }
      const node = { name: machine, address: '192.0.2.7', port: 2222, user: 'root', problem };
      const opened = { until: '2026-11-23T12:00:00.000Z', nodes: [node] };
      const about = { status: 'done', startedAt: '2026-11-23T11:00:00.000Z', build: 'build', problem: null };
      return JSON.stringify({ ...place, ...about, opened });
    };
    response.setHeader('content-type', 'application/json');
    response.end(await answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await platform.stop();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  problem = null;
  asked = {};
  rmSync(join(directory, 'record'), { force: true });
});

const onPlatform = (...args: string[]) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });
const ssh = (...args: string[]) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = { PATH: `${directory}:${process.env.PATH}`, RECORD: join(directory, 'record'), TMPDIR: directory };
  return run(['ssh', ...args], { environment: { ...paths, KUBELOOM_API_URL: url, KUBELOOM_TOKEN: platform.token } });
};

describe('kubeloom ssh', () => {
  it.each([
    ['a machine', () => machine],
    ['a group with one machine', () => 'batch/big'],
  ])('ssh to %s has a key of its own, which is removed when ssh ends', async (_what, target) => {
    const { code, stderr } = await ssh('shop', target(), '--', 'uptime', '-p');
    expect([code, stderr]).toEqual([7, '']);
    const args = readFileSync(join(directory, 'record'), 'utf8').trim().split('\n');
    expect(args.slice(-3)).toEqual(['root@192.0.2.7', 'uptime', '-p']);
    expect(args.join(' ')).toContain('-p 2222');
    const [mode, directoryMode, publicKey = ''] = readFileSync(join(directory, 'record.key'), 'utf8').split('\n');
    expect([mode, directoryMode]).toEqual(['600', '700']);
    expect(asked).toMatchObject({ target: machine, seconds: 600 });
    expect(asked.publicKey).toContain(publicKey.split(' ')[1]);
    const key = args[args.indexOf('-i') + 1] ?? '';
    expect(key).toContain('kubeloom-ssh-');
    expect(existsSync(join(key, '..'))).toBe(false);
  });

  it('a machine that was not opened is named with the reason, and ssh is not started', async () => {
    problem = 'no route to host';
    const { code, stderr } = await ssh('shop', machine);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${machine} was not opened: no route to host`)]);
    expect(existsSync(join(directory, 'record'))).toBe(false);
  });
});
