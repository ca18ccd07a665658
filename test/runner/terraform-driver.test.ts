/** The infrastructure stage with a Terraform that prints what was recorded: machines. */

import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { selfInLocks } from '#runner/terraform/state-lock.ts';
import { hetzner, twoProviderState } from '#test/rendering/states.ts';
import {
  calls,
  host,
  json,
  nodes,
  openRecordings,
  record,
  recordings,
  stateKey,
  template,
  world,
} from './recorded-terraform.ts';
import { aDocument } from './stage-world.ts';

const machines = (destroy = false): StagePlan => ({
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] },
});

beforeEach(openRecordings);
afterEach(() => world.close());

describe('making machines', () => {
  beforeEach(() => world.put(aDocument([machines()])));

  it('plans, applies the saved plan, and comes back with addresses, counts and events', async () => {
    const result = await world.run('infrastructure');
    expect(result).toMatchObject({ ok: true, summary: { hostsCreated: 3, resourcesAdded: 3 } });
    expect(calls()).toEqual(['init', 'plan', 'apply', 'output']);
    expect((await world.facts()).nodes['control-aaaaaaa-02']).toEqual({
      publicAddress: '198.51.100.2',
      sshPort: 22,
      wireguardPort: 51820,
    });
    expect(await world.reported()).toEqual([
      'PlanMade: machines-hz-prod: 3 to add, 0 to change, 0 to remove',
      ...nodes.map((node) => `HostCreated: ${node} created in 4 s`),
    ]);
  });

  it('notes how a data disk is found, and which machines keep a firewall of their own', async () => {
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

  it('gives credentials by environment only, and shows them nowhere', async () => {
    await world.run('infrastructure');
    expect(readFileSync(join(recordings, 'environment'), 'utf8')).toContain(
      'TF_VAR_secret_credentials=very-secret-token',
    );
    expect(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8')).not.toContain('very-secret');
    expect(await world.log('infrastructure')).not.toContain('very-secret');
    expect(await world.log('infrastructure')).toContain('edge-ccccccc-01 created with ***');
  });

  it('makes one SSH key for each pool and uses it again', async () => {
    await world.run('infrastructure');
    const path = 'ssh/team/shop/shop-1234567/control-aaaaaaa';
    const first = await world.ports.secrets.get(path);
    await world.run('infrastructure');
    expect(await world.ports.secrets.get(path)).toEqual(first);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].ssh_public_key).toBe(first?.publickey);
    expect(await world.log('infrastructure')).not.toContain('PRIVATE KEY');
  });

  it('does not apply when there is nothing to change', async () => {
    record('plan.code', '0');
    record('plan.out', '');
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['init', 'plan', 'output']);
  });

  it('says which host failed and why', async () => {
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

  it('says in words what Terraform did last when it was killed', async () => {
    record('apply.code', '137');
    expect((await world.run('infrastructure')).error).toMatchObject({
      class: 'transient',
      message: expect.stringMatching(/^terraform ended with exit code 137: .*edge-ccccccc-01 created with \*\*\*$/),
    });
  });

  it('reads the box that a failed init prints', async () => {
    record('init.code', '1');
    record('init.err', '╷\n│ Error: Failed to query available provider packages\n│ \n│ dial tcp: i/o timeout\n╵\n');
    expect((await world.run('infrastructure')).error).toMatchObject({
      class: 'transient',
      code: 'TerraformInitFailed',
      message: 'Failed to query available provider packages: dial tcp: i/o timeout',
    });
  });

  it('says which Secret is missing before any tool starts', async () => {
    await world.ports.secrets.remove('user/team/hetzner-token');
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'credentials', code: 'SecretMissing', resource: 'provider hz-prod' });
    expect(existsSync(join(recordings, 'calls'))).toBe(false);
  });

  it('forgets what was known of a node that is recreated', async () => {
    const facts: ClusterFacts = {
      ...noFacts,
      nodes: { 'control-aaaaaaa-01': { wireguardPublicKey: 'old', bootId: 'old' } },
    };
    await world.put(aDocument([machines()]), facts);
    await world.run('infrastructure');
    expect((await world.facts()).nodes['control-aaaaaaa-01']).not.toHaveProperty('wireguardPublicKey');
  });

  it('asks the hook of the provider type what to replace, with what the state has', async () => {
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

  it('interrupts Terraform on cancel and never kills it first', async () => {
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

describe('a locked state', () => {
  const lock = (who: string) => JSON.stringify({ ID: 'lock-1', Operation: 'apply', Who: who });
  const owner = (who: string) => JSON.stringify({ who, waypoint: 'shop-abcde-g1-a0', build: 'terraform:7' });
  beforeEach(() => world.put(aDocument([machines()])));

  it('is freed when a build of ours left it, whose run is fenced off and so dead', async () => {
    await world.ports.artifacts.putText(`${stateKey}.tflock`, lock('root@build-7'));
    await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toContain('force-unlock -force -no-color lock-1');
    expect(await world.ports.artifacts.getText(`${stateKey}.owner`)).toContain(selfInLocks());
  });

  it('names a runner whose user has no name as Terraform does', () => {
    const nameless = () => {
      throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
    };
    expect(selfInLocks(nameless)).toBe(`@${hostname()}`);
  });

  it('is left alone when a person holds it', async () => {
    await world.ports.artifacts.putText(`${stateKey}.tflock`, lock('ada@laptop'));
    await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'conflict', code: 'StateLocked' });
    expect(error?.message).toContain('ada@laptop');
    expect(calls()).toEqual(['init']);
  });
});

describe('removing machines', () => {
  const document = aDocument([machines(true)], { direction: 'destroy', before: twoProviderState(), target: null });
  beforeEach(async () => {
    await world.put(document, { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } });
    template(
      'after-destroy.ts',
      `import { appendFileSync } from 'node:fs';
       appendFileSync(process.env.KUBELOOM_TEST_RECORDINGS + '/calls', 'hook: after-destroy\\n');`,
    );
  });

  it('plans the destruction of what exists, then removes state, keys and facts, and lets the hook sweep', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    await world.ports.secrets.put('ssh/team/shop/shop-1234567/control-aaaaaaa', { privatekey: 'x', publickey: 'y' });
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['init', 'plan', 'apply', 'after-destroy']);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toMatch(/plan -json .* -destroy$/m);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].count).toBe(0);
    expect(await world.ports.artifacts.list('terraform/')).toEqual([]);
    expect(await world.ports.secrets.list('ssh')).toEqual([]);
    expect((await world.facts()).nodes).toEqual({});
  });

  it('only lets the hook sweep when there is no state, and no machine is known', async () => {
    await world.put(document, noFacts);
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['after-destroy']);
  });

  it('refuses to succeed without its state while machines are known, and names them', async () => {
    const { ok, error } = await world.run('infrastructure');
    expect([ok, error?.class, error?.code]).toEqual([false, 'user', 'StateLost']);
    expect(error?.message).toContain(
      `${stateKey} is gone, but 1 machine of provider hz-prod is known: control-aaaaaaa-01`,
    );
    expect(error?.hint).toContain('--orphan all');
  });

  it('succeeds without its state when the machines that are known are orphaned', async () => {
    const plan = {
      ...machines(true),
      work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: true }], orphan: ['control-aaaaaaa-01'] },
    };
    await world.put(
      aDocument([plan as StagePlan], { direction: 'destroy', before: twoProviderState(), target: null }),
      {
        ...noFacts,
        nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } },
      },
    );
    expect((await world.run('infrastructure')).ok).toBe(true);
  });

  it('succeeds once more when it had destroyed everything and was cut off before it could say so', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    expect((await world.run('infrastructure')).ok).toBe(true);
    await world.put(document, { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } });
    expect((await world.run('infrastructure')).ok).toBe(true);
  });

  it('reports why the destroy failed, also when the hook fails then', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    record('plan.code', '1');
    record(
      'plan.out',
      json([
        {
          '@message': 'e',
          type: 'diagnostic',
          diagnostic: { severity: 'error', summary: 'quota exceeded', detail: '' },
        },
      ]),
    );
    template('after-destroy.ts', "console.error('the hook is broken, too'); process.exit(4);");
    expect(await world.run('infrastructure')).toMatchObject({
      ok: false,
      error: { class: 'quota', message: 'quota exceeded' },
    });
  });

  it('lets the hook sweep after a destroy that failed, and keeps the state', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    record('apply.code', '1');
    expect((await world.run('infrastructure')).ok).toBe(false);
    expect(calls()).toContain('after-destroy');
    expect(await world.ports.artifacts.getText(stateKey)).toBe('{}');
  });
});

describe('templates', () => {
  it('that this installation does not have are the user’s to change', async () => {
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
