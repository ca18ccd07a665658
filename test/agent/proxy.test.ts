/** The agent of a cluster that reaches Kubeloom through a proxy, as a process with the environment of its pod. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const agent = fileURLToPath(new URL('../../agent/agent.ts', import.meta.url));
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('requests of the agent to the API go through the proxy, its requests to the cluster do not', async () => {
  const asked: string[] = [];
  const cluster = createServer((request, response) => {
    asked.push(`cluster ${request.url}`);
    response.end('{"items":[]}');
  });
  const proxy = createServer();
  const connected = new Promise<void>((resolve) => {
    proxy.on('connect', ({ url }, socket) => {
      asked.push(`proxy ${url}`);
      socket.destroy();
      resolve();
    });
  });
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-agent-'));
  ends.push(() => rmSync(directory, { recursive: true }));
  const token = join(directory, 'token');
  writeFileSync(token, 'a token');
  const child = spawn(process.execPath, [agent], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      KUBELOOM_API_URL: 'https://kubeloom.example',
      KUBELOOM_AGENT_TOKEN_FILE: token,
      KUBELOOM_KUBERNETES_URL: await listen(cluster),
      KUBELOOM_KUBERNETES_TOKEN_FILE: token,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: await listen(proxy),
      NO_PROXY: '127.0.0.1,localhost,.svc',
    },
  });
  ends.push(() => child.kill('SIGKILL'));
  await connected;
  expect(asked).toEqual(['cluster /api/v1/nodes', 'proxy kubeloom.example:443']);
});
