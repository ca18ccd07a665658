/** `kubeloom state` with an API that answers for the runner: what is asked, what a person sees, and what is edited. */
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
/** Bodies of edits. */
let edited: unknown[];
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
    if (url.endsWith('/state-edits')) {
      edited.push(JSON.parse(body));
      const run = { generation: 1, attempt: 1, runId: 'stated-abcde-g1-d1', unchanged: false, paused: false };
      response.statusCode = 202;
      response.end(JSON.stringify({ ...place, ...run, status: 'Pending', warnings: [], links: {} }));
      return;
    }
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
  edited = [];
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

  describe('edits', () => {
    const other = 'module.pool_x.hcloud_server.node["web-02"]';
    const change = { kind: 'rm', addresses: [address] };

    it('an edit with --plan is shown with what the next run does, and nothing is done', async () => {
      const shown = await kubeloom('state', 'rm', 'stated', 'module.pool_x', '--plan');
      expect(shown.code).toBe(0);
      expect(shown.stdout).toContain('the Terraform state machines-hetzner: 1 resource removed');
      expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain(
        `Terraform no longer manages ${address}, which keeps existing`,
      );
      expect(shown.stdout).toContain('creates a second one');
      const json = JSON.parse((await kubeloom('state', 'rm', 'stated', address, '--plan', '--json')).stdout);
      expect(json).toMatchObject({ workspace: 'machines-hetzner', serial: 7, change, texts: expect.any(Array) });
      expect(edited).toEqual([]);
    });

    it('an edit without a terminal is not made unless --yes says so', async () => {
      for (const words of [
        ['rm', 'stated', address],
        ['mv', 'stated', address, other],
        ['import', 'stated', other, '5'],
      ]) {
        const { code, stdout, stderr } = await kubeloom('state', ...words);
        expect([code, edited]).toEqual([9, []]);
        expect(stdout).toContain('the Terraform state machines-hetzner');
        expect(stderr).toContain('nothing was changed');
      }
    });

    it('an edit with --yes is requested, of the state that was read', async () => {
      const about = { workspace: 'machines-hetzner', serial: 7 };
      expect(await kubeloom('state', 'rm', 'stated', address, '--yes')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('stated-abcde-g1-d1'),
      });
      await kubeloom('state', 'mv', 'stated', address, other, '--yes');
      await kubeloom('state', 'import', 'stated', other, '4712', '--yes');
      expect(edited).toEqual([
        { ...about, change },
        { ...about, change: { kind: 'mv', from: address, to: other } },
        { ...about, change: { kind: 'import', address: other, id: '4712' } },
      ]);
    });

    it('what cannot be meant is refused with all faults, before anything is requested', async () => {
      const { code, stderr } = await kubeloom('state', 'rm', 'stated', 'module.pool_y', 'a.b', '--yes');
      expect(code).toBe(3);
      expect(stderr).toMatch(/no Terraform state has module\.pool_y[\s\S]*no Terraform state has a\.b/);
      const option = await kubeloom('state', 'import', 'stated', other, '--yes', '--', '-config=/tmp');
      expect([option.code, edited]).toEqual([3, []]);
      workspaces = [{ workspace: 'machines-hetzner', serial: 7, waits: true, resources: [row] }];
      expect(await kubeloom('state', 'rm', 'stated', address, '--yes')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('waits to be saved'),
      });
    });
  });

  it('a simulated cluster has no state, and an unknown one is named', async () => {
    const simulated = await onPlatform(['state', 'list', 'stated']);
    expect(simulated).toMatchObject({ code: 5, stderr: expect.stringContaining('Terraform knows none of them') });
    expect(await onPlatform(['state', 'list', 'nothing'])).toMatchObject({ code: 4 });
  });
});
