/** `kubeloom state` with an API that answers for the runner: what is asked, and what a person sees. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReadState } from '#contracts/state-reading.ts';
import { kubeloom as run } from './kubeloom.ts';
import { simulatedManifests } from './simulated-manifests.ts';

const { applied, environment, kubeloom: onPlatform } = simulatedManifests();
const address = 'module.pool_x.hcloud_server.node["web-01"]';
const row = { address, id: '4711' };
let server: Server;
let asked: unknown;
let problem: string | null;
let workspaces: ReadState['workspaces'];

beforeAll(async () => {
  await applied('stated');
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { url = '', method } = request;
    response.setHeader('content-type', 'application/json');
    if (!/\/state\b/.test(url)) {
      const { authorization = '' } = request.headers;
      response.end(await (await fetch(environment().KUBELOOM_API_URL + url, { headers: { authorization } })).text());
      return;
    }
    const place = { namespace: 'default', name: 'stated', cluster: 'stated', id: '1' };
    if (method === 'POST') asked = JSON.parse(body || '{}');
    const about = { status: 'done', startedAt: '2026-11-23T11:00:00.000Z', build: 'drift:1', problem };
    const answer =
      method === 'POST' ? { links: { read: '/' } } : { ...about, read: problem === null ? { workspaces } : null };
    response.end(JSON.stringify({ ...place, ...answer }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
beforeEach(() => {
  problem = null;
  workspaces = [{ workspace: 'machines-hetzner', serial: 7, waits: false, resources: [row] }];
});
afterAll(() => {
  server.close();
});
const kubeloom = (...args: readonly string[]) => {
  const { port } = server.address() as AddressInfo;
  return run(args, { environment: { ...environment(), KUBELOOM_API_URL: `http://127.0.0.1:${port}` } });
};

describe('kubeloom state', () => {
  it('the command list shows each resource with its workspace and id, and what is tainted', async () => {
    const tainted = { ...row, address: 'hcloud_server.b', tainted: true };
    workspaces = [{ workspace: 'machines-hetzner', serial: 7, waits: false, resources: [row, tainted] }];
    const { code, stdout } = await kubeloom('state', 'list', 'stated');
    expect(code).toBe(0);
    expect(asked).toEqual({});
    expect(stdout).toMatch(/machines-hetzner +module\.pool_x\.hcloud_server\.node\["web-01"\] +4711/);
    expect(stdout).toMatch(/hcloud_server\.b +4711 +tainted/);
  });

  it('the command show asks for one address and prints what identifies it', async () => {
    const attributes = { id: '4711', ipv4_address: '203.0.113.5' };
    workspaces = [{ workspace: 'machines-hetzner', serial: 7, waits: false, resources: [{ ...row, attributes }] }];
    const { code, stdout } = await kubeloom('state', 'show', 'stated', address);
    expect([code, asked]).toEqual([0, { address }]);
    expect(stdout).toContain(`${address} in machines-hetzner`);
    expect(stdout).toMatch(/ipv4_address +203\.0\.113\.5/);
    const json = JSON.parse((await kubeloom('state', 'show', 'stated', address, '--json')).stdout);
    expect(json).toEqual(workspaces);
  });

  it('the command reports a workspace without a state, and a state that waits to be saved', async () => {
    workspaces = [{ workspace: 'dns-lb-aws', serial: null, waits: true, resources: [] }];
    const { stderr } = await kubeloom('state', 'list', 'stated');
    expect(stderr).toContain('dns-lb-aws has no state');
    expect(stderr).toContain('a newer state waits to be saved');
  });

  it('the reason of a refusal is printed', async () => {
    problem = 'No Terraform state of the cluster has the resource a.b. `kubeloom state list CLUSTER` shows them.';
    expect(await kubeloom('state', 'show', 'stated', 'a.b')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    });
  });

  it('a simulated cluster has no state, and an unknown one is named', async () => {
    const simulated = await onPlatform(['state', 'list', 'stated']);
    expect(simulated).toMatchObject({ code: 5, stderr: expect.stringContaining('Terraform knows none of them') });
    expect(await onPlatform(['state', 'list', 'nothing'])).toMatchObject({ code: 4 });
  });
});
