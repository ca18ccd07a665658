/** The infrastructure stage with a Terraform that prints what was recorded: DNS names, and nodes that are orphaned. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsState, noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { hetzner, twoProviderState } from '#test/rendering/states.ts';
import { calls, host, nodes, openRecordings, record, recordings, stateKey, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

beforeEach(openRecordings);
afterEach(() => world.close());

describe('DNS names', () => {
  const names: StagePlan = {
    stage: 'infrastructure',
    reasons: [],
    work: { workspaces: [{ kind: 'dns', name: 'lb-ddddddd', destroy: false }] },
  };

  it('DNS names get the addresses of the load balancer and become its endpoint', async () => {
    const facts = { ...noFacts, nodes: { 'edge-ccccccc-01': { publicAddress: '198.51.100.5' } } };
    await world.put(aDocument([names]), facts);
    record(
      'output.out',
      JSON.stringify({ endpoint: { value: 'shop.example.com.' }, alternative_endpoints: { value: {} } }),
    );
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect((await world.facts()).loadBalancers).toEqual({ lb: { endpoint: 'shop.example.com' } });
    const root = JSON.parse(readFileSync(join(recordings, 'dns-lb-ddddddd-hz-prod.json'), 'utf8'));
    expect(root.module.dns).toMatchObject({ hostname: 'shop', addresses: ['198.51.100.5'] });
  });
});

describe('DNS names that change their provider instance', () => {
  const names: StagePlan = {
    stage: 'infrastructure',
    reasons: [],
    work: { workspaces: [{ kind: 'dns', name: 'lb-ddddddd', destroy: false }] },
  };
  const key = (provider: string) => `terraform/team/shop/shop-1234567/dns-lb-ddddddd-${provider}.tfstate`;
  const at = (change: Partial<DnsState>) => {
    const state = twoProviderState();
    return { ...state, loadBalancers: state.loadBalancers.map((one) => ({ ...one, dns: { ...one.dns, ...change } })) };
  };
  const move = async (target: ReturnType<typeof at>) => {
    const facts = { ...noFacts, nodes: { 'edge-ccccccc-01': { publicAddress: '198.51.100.5' } } };
    await world.put(aDocument([names], { direction: 'move', before: twoProviderState(), target }), facts);
    await world.ports.artifacts.putText(key('hz-prod'), '{}');
    record('output.out', JSON.stringify({ endpoint: { value: 'x.example.com' } }));
    expect((await world.run('infrastructure')).ok).toBe(true);
    const lines = readFileSync(join(recordings, 'calls'), 'utf8').split('\n');
    return lines.filter((line) => line.includes(': apply')).map((line) => line.split(':')[0]);
  };

  it('new DNS names are created before their old provider instance deletes the old ones', async () => {
    const other = { ...hetzner, name: 'hz-other' };
    expect(await move(at({ provider: other, hostname: 'store' }))).toEqual([
      'dns-lb-ddddddd-hz-other',
      'dns-lb-ddddddd-hz-prod',
    ]);
    expect(JSON.parse(readFileSync(join(recordings, 'dns-lb-ddddddd-hz-prod.json'), 'utf8')).module.dns.count).toBe(0);
    expect(await world.ports.artifacts.getText(key('hz-prod'))).toBeUndefined();
    expect((await world.facts()).loadBalancers).toEqual({ lb: { endpoint: 'x.example.com' } });
  });

  it('old DNS names are deleted first when the same name cannot exist twice', async () => {
    const other = { ...hetzner, name: 'hz-other' };
    expect(await move(at({ provider: other }))).toEqual(['dns-lb-ddddddd-hz-prod', 'dns-lb-ddddddd-hz-other']);
  });
});

describe('orphaned nodes', () => {
  const node = 'control-aaaaaaa-01';
  const shown = (...resources: readonly { address: string; index?: string }[]) =>
    record(
      'show.out',
      JSON.stringify({ values: { root_module: { resources: resources.map((one) => ({ type: 'x', ...one })) } } }),
    );
  const work = (destroy: boolean): StagePlan => ({
    stage: 'infrastructure',
    reasons: [],
    work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }], orphan: [node] },
  });
  const forgotten = () =>
    /state rm -lock-timeout=30s (.*)/.exec(readFileSync(join(recordings, 'calls'), 'utf8'))?.[1]?.split(' ');

  it('orphaned nodes are removed from the Terraform state before the plan, and reported', async () => {
    const target = twoProviderState();
    const pools = target.pools.map((pool) => ({ ...pool, nodes: pool.nodes.filter(({ name }) => name !== node) }));
    await world.put(aDocument([work(false)], { direction: 'shrink', before: target, target: { ...target, pools } }));
    shown(
      { address: host(node), index: node },
      { address: host(nodes[1] ?? ''), index: nodes[1] ?? '' },
      { address: 'module.network_fsn1.x.y' },
    );
    const edge = {
      'control-aaaaaaa': { 'control-aaaaaaa-02': { public_address: '1.2.3.4' } },
      'edge-ccccccc': { 'edge-ccccccc-01': { public_address: '1.2.3.5' } },
    };
    record('output.out', JSON.stringify({ nodes: { value: edge } }));
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(forgotten()).toEqual([host(node)]);
    expect(calls()).toEqual(['init', 'show', 'state', 'plan', 'apply', 'output']);
    expect((await world.reported()).filter((line) => line.startsWith('NodeOrphaned'))).toEqual([
      expect.stringContaining(node),
    ]);
  });

  it('resources that orphaned nodes depend on are kept when everything else is deleted', async () => {
    await world.put(aDocument([work(true)], { direction: 'destroy', before: twoProviderState(), target: null }));
    await world.ports.artifacts.putText(stateKey, '{}');
    const existing = ['module.network_fsn1.x.y', 'module.pool_control-aaaaaaa.x.firewall'];
    const goes = ['module.network_nbg1.x.y', 'module.pool_edge-ccccccc.x.firewall'];
    shown(
      { address: host(node), index: node },
      { address: host(nodes[1] ?? ''), index: nodes[1] ?? '' },
      ...[...existing, ...goes].map((address) => ({ address })),
    );
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(forgotten()).toEqual([host(node), ...existing]);
  });
});
