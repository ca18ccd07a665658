/** An API server that lies to the operator and to the agent, and an agent that lies to the API. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentHealth } from '#contracts/agent.ts';
import { agentApi } from '../../agent/agent-api.ts';
import { clusterApi, keepLooking } from '../../agent/node-agent.ts';
import { kubernetesApi } from '../../operator/kubernetes-api.ts';
import { objectWrites } from '../../operator/object-writes.ts';
import { ObjectList, readPart } from '../../operator/objects.ts';
import { createSecret } from '../../operator/outputs.ts';
import { resources } from '../../operator/resources.ts';
import { KnownSecrets } from '../../operator/secrets.ts';
import { brokenJson, type Canary, hostileTexts, liesAbout, obeyedInJson, openCanary } from './lies.ts';
import { type LyingServer, lyingServer } from './lying-server.ts';

let canary: Canary;
let server: LyingServer;
let directory: string;
beforeAll(() => {
  canary = openCanary();
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-agents-'));
  writeFileSync(join(directory, 'token'), 'planted-token');
});
afterAll(() => {
  expect(canary.sings()).toBe(false);
  canary.remove();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  server = await lyingServer();
});
afterEach(() => server.close());

const metadata = {
  name: 'shop',
  namespace: 'team',
  uid: '0b5c8a52-6a3e-4a3b-9d2e-0f4a2b8c7d61',
  resourceVersion: '5',
  generation: 1,
  finalizers: ['kubeloom.dev/finalizer'],
  annotations: { 'kubeloom.dev/on-delete': 'orphan' },
};
const list = { metadata: { resourceVersion: '7' }, items: [{ metadata, spec: {}, status: {} }] };
const path = '/apis/claudie.io/v1beta1/inputmanifests';

describe('the operator', () => {
  const kubernetes = () => kubernetesApi({ server: server.url, token: async () => 'planted-token', timeoutMs: 5000 });
  const listed = async () => ObjectList.parse(await kubernetes().ask('GET', path, { kept: readPart }));

  it('a list that lies is refused, or names objects whose paths are their own', async () => {
    server.answers = { [`GET ${path}`]: { body: JSON.stringify(list) } };
    expect((await listed()).items).toHaveLength(1);
    for (const { title, value } of liesAbout(list, canary.file)) {
      server.answers = { [`GET ${path}`]: { body: JSON.stringify(value) ?? '' } };
      const found = await listed().catch(() => undefined);
      for (const object of found?.items ?? []) {
        const { name, namespace, uid, resourceVersion, finalizers } = object.metadata;
        for (const text of [name, namespace, uid, resourceVersion, ...finalizers])
          expect(text, title).toMatch(/^(?!.*\.\.)[\w.:/-]*$/);
      }
    }
    for (const [title, body] of Object.entries(brokenJson)) {
      server.answers = { [`GET ${path}`]: { body } };
      await expect(listed(), title).rejects.toThrow();
    }
  });

  it('a list, an item and an event without an end are hung up on', async () => {
    server.answers = { [`GET ${path}`]: { body: undefined } };
    await expect(listed()).rejects.toThrow('not a list');
    const item = `{"items":[{"metadata":{"name":"${'x'.repeat(11_000_000)}`;
    server.answers = { [`GET ${path}`]: { body: item } };
    await expect(listed()).rejects.toThrow('an item is larger');
    server.answers = { [`GET ${path}/x`]: { body: undefined } };
    await expect(kubernetes().ask('GET', `${path}/x`)).rejects.toThrow('more than');
    expect(server.sent).toBeLessThan(80_000_000);
    server.answers = { [`GET ${path}`]: { body: undefined } };
    const seen: unknown[] = [];
    const watch = await kubernetes().watch(path, {}, { happened: (event) => seen.push(event), silentMs: 5000 });
    await watch.ended;
    expect(seen).toEqual([]);
    expect(server.sent).toBeLessThan(160_000_000);
  });

  it('a refusal with words of a terminal is printed as text', async () => {
    for (const text of Object.values(hostileTexts(canary.file))) {
      server.answers = { [`GET ${path}`]: { status: 403, body: JSON.stringify({ message: text }) } };
      const error = await kubernetes()
        .ask('GET', path)
        .catch((thrown: Error) => thrown.message);
      expect(String(error).length).toBeLessThan(1100);
      expect(JSON.stringify(error).replaceAll('\\n', '')).not.toMatch(obeyedInJson);
    }
  });

  it('an object that is answered to a write is one of the same form, and names of Secrets are names', async () => {
    const [, , resource] = resources;
    if (resource === undefined) throw new Error('no resource');
    const [object] = ObjectList.parse(list).items;
    if (object === undefined) throw new Error('no object');
    server.answers = { [`GET ${path}/shop`]: { body: JSON.stringify({ metadata: { ...metadata, name: '../../x' } }) } };
    const writes = objectWrites(
      kubernetes(),
      { ...resource, group: 'claudie.io', version: 'v1beta1', plural: 'inputmanifests' },
      () => new Date(0),
    );
    await expect(
      writes.fresh({ ...object, metadata: { ...object.metadata, namespace: 'team' } }),
    ).resolves.toBeUndefined();
    for (const name of Object.values(hostileTexts(canary.file))) {
      const secret = { metadata: { name, namespace: 'team', resourceVersion: '1' } };
      server.answers = { 'GET /api/v1/secrets': { body: JSON.stringify({ items: [secret] }) } };
      const known = await KnownSecrets.list(kubernetes(), [undefined]).catch(() => undefined);
      expect(known?.get(`team/${name}`), name.slice(0, 40)).toBeUndefined();
    }
  });

  it('a Secret that exists already is replaced only if the answer names the object as its owner, and never elsewhere', async () => {
    const { name, namespace, uid } = metadata;
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const owner = { uid };
    const own = { metadata: { name, namespace, ownerReferences: [owner] } };
    const made = async (body: string) => {
      server.asked.length = 0;
      server.answers = {
        [`POST ${secrets}`]: { status: 409, body: '{}' },
        [`GET ${secrets}/${name}`]: { body },
        [`PATCH ${secrets}/${name}`]: { body: '{}' },
      };
      const created = await createSecret(kubernetes(), own).catch(() => undefined);
      return { created, asked: server.asked.map(({ line }) => line.replace(/\?.*/, '')) };
    };
    const honest = [`POST ${secrets}`, `GET ${secrets}/${name}`, `PATCH ${secrets}/${name}`];
    expect(await made(JSON.stringify(own))).toEqual({ created: true, asked: honest });
    for (const { title, value } of liesAbout(own, canary.file)) {
      const { created, asked } = await made(JSON.stringify(value) ?? '');
      expect(asked, title).toEqual(created ? honest : honest.slice(0, 2));
      if (created) expect(JSON.stringify(value), title).toContain(uid);
    }
  });
});

