/** The real kubectl against an API server that lies to it over TLS: what it prints is judged as any answer. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { runCommand } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { type Canary, hostileTexts, obeyedInJson, obeyedRaw, openCanary } from './lies.ts';

const isInstalled = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

describe.skipIf(!isInstalled)('the real kubectl', () => {
  let canary: Canary;
  let directory: string;
  let server: Server;
  let kubectl: Kubectl;
  /** What the API server answers to the list of nodes. */
  let nodes = '';
  let acts: string[] = [];

  beforeAll(async () => {
    canary = openCanary();
    directory = mkdtempSync(join(tmpdir(), 'kubeloom-kubectl-'));
    const files = selfSigned(directory, 'api');
    server = createServer(
      { key: readFileSync(files.key), cert: readFileSync(files.certificate) },
      (request, response) => {
        const { method, url = '' } = request;
        if (method !== 'GET') acts.push(`${method} ${url}`);
        response.setHeader('content-type', 'application/json');
        if (url.startsWith('/api/v1/nodes')) {
          response.end(nodes);
          return;
        }
        const known: Readonly<Record<string, unknown>> = {
          '/api': { kind: 'APIVersions', versions: ['v1'] },
          '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
          '/api/v1': {
            kind: 'APIResourceList',
            groupVersion: 'v1',
            resources: [
              { name: 'nodes', singularName: 'node', namespaced: false, kind: 'Node', verbs: ['get', 'list'] },
            ],
          },
        };
        response.end(
          JSON.stringify(known[url.split('?')[0] ?? ''] ?? { kind: 'Status', status: 'Failure', code: 404 }),
        );
      },
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const kubeconfig = join(directory, 'kubeconfig');
    const certificate = readFileSync(files.certificate).toString('base64');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': certificate } },
        ],
        users: [{ name: 'u', user: { token: 'planted-token' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
      { mode: 0o600 },
    );
    const around = {
      signal: new AbortController().signal,
      log: { write: () => undefined, lastLines: () => '' } as never,
      stopwatch: { start: () => () => undefined } as never,
      graceMs: 100,
    };
    const environment = { HOME: directory, KUBECACHEDIR: join(directory, 'cache') };
    kubectl = new Kubectl(
      {
        run: (command) => runCommand({ ...command, environment: { ...command.environment, ...environment } }, around),
        runner: runnerConfig(process.env),
      },
      kubeconfig,
    );
  });
  afterAll(async () => {
    expect(canary.sings()).toBe(false);
    expect(acts).toEqual([]);
    canary.remove();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    // Only that of this test: kubectl caches what it discovers.
    execFileSync('chmod', ['-R', 'u+w', directory]);
    rmSync(directory, { recursive: true });
  });

  const node = (name: string, change: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, resourceVersion: '5', ...change },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const list = (...items: readonly object[]) =>
    JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', metadata: {}, items });
  /** Names of the nodes, or why they are not known. */
  async function read(answer: string): Promise<string> {
    nodes = answer;
    acts = [];
    try {
      const found = JSON.stringify([...(await kubectl.nodes()).keys()]);
      expect(found).not.toMatch(obeyedInJson);
      return found;
    } catch (error) {
      if (!(error instanceof StageFailure)) throw error;
      const { message, class: kind } = error.error;
      expect(kind).not.toBe('bug');
      expect(message).not.toContain('planted-token');
      expect(message).toMatch(/^kubectl/);
      return message;
    }
  }

  it('an honest list is read', async () => {
    expect(await read(list(node('a-1'), node('b-2')))).toBe('["a-1","b-2"]');
  });

  it.each(['long flag', 'shell', 'newline', 'escapes', 'bidi', 'path of an API'])(
    'nodes with the name of a hostile text (%s) are not read',
    async (title) => {
      const text = hostileTexts(canary.file)[title] ?? '';
      const why = await read(list(node('a-1'), node(text)));
      expect(why).toContain('cannot be read');
      expect(why).not.toMatch(obeyedRaw);
      expect(await read(list(node('a-1', { labels: { [text]: text } })))).toContain('cannot be read');
    },
  );

  it('objects of other kinds, two answers in one, and half an answer are not nodes', async () => {
    expect(await read('{"kind":"NodeList","apiVersion":"v1","items":[{"kind":"Secret","data":{"x":"y"}}]}')).toMatch(
      /^kubectl/,
    );
    expect(await read(`${list(node('a-1'))}${list(node('b-2'))}`)).not.toContain('b-2');
    expect(await read(list(node('a-1')).slice(0, 60))).toMatch(/^kubectl/);
    expect(await read('<html>\u001b[2J</html>')).toMatch(/^kubectl/);
    // All readers take the last of two keys.
    expect(await read('{"kind":"NodeList","apiVersion":"v1","items":[],"items":"x"}')).toMatch(/^kubectl|\[\]/);
  });

  it('a list of 50 MB is not read, and says so', async () => {
    const large = list(
      ...Array.from({ length: 250 }, (_, index) => node(`a-${index}`, { annotations: { x: 'y'.repeat(200_000) } })),
    );
    expect(await read(large)).toMatch(/cannot be read/);
  });
});
