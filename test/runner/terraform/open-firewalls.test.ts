/** Firewalls of clouds, which know addresses of machines only once those are made: a second, small pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { balancer, controlPool, dynamicPool, hetzner, staticPool, twoProviderState } from '#test/rendering/states.ts';
import { json, openRecordings, record, recordings, stateKey, template, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const second = { ...hetzner, name: 'hz-second' };
const workers = dynamicPool(
  { id: 'workers-bbbbbbb', nodes: [{ name: 'workers-bbbbbbb-01', privateAddress: '192.168.2.3' }] },
  { provider: second },
);
const state = twoProviderState({ pools: [controlPool, workers] });
/** Machines of `hz-second`, which already exist. */
const existing: ClusterFacts = {
  nodes: { 'workers-bbbbbbb-01': { publicAddress: '198.51.100.9' } },
  loadBalancers: {},
  simulated: [],
};
/** Two nodes of `hz-prod` answer under one address. */
const everyone = ['198.51.100.1/32', '198.51.100.2/32', '198.51.100.9/32'];
const stateKeys = { 'hz-prod': stateKey, 'hz-second': stateKey.replace('hz-prod', 'hz-second') };

const machines: StagePlan = {
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};

/** What Terraform would have left: the firewall of this instance was set for these. */
const kept = (name: keyof typeof stateKeys, peers: readonly string[]) =>
  world.ports.artifacts.putText(
    stateKeys[name],
    JSON.stringify({ version: 4, outputs: { peer_cidrs: { value: peers } } }),
  );
/** Each Terraform command as `<workspace> <command>`, plans with what they are limited to. */
const commands = () =>
  readFileSync(join(recordings, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [workspace = '', command = ''] = line.split(/: ?| /);
      return [workspace.replace('machines-', ''), command, ...(line.match(/-target=\S+/g) ?? [])].join(' ');
    });
const networkOf = (name: string) =>
  JSON.parse(readFileSync(join(recordings, `machines-${name}.json`), 'utf8')).module.network_fsn1;

beforeEach(async () => {
  await openRecordings();
  declare('cloud');
  await world.put(aDocument([machines], { target: state, before: null }), existing);
});
afterEach(() => world.close());

describe('firewalls after a grow', () => {
  it('firewalls let all new machines in, and the update targets only the networks', async () => {
    await kept('hz-prod', []);
    await kept('hz-second', everyone);
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    expect(commands()).toEqual([
      ...['init', 'plan', 'apply', 'output'].map((command) => `hz-prod ${command}`),
      'hz-prod init',
      'hz-prod plan -target=module.network_fsn1 -target=module.network_nbg1',
      'hz-prod apply',
      'hz-prod output',
    ]);
    expect(networkOf('hz-prod').peer_cidrs).toEqual(everyone);
    expect(await world.reported()).toContain(
      'FirewallUpdated: firewall of hz-prod updated: only current cluster nodes are allowed',
    );
  });

  it('a firewall that knows all machines is not updated', async () => {
    await kept('hz-prod', everyone);
    await kept('hz-second', everyone);
    await world.run('infrastructure');
    expect(commands()).toHaveLength(4);
  });

  it('a firewall of an instance without other work is updated too', async () => {
    await kept('hz-prod', everyone);
    await kept('hz-second', ['198.51.100.9/32']);
    await world.run('infrastructure');
    expect(commands().slice(4)).toEqual([
      'hz-second init',
      'hz-second plan -target=module.network_fsn1',
      'hz-second apply',
      'hz-second output',
    ]);
    expect(networkOf('hz-second').peer_cidrs).toEqual(everyone);
  });

  it('an instance without a state gets no firewall', async () => {
    await world.run('infrastructure');
    expect(commands()).toHaveLength(4);
  });

  it.each(['host', 'none'] as const)('no firewall is updated for types whose firewall is %s', async (firewall) => {
    declare(firewall);
    await kept('hz-prod', []);
    await kept('hz-second', []);
    await world.run('infrastructure');
    expect(commands()).toHaveLength(4);
  });

  it('a firewall allows all addresses when a static node can be behind NAT', async () => {
    await world.put(aDocument([machines], { target: { ...state, pools: [...state.pools, staticPool] } }), existing);
    await kept('hz-prod', ['0.0.0.0/0']);
    await kept('hz-second', []);
    await world.run('infrastructure');
    expect(networkOf('hz-prod').peer_cidrs).toEqual(['0.0.0.0/0']);
    expect(networkOf('hz-second').peer_cidrs).toEqual(['0.0.0.0/0']);
  });
});

describe('firewall updates that fail', () => {
  const refused = (summary: string) =>
    json([{ '@message': 'Error', type: 'diagnostic', diagnostic: { severity: 'error', summary, detail: '' } }]);

  beforeEach(async () => {
    await kept('hz-prod', everyone);
    await kept('hz-second', []);
    record('machines-hz-second.plan.code', '1');
  });

  it('a failed firewall update without other work is a warning when a retry would not help', async () => {
    record('machines-hz-second.plan.out', refused('unable to authenticate (unauthorized)'));
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    expect((await world.reported()).join('\n')).toMatch(
      /FirewallOutdated: the firewall of hz-second could not be updated .*unable to authenticate.*retries/,
    );
  });

  it('a failed firewall update is a warning when its templates cannot be fetched', async () => {
    const templates = `git:127.0.0.1:1/team/templates@${'a'.repeat(40)}#modules`;
    const lost = dynamicPool({ id: workers.id, nodes: workers.nodes }, { provider: { ...second, templates } });
    await world.put(
      aDocument([machines], { target: { ...state, pools: [controlPool, lost] }, before: null }),
      existing,
    );
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    expect((await world.reported()).join('\n')).toMatch(
      /FirewallOutdated: the firewall of hz-second could not be updated .*is in a private network.*retries/,
    );
  });

  it('a failed firewall update is retried with the stage when that may help', async () => {
    record('machines-hz-second.plan.out', refused('dial tcp: i/o timeout'));
    expect(await world.run('infrastructure')).toMatchObject({ ok: false, error: { class: 'transient' } });
  });
});

describe('firewalls after a shrink', () => {
  it('the addresses of deleted machines are no longer allowed', async () => {
    const fewer = {
      ...state,
      loadBalancers: [{ ...balancer, pools: [] }],
      pools: [{ ...controlPool, nodes: controlPool.nodes.slice(0, 1) }, workers],
    };
    const known = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'edge-ccccccc-01'].map(
      (name, at) => [name, { publicAddress: `198.51.100.${at + 1}` }] as const,
    );
    await world.put(aDocument([machines], { direction: 'shrink', before: state, target: fewer }), {
      ...existing,
      nodes: { ...existing.nodes, ...Object.fromEntries(known) },
    });
    await kept('hz-prod', everyone);
    await kept('hz-second', everyone);
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    const left = ['198.51.100.1/32', '198.51.100.9/32'];
    expect([networkOf('hz-prod').peer_cidrs, networkOf('hz-second').peer_cidrs]).toEqual([left, left]);
  });
});

function declare(firewall: 'cloud' | 'host' | 'none'): void {
  const provider = {
    name: 'hcloud',
    source: 'hetznercloud/hcloud',
    version: '1.60.0',
    credentials: { token: 'credentials' },
  };
  template('provider.json', { provider, firewall });
}