describe('the agent', () => {
  const nodes = {
    items: [
      {
        metadata: { name: 'workers-bbbbbbb-01', labels: { a: 'b' }, creationTimestamp: '2026-11-01T00:00:00Z' },
        status: {
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' }],
          allocatable: { cpu: '3920m', memory: '16Gi', 'nvidia.com/gpu': '1' },
        },
      },
    ],
  };
  /** One round: what it reports, or why it did not. */
  async function round(body: string | undefined) {
    const stop = new AbortController();
    const reported: AgentHealth[] = [];
    const said: string[] = [];
    server.answers = {
      'GET /api/v1/nodes': { body },
      'GET /apis/certificates.k8s.io/v1/certificatesigningrequests': { body: '{"items":[]}' },
    };
    const report = async (health: AgentHealth) => {
      reported.push(health);
      stop.abort();
      return [];
    };
    const say = (words: string) => {
      said.push(words);
      stop.abort();
    };
    const cluster = clusterApi({ url: server.url, tokenFile: join(directory, 'token') });
    await keepLooking({ report }, cluster, {
      everyMs: 1,
      heartbeatMs: 1000,
      unwellMs: 1000,
      openMs: 1000,
      signal: stop.signal,
      say,
    });
    return { reported, said };
  }

  it('what it reports of a cluster that lies is what the API takes', async () => {
    expect((await round(JSON.stringify(nodes))).reported).toHaveLength(1);
    for (const { title, value } of liesAbout(nodes, canary.file)) {
      const { reported, said } = await round(JSON.stringify(value) ?? '');
      expect(reported.length + said.length, title).toBe(1);
      for (const health of reported) expect(AgentHealth.safeParse(health).success, title).toBe(true);
      expect(JSON.stringify(reported), title).not.toMatch(obeyedInJson);
      expect(said.join(), title).not.toContain('planted-token');
    }
  });

  it('a list without an end is hung up on', async () => {
    const { reported, said } = await round(undefined);
    expect(reported).toEqual([]);
    expect(said.join()).toMatch(/larger than/);
    expect(server.sent).toBeLessThan(120_000_000);
  });

  it('an API that lies to it is an error in words', async () => {
    const api = agentApi({ apiUrl: server.url, token: async () => 'planted-token', timeoutMs: 5000 });
    for (const text of Object.values(hostileTexts(canary.file))) {
      server.answers = { 'GET /v1/agent/groups': { status: 403, body: JSON.stringify({ detail: text }) } };
      const error = await api.groups().catch((thrown: Error) => thrown.message);
      expect(JSON.stringify(error).replaceAll('\\n', '')).not.toMatch(obeyedInJson);
    }
    server.answers = { 'GET /v1/agent/groups': { body: undefined } };
    await expect(api.groups()).rejects.toThrow(/larger than/);
  });
});

it('a report that lies to the API is refused: names, resources and amounts have the form of Kubernetes', () => {
  const honest = {
    nodes: [{ name: 'workers-bbbbbbb-01', ready: 'True', locked: false, allocatable: { cpu: '4', memory: '16Gi' } }],
  };
  expect(AgentHealth.safeParse(honest).success).toBe(true);
  for (const { title, value } of liesAbout(honest, canary.file)) {
    const read = AgentHealth.safeParse(value);
    if (read.success) expect(JSON.stringify(read.data), title).not.toMatch(/[$`{]{2}|\\[nru]|\.\.|"-[a-z]/);
  }
});
