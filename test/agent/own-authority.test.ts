/** The agent of an installation whose API shows certificates of its own, as a process: its authority is in a file next to the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { buildAgent } from '../../runner-images/bundle-runner.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-agent-'));
const ends: (() => void)[] = [() => rmSync(directory, { recursive: true })];
const { key, certificate } = selfSigned(directory, 'api');
beforeAll(() => buildAgent(join(directory, 'agent.mjs')));
afterAll(() => {
  for (const end of ends.toReversed()) end();
});

async function portOf(server: Server & { closeAllConnections(): void }): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** What the process writes first after it said what it does: a report that failed, or the request of a report. */
async function firstRound(ca: string): Promise<string> {
  const cluster = createHttpServer((_, response) => void response.end('{"items":[]}'));
  const api = createServer({ key: readFileSync(key), cert: readFileSync(certificate) });
  const asked = new Promise<string>((resolve) => {
    api.on('request', ({ url }, response) => {
      response.end('{"nodes":[]}');
      resolve(`asked ${url}`);
    });
  });
  writeFileSync(join(directory, 'ca.pem'), ca);
  writeFileSync(join(directory, 'token'), 'a token');
  const child = spawn(process.execPath, [join(directory, 'agent.mjs')], {
    env: {
      PATH: process.env.PATH,
      KUBELOOM_API_URL: `https://127.0.0.1:${await portOf(api)}`,
      KUBELOOM_AGENT_TOKEN_FILE: join(directory, 'token'),
      KUBELOOM_KUBERNETES_URL: `http://127.0.0.1:${await portOf(cluster)}`,
      KUBELOOM_KUBERNETES_TOKEN_FILE: join(directory, 'token'),
    },
  });
  ends.push(() => child.kill('SIGKILL'));
  const failed = new Promise<string>((resolve) => {
    child.stdout.on('data', (text) =>
      /this round failed: .*/.exec(String(text))?.forEach((line) => void resolve(line)),
    );
  });
  return Promise.race([asked, failed]);
}

it('the agent trusts the authority in the file next to its program', async () => {
  expect(await firstRound(readFileSync(certificate, 'utf8'))).toBe('asked /v1/agent/health');
});

it('the agent sends its token to no API whose certificate no authority that it knows has signed', async () => {
  expect(await firstRound('')).toContain('this round failed');
});
