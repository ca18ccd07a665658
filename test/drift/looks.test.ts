import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkWorkspaces } from '#runner/drift/check-workspaces.ts';
import type { Findings } from '#runner/drift/findings.ts';

import {
  all,
  calls,
  changedOutside,
  kubectlLooks,
  live,
  look,
  machinesOf,
  members,
  mesh,
  openLooks,
  planned,
  record,
  replaced,
  say,
  workspaceOf,
  workspaces,
  world,
} from './recorded-looks.ts';

beforeEach(openLooks);
afterEach(() => world.close());

/** Those of the kubeconfig. */
const longLived = { from: '2025-01-01T00:00:00.000Z', until: '2124-01-01T00:00:00.000Z' };

describe('a check', () => {
  it('a check without findings reports nothing, and only ever plans, without a lock', async () => {
    const health = members.map((node) => ({ node, health: 'healthy' }));
    const expiries = ['kubeconfig', '/etc/kubernetes/pki/ca.crt'].map((what) => ({ ...longLived, what }));
    expect(await look()).toEqual({ schema: 1, items: [], unchecked: [], health, expiries });
    expect(workspaces().filter((name) => name.startsWith('dns'))).toHaveLength(1);
    expect(workspaces().length).toBeGreaterThanOrEqual(3);
    expect(calls()).not.toMatch(/: (apply|destroy|force-unlock|state) /);
    const plans = calls()
      .split('\n')
      .filter((line) => line.includes(': plan '));
    expect(plans).toHaveLength(workspaces().length);
    for (const line of plans) expect(line).toContain('-detailed-exitcode -lock=false');
    expect(calls().match(/^ssh: /gm)).toHaveLength(all.length);
  });

  it('a deleted machine is reported once, without its silence and its firewall', async () => {
    await look();
    const workspace = workspaceOf('workers');
    record(
      `${workspace}.out`,
      planned(['create', machinesOf('workers-bbbbbbb-01')], ['update', 'module.network_x.hcloud_firewall.nodes']),
    );
    record(`${workspace}.code`, '2');
    say([
      ...mesh(Object.fromEntries(all.map((name) => [name, ['workers-bbbbbbb-01']]))).filter(
        (event) => !JSON.stringify(event).includes('"host":"workers'),
      ),
      { event: 'unreachable', host: 'workers-bbbbbbb-01', message: 'no route to host' },
    ]);
    live({ 'workers-bbbbbbb-01': { ready: 'Unknown' } });
    const { items } = await look();
    expect(items).toMatchObject([
      { kind: 'machine', where: { node: 'workers-bbbbbbb-01' }, repairable: true, gone: true },
    ]);
  });

  it('a check says of which machines only what joins them to something is missing', async () => {
    await look();
    const workspace = workspaceOf('workers');
    const part = (type: string) => machinesOf('workers-bbbbbbb-01').replace('hcloud_server', type);
    record(`${workspace}.code`, '2');
    record(`${workspace}.out`, planned(['create', part('hcloud_volume_attachment')]));
    const partly = async (): Promise<unknown> => {
      let found: Findings | undefined;
      await world.checkDrift([async (context) => (found = await checkWorkspaces(context))]);
      return found?.partly;
    };
    expect(await partly()).toEqual(new Set(['workers-bbbbbbb-01']));
    record(
      `${workspace}.out`,
      planned(['create', part('hcloud_volume_attachment')], ['create', part('hcloud_server')]),
    );
    expect(await partly()).toEqual(new Set());
  });

  it('a check never destroys an existing machine, nor applies anything that would', async () => {
    await look();
    const workspace = workspaceOf('workers');
    const worker = machinesOf('workers-bbbbbbb-01');
    record(`${workspace}.code`, '2');
    record(`${workspace}.out`, changedOutside(worker) + replaced(worker, 'cannot_update'));
    const { items } = await look();
    expect(items).toMatchObject([{ kind: 'machine', where: { node: 'workers-bbbbbbb-01' }, repairable: false }]);
    expect(items[0]).not.toHaveProperty('gone');
    expect(items[0]?.message).toMatch(/was changed \(replace .*undoing that would destroy it.*replace its pool/);
    record(`${workspace}.out`, replaced(worker, 'requested'));
    expect((await look()).items).toMatchObject([{ kind: 'machine', repairable: true }]);
    const controls = workspaceOf('control');
    const [existing, gone] = [machinesOf('control-aaaaaaa-01'), machinesOf('control-aaaaaaa-02')];
    record(`${controls}.code`, '2');
    record(`${controls}.out`, `${replaced(existing, 'cannot_update')}\n${planned(['create', gone])}`);
    const { items: found, health = [] } = await look();
    expect(found.filter(({ where }) => where.pool === 'control')).toMatchObject([
      { kind: 'machine', repairable: false },
      { kind: 'machine', repairable: false },
    ]);
    const lost = health.filter((one) => one.health === 'gone');
    // Kubernetes may not know it yet, or only a part of the machine is gone.
    expect(lost).toEqual([
      { node: 'control-aaaaaaa-02', health: 'gone', ready: true },
      { node: 'workers-bbbbbbb-01', health: 'gone', ready: true },
    ]);
    live({ 'workers-bbbbbbb-01': { ready: 'Unknown' } });
    const { health: later } = await look();
    expect(later).toContainEqual({ node: 'workers-bbbbbbb-01', health: 'gone' });
  });

  it('a check distinguishes newer templates from changes by others, and ignores moves', async () => {
    await look();
    const workspace = workspaceOf('control');
    const firewall = 'module.network_x.hcloud_firewall.nodes';
    record(`${workspace}.code`, '2');
    record(`${workspace}.out`, planned(['update', firewall]));
    expect((await look()).items[0]?.message).toContain(
      'would be created differently now, by newer templates or options',
    );
    record(`${workspace}.out`, changedOutside(firewall) + planned(['update', firewall]));
    expect((await look()).items[0]?.message).toContain('differ from what was created');
    record(`${workspace}.out`, planned(['move', firewall]));
    expect((await look()).items).toEqual([]);
  });

  it('a changed network, or names of load balancers, are one finding each', async () => {
    await look();
    const workspace = workspaceOf('control');
    record(
      `${workspace}.out`,
      planned(['update', 'module.network_x.hcloud_firewall.nodes'], ['update', 'module.network_x.hcloud_network.net']),
    );
    record(`${workspace}.code`, '2');
    const [names = ''] = workspaces().filter((name) => name.startsWith('dns'));
    record(
      `${names}.out`,
      planned(['update', 'module.dns.cloudflare_record.a'], ['create', 'module.dns.cloudflare_record.b']),
    );
    record(`${names}.code`, '2');
    const { items } = await look();
    expect(items.map(({ kind, where }) => ({ kind, ...where }))).toEqual([
      { kind: 'network', provider: workspace.replace('machines-', '') },
      { kind: 'dns', name: 'lb' },
    ]);
    expect(items[0]?.message).toContain('update module.network_x.hcloud_firewall.nodes');
  });

  it('a peer that does not answer is reported, and a node without SSH as not repairable', async () => {
    say([
      ...mesh({ 'control-aaaaaaa-01': ['edge-ccccccc-01'] }).filter(
        (event) => !JSON.stringify(event).includes('"host":"basement'),
      ),
      { event: 'unreachable', host: 'basement-01', message: 'connection refused' },
    ]);
    const { items } = await look();
    expect(items).toMatchObject([
      { kind: 'mesh', where: { node: 'basement-01' }, repairable: false },
      { kind: 'mesh', where: { node: 'control-aaaaaaa-01' }, repairable: true },
    ]);
    expect(items[1]?.message).toBe('control-aaaaaaa-01 does not reach edge-ccccccc-01 over WireGuard');
  });

  it('a peer too many is reported, and a load balancer that does not serve its roles', async () => {
    say([
      ...mesh(),
      { event: 'facts', host: 'basement-01', surplus: ['192.168.2.99/32'] },
      { event: 'facts', host: 'control-aaaaaaa-01', surplus: [] },
      { event: 'facts', host: 'edge-ccccccc-01', roles: ['haproxy does not run', 'the kernel has no UDP roles'] },
    ]);
    const { items } = await look();
    expect(items).toMatchObject([
      { kind: 'mesh', where: { node: 'basement-01' }, repairable: true },
      { kind: 'traffic', where: { node: 'edge-ccccccc-01', name: 'lb' }, repairable: true },
    ]);
    expect(items.map(({ message }) => message)).toEqual([
      'basement-01 has WireGuard peers that are not of this cluster: 192.168.2.99/32',
      'load balancer lb, edge-ccccccc-01: haproxy does not run, the kernel has no UDP roles',
    ]);
  });

  it('a node whose proxy settings differ is reported with the places, by whether the cluster has a proxy', async () => {
    say([...mesh(), { event: 'facts', host: 'basement-01', proxy: ['apt', 'environment', 'kubelet'] }]);
    const { items } = await look();
    expect(items).toEqual([
      {
        kind: 'proxy',
        where: { node: 'basement-01', pool: 'basement' },
        message: expect.stringMatching(
          /^basement-01 .*installation proxy.*: apt, \/etc\/environment, the unit of kubelet$/,
        ),
        repairable: true,
      },
    ]);
  });

  it('an incomplete mesh is checked twice, and a node that was silent once is not reported', async () => {
    const unreached = { event: 'unreachable', host: 'basement-01', message: 'Connection timed out' };
    const others = mesh({ 'control-aaaaaaa-01': ['edge-ccccccc-01'] }).filter(
      (event) => !JSON.stringify(event).includes('"host":"basement'),
    );
    say([...others, unreached], 'mesh-first');
    say(mesh({ 'control-aaaaaaa-01': ['edge-ccccccc-01'] }));
    expect((await look()).items.map(({ where }) => where.node)).toEqual(['control-aaaaaaa-01']);
    expect(calls().match(/^ssh: /gm)).toHaveLength(2 * all.length);
  });

  it('a missing, NotReady or outdated node is reported, and a newer kubelet never downgraded', async () => {
    live({
      'control-aaaaaaa-01': { version: 'v1.33.9' },
      'control-aaaaaaa-02': { version: 'v1.35.0' },
      'workers-bbbbbbb-01': { ready: 'False' },
      'basement-01': null,
    });
    const { items } = await look();
    expect(items.map(({ kind, where: { node }, repairable }) => ({ kind, node, repairable }))).toEqual([
      { kind: 'version', node: 'control-aaaaaaa-01', repairable: true },
      { kind: 'version', node: 'control-aaaaaaa-02', repairable: false },
      { kind: 'node', node: 'workers-bbbbbbb-01', repairable: true },
      { kind: 'node', node: 'basement-01', repairable: true },
    ]);
  });

  it('the health of a node is its state in Kubernetes, since when, and whether it is locked', async () => {
    const labels = { 'kubeloom.dev/upgrade-lock': '' };
    const metadata = { creationTimestamp: '2026-11-01T08:00:00Z' };
    const ready = { type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-11-20T11:00:00Z' };
    const items = [
      {
        metadata: { ...metadata, name: 'control-aaaaaaa-01', labels },
        status: { conditions: [{ ...ready, status: 'True' }] },
      },
      { metadata: { ...metadata, name: 'workers-bbbbbbb-01' }, status: { conditions: [ready] } },
    ];
    record('nodes', JSON.stringify({ items }));
    const createdAt = '2026-11-01T08:00:00.000Z';
    expect((await look()).health).toEqual([
      { node: 'control-aaaaaaa-01', health: 'healthy', createdAt, locked: true },
      { node: 'control-aaaaaaa-02', health: 'notReady' },
      { node: 'workers-bbbbbbb-01', health: 'notReady', createdAt, since: '2026-11-20T11:00:00.000Z' },
      { node: 'basement-01', health: 'notReady' },
    ]);
  });

  it('an API that fails to answer twice is reported', async () => {
    record('api-down', '');
    const { items, health } = await look();
    expect(items).toMatchObject([{ kind: 'node', where: { name: 'API' }, repairable: false }]);
    expect(health).toEqual(members.map((node) => ({ node, health: 'unknown' })));
    expect(kubectlLooks()).toBe(2);
  });

  it('a node with a problem is checked twice, and is in order if the second check is', async () => {
    expect((await look()).items).toEqual([]);
    expect(kubectlLooks()).toBe(1);
    live({ 'workers-bbbbbbb-01': { ready: 'Unknown' }, 'basement-01': { ready: 'False' } }, 'nodes-first');
    live({ 'basement-01': { ready: 'False' }, 'control-aaaaaaa-01': { ready: 'False' } });
    expect((await look()).items.map(({ where }) => where.node)).toEqual(['basement-01']);
    expect(kubectlLooks()).toBe(3);
  });

  it('a check reports what it could not check, and checks the rest, without secrets', async () => {
    await look();
    const workspace = workspaceOf('workers');
    const diagnostic = { severity: 'error', summary: 'invalid token very-secret-token', detail: '' };
    record(`${workspace}.out`, JSON.stringify({ '@message': 'x', type: 'diagnostic', diagnostic }));
    record(`${workspace}.code`, '1');
    say(mesh({ 'control-aaaaaaa-01': ['edge-ccccccc-01'] }));
    const report = await look();
    expect(report.items).toHaveLength(1);
    expect(report.unchecked).toHaveLength(1);
    expect(report.unchecked[0]).toContain('invalid token ***');
    expect(JSON.stringify(report)).not.toContain('very-secret-token');
  });

  it('a check that cannot check anything reports every part as unchecked', async () => {
    await look();
    for (const workspace of workspaces()) record(`${workspace}.code`, '1');
    world.set('KUBELOOM_SSH', join(world.directory, 'no-ssh'));
    await world.ports.artifacts.remove('kubeconfigs/team/shop/shop-1234567');
    const report = await look();
    expect(report.items).toEqual([]);
    expect(report.unchecked.length).toBeGreaterThanOrEqual(3);
  });
});
