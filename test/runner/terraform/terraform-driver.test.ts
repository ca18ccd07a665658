/** The infrastructure stage with a Terraform that prints what was recorded: machines that are created, changed and stopped. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { simulatedBootId, simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import { hetzner, twoProviderState } from '#test/rendering/states.ts';
import {
  calls,
  host,
  json,
  nodes,
  openRecordings,
  record,
  recordings,
  template,
  world,
} from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const machines = (destroy = false): StagePlan => ({
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] },
});

beforeEach(openRecordings);
afterEach(() => world.close());

describe('creation of machines', () => {
  beforeEach(() => world.put(aDocument([machines()])));

  it('a create plans, applies the saved plan, and returns addresses, counts and events', async () => {
    const result = await world.run('infrastructure');
    expect(result).toMatchObject({ ok: true, summary: { hostsCreated: 3, resourcesAdded: 3 } });
    expect(calls()).toEqual(['init', 'plan', 'apply', 'output']);
    expect((await world.facts()).nodes['control-aaaaaaa-02']).toEqual({
      publicAddress: '198.51.100.2',
      sshPort: 22,
      wireguardPort: 51820,
    });
    expect(await world.reported()).toEqual([
      'PlanMade: machines-hz-prod: resources of the cloud: 3 to add, 0 to change, 0 to remove',
      ...nodes.map((node) => `HostCreated: ${node} created in 4 s`),
    ]);
  });

  it('the facts record how a data disk is found, and which machines have their own firewall', async () => {
    template('provider.json', { firewall: 'host' });
    const made = (device?: string) => ({ public_address: '198.51.100.1', data_device: device ?? null });
    const pools = {
      'control-aaaaaaa': { 'control-aaaaaaa-01': made(), 'control-aaaaaaa-02': made('/dev/disk/by-id/*42*') },
      'edge-ccccccc': { 'edge-ccccccc-01': made() },
    };
    record('output.out', JSON.stringify({ nodes: { value: pools } }));
    expect((await world.run('infrastructure')).ok).toBe(true);
    const common = { publicAddress: '198.51.100.1', hostFirewall: true };
    expect((await world.facts()).nodes).toMatchObject({
      'control-aaaaaaa-01': common,
      'control-aaaaaaa-02': { ...common, dataDevice: '/dev/disk/by-id/*42*' },
    });
  });

  it('the facts record under which addresses nodes of one router reach each other', async () => {
    const made = (more: object) => ({ public_address: '198.51.100.1', ...more });
    const near = made({ local_address: '10.0.0.5', local_network: 'net-1' });
    const pools = {
      'control-aaaaaaa': { 'control-aaaaaaa-01': near, 'control-aaaaaaa-02': made({ local_address: '10.0.0.6' }) },
      'edge-ccccccc': { 'edge-ccccccc-01': made({}) },
    };
    record('output.out', JSON.stringify({ nodes: { value: pools } }));
    expect((await world.run('infrastructure')).ok).toBe(true);
    const { nodes } = await world.facts();
    expect(nodes['control-aaaaaaa-01']?.local).toEqual({ network: 'net-1', address: '10.0.0.5' });
    expect([nodes['control-aaaaaaa-02']?.local, nodes['edge-ccccccc-01']?.local]).toEqual([undefined, undefined]);
  });

  it('credentials are passed in the environment only, and shown nowhere', async () => {
    await world.run('infrastructure');
    expect(readFileSync(join(recordings, 'environment'), 'utf8')).toContain(
      'TF_VAR_secret_credentials=very-secret-token',
    );
    expect(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8')).not.toContain('very-secret');
    expect(await world.log('infrastructure')).not.toContain('very-secret');
    expect(await world.log('infrastructure')).toContain('edge-ccccccc-01 created with ***');
  });

  it('each pool gets one SSH key, which is used again', async () => {
    await world.run('infrastructure');
    const path = 'ssh/team/shop/shop-1234567/control-aaaaaaa';
    const first = await world.ports.secrets.get(path);
    await world.run('infrastructure');
    expect(await world.ports.secrets.get(path)).toEqual(first);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].ssh_public_key).toBe(first?.publickey);
    expect(await world.log('infrastructure')).not.toContain('PRIVATE KEY');
  });

  it('a key of a pool whose public half is lost is used again, and a key without its private half is reported as damaged', async () => {
    await world.run('infrastructure');
    const path = 'ssh/team/shop/shop-1234567/control-aaaaaaa';
    const { privatekey = '', publickey = '' } = (await world.ports.secrets.get(path)) ?? {};
    await world.ports.secrets.put(path, { privatekey });
    expect((await world.run('infrastructure')).ok).toBe(true);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].ssh_public_key).toBe(publickey);
    const halves: Record<string, string>[] = [{ publickey }, { privatekey: privatekey.slice(0, 60) }];
    for (const damaged of halves) {
      await world.ports.secrets.put(path, damaged);
      const { error } = await world.run('infrastructure');
      expect(error).toMatchObject({ code: 'SshKeyDamaged', resource: 'control-aaaaaaa' });
      expect(error?.hint).toContain('remove the pool from the manifest and add it again');
      expect(await world.ports.secrets.get(path)).toEqual(damaged);
    }
  });

  it('a plan without changes is not applied', async () => {
    record('plan.code', '0');
    record('plan.out', '');
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['init', 'plan', 'output']);
  });

  it('a failed host is reported with the reason', async () => {
    record('apply.code', '1');
    record(
      'apply.out',
      json([
        {
          '@message': 'Error: error during placement',
          type: 'diagnostic',
          diagnostic: {
            severity: 'error',
            summary: 'error during placement (resource_unavailable, 1f)',
            detail: '',
            address: host('control-aaaaaaa-02'),
          },
        },
      ]),
    );
    expect((await world.run('infrastructure')).error).toMatchObject({
      class: 'capacity',
      code: 'TerraformApplyFailed',
      resource: 'control-aaaaaaa-02',
      message: 'error during placement (resource_unavailable, 1f)',
    });
  });

  it('a killed Terraform is reported with the last thing it did', async () => {
    record('apply.code', '137');
    expect((await world.run('infrastructure')).error).toMatchObject({
      class: 'transient',
      message: expect.stringMatching(/^terraform ended with exit code 137: .*edge-ccccccc-01 created with \*\*\*$/),
    });
  });

  it('the error box of a failed init is read', async () => {
    record('init.code', '1');
    record('init.err', '╷\n│ Error: Failed to query available provider packages\n│ \n│ dial tcp: i/o timeout\n╵\n');
    expect((await world.run('infrastructure')).error).toMatchObject({
      class: 'platform',
      code: 'TerraformInitFailed',
      message: 'Failed to query available provider packages: dial tcp: i/o timeout',
    });
  });

  it('a missing Secret is named before any tool starts', async () => {
    await world.ports.secrets.remove('user/team/hetzner-token');
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'credentials', code: 'SecretMissing', resource: 'provider hz-prod' });
    expect(existsSync(join(recordings, 'calls'))).toBe(false);
  });

  it('the facts of a recreated node are deleted', async () => {
    const facts: ClusterFacts = {
      ...noFacts,
      nodes: {
        'control-aaaaaaa-01': { wireguardPublicKey: simulatedPublicKey('old'), bootId: simulatedBootId('old') },
      },
    };
    await world.put(aDocument([machines()]), facts);
    await world.run('infrastructure');
    expect((await world.facts()).nodes['control-aaaaaaa-01']).not.toHaveProperty('wireguardPublicKey');
  });

  it('the hook of a provider type decides what to replace, from the resources in the state', async () => {
    const resource = {
      address: host('edge-ccccccc-01'),
      type: 'hcloud_server',
      index: 'edge-ccccccc-01',
      values: { id: '7' },
    };
    const module = { child_modules: [{ resources: [resource] }] };
    record('show.out', JSON.stringify({ values: { root_module: module } }));
    template(
      'before-apply.ts',
      `import { readFileSync } from 'node:fs';
       const { resources, provider } = JSON.parse(readFileSync(0, 'utf8'));
       console.log(JSON.stringify({ replace: provider === 'hz-prod' ? resources.map((r) => r.address) : [] }));`,
    );
    await world.run('infrastructure');
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toContain(`-replace=${host('edge-ccccccc-01')}`);
  });

  it('an apply that is stopped may end after other tools would have been killed', async () => {
    record('slow-end', '');
    record('hang', '');
    const stop = new AbortController();
    const append = world.ports.events.append.bind(world.ports.events);
    world.ports.events.append = async (key, events) => {
      await append(key, events);
      if (events.some(({ kind }) => kind === 'HostCreated')) stop.abort();
    };
    await world.run('infrastructure', { signal: stop.signal, graceMs: 20 });
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toContain('interrupted');
  });

  it('a cancelled Terraform is interrupted first and not killed', async () => {
    record('hang', '');
    const stop = new AbortController();
    const append = world.ports.events.append.bind(world.ports.events);
    world.ports.events.append = async (key, events) => {
      await append(key, events);
      if (events.some(({ kind }) => kind === 'HostCreated')) stop.abort();
    };
    const result = await world.run('infrastructure', { signal: stop.signal });
    expect(result.error?.code).toBe('StageCancelled');
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toContain('interrupted');
  });
});

describe('templates', () => {
  it('missing templates are a failure of class user', async () => {
    const target = twoProviderState();
    const foreign = { ...hetzner, type: 'vapor' };
    const pools = target.pools.map((pool) =>
      pool.source.kind === 'dynamic' && pool.source.provider.name === 'hz-prod'
        ? { ...pool, source: { ...pool.source, provider: foreign } }
        : pool,
    );
    await world.put(aDocument([machines()], { target: { ...target, pools, loadBalancers: [] } }));
    expect((await world.run('infrastructure')).error).toMatchObject({ class: 'user', code: 'TemplatesMissing' });
  });
});
