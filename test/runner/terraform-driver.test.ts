/** The infrastructure stage with a Terraform that prints what was recorded. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterFacts, type DnsState, noFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { selfInLocks } from '#runner/terraform/state-lock.ts';
import { hetzner, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

/** Notes its calls, prints `<command>.out` and `.err` of the recordings, ends with `<command>.code`. */
const fakeTerraform = `#!/bin/bash
recordings=\${KUBELOOM_TEST_RECORDINGS:?}
echo "$(basename "$PWD"): $*" >> "$recordings/calls"
[ "$1" = init ] && cp main.tf.json "$recordings/$(basename "$PWD").json" && env > "$recordings/environment"
[ "$1" = apply ] && [ -e "$recordings/hang" ] && { trap 'echo interrupted >> "$recordings/calls"; exit 1' INT
  head -n 1 "$recordings/apply.out"; while :; do sleep 0.02; done; }
cat "$recordings/$1.out" 2>/dev/null
cat "$recordings/$1.err" >&2 2>/dev/null
exit "$(cat "$recordings/$1.code" 2>/dev/null || echo 0)"
`;

const stateKey = 'terraform/team/shop/shop-1234567/machines-hz-prod.tfstate';
const host = (node: string) => `module.pool_${node.slice(0, -3)}.hcloud_server.node["${node}"]`;
const nodes = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'edge-ccccccc-01'];
const machines = (destroy = false): StagePlan => ({
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] },
});
const json = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join('\n');

let world: StageWorld;
let recordings: string;
const record = (name: string, text: string) => writeFileSync(join(recordings, name), text);
const calls = () =>
  readFileSync(join(recordings, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^[^:]+: /, '').split(' ')[0]);

beforeEach(async () => {
  world = stageWorld();
  recordings = join(world.directory, 'recordings');
  mkdirSync(join(world.templates, 'terraform', 'hetzner'), { recursive: true });
  mkdirSync(recordings);
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_TERRAFORM', world.script('terraform', fakeTerraform));
  template('provider.json', {
    provider: {
      name: 'hcloud',
      source: 'hetznercloud/hcloud',
      version: '1.60.0',
      credentials: { token: 'credentials' },
    },
  });
  await world.ports.secrets.put('user/team/hetzner-token', { credentials: 'very-secret-token' });
  record('show.out', '{"format_version":"1.0"}');
  record('plan.code', '2');
  record(
    'plan.out',
    json([
      ...nodes.map((node) => ({
        '@message': 'plan',
        type: 'planned_change',
        change: { resource: { addr: host(node) }, action: 'create' },
      })),
      {
        '@message': 'Plan: 3 to add',
        type: 'change_summary',
        changes: { add: 3, change: 0, remove: 0, operation: 'plan' },
      },
    ]),
  );
  record(
    'apply.out',
    json(
      nodes.map((node) => ({
        '@message': `${node} created with very-secret-token`,
        type: 'apply_complete',
        hook: { resource: { addr: host(node) }, action: 'create', elapsed_seconds: 4 },
      })),
    ),
  );
  const output = { 'control-aaaaaaa': nodes.slice(0, 2), 'edge-ccccccc': nodes.slice(2) };
  const value = Object.fromEntries(
    Object.entries(output).map(([pool, names]) => [
      pool,
      Object.fromEntries(
        names.map((name, at) => [
          name,
          { public_address: `198.51.100.${at + 1}`, ssh_port: 22, wireguard_port: 51820 },
        ]),
      ),
    ]),
  );
  record('output.out', JSON.stringify({ nodes: { value, sensitive: false } }));
});
afterEach(() => world.close());

function template(name: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(world.templates, 'terraform', 'hetzner', name), text);
}

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
    expect(await world.told()).toEqual([
      'PlanMade: machines-hz-prod: 3 to add, 0 to change, 0 to remove',
      ...nodes.map((node) => `HostCreated: ${node} created in 4 s`),
    ]);
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

  it('tells which host failed and why', async () => {
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

  it('forgets what was known of a node that is made anew', async () => {
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
    await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', 'kubeconfig');
    template(
      'after-destroy.ts',
      `import { appendFileSync } from 'node:fs';
       appendFileSync(process.env.KUBELOOM_TEST_RECORDINGS + '/calls', 'hook: after-destroy\\n');`,
    );
  });

  it('plans the destruction of what stands, then removes state, keys, facts and kubeconfig, and lets the hook sweep', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    await world.ports.secrets.put('ssh/team/shop/shop-1234567/control-aaaaaaa', { privatekey: 'x', publickey: 'y' });
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['init', 'plan', 'apply', 'after-destroy']);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toMatch(/plan -json .* -destroy$/m);
    const root = JSON.parse(readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'));
    expect(root.module['pool_control-aaaaaaa'].count).toBe(0);
    expect(await world.ports.artifacts.list('terraform/')).toEqual([]);
    expect(await world.ports.artifacts.list('kubeconfigs/')).toEqual([]);
    expect(await world.ports.secrets.list('ssh')).toEqual([]);
    expect((await world.facts()).nodes).toEqual({});
  });

  it('only lets the hook sweep when there is no state', async () => {
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(calls()).toEqual(['after-destroy']);
  });

  it('lets the hook sweep after a destroy that failed, and keeps the state', async () => {
    await world.ports.artifacts.putText(stateKey, '{}');
    record('apply.code', '1');
    expect((await world.run('infrastructure')).ok).toBe(false);
    expect(calls()).toContain('after-destroy');
    expect(await world.ports.artifacts.getText(stateKey)).toBe('{}');
  });
});

describe('DNS names', () => {
  const names: StagePlan = {
    stage: 'infrastructure',
    reasons: [],
    work: { workspaces: [{ kind: 'dns', name: 'lb-ddddddd', destroy: false }] },
  };

  it('are made with the addresses of the load balancer and become its endpoint', async () => {
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

describe('DNS names that move to another provider instance', () => {
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

  it('are made there before the old ones go by their own provider', async () => {
    const other = { ...hetzner, name: 'hz-other' };
    expect(await move(at({ provider: other, hostname: 'store' }))).toEqual([
      'dns-lb-ddddddd-hz-other',
      'dns-lb-ddddddd-hz-prod',
    ]);
    expect(JSON.parse(readFileSync(join(recordings, 'dns-lb-ddddddd-hz-prod.json'), 'utf8')).module.dns.count).toBe(0);
    expect(await world.ports.artifacts.getText(key('hz-prod'))).toBeUndefined();
    expect((await world.facts()).loadBalancers).toEqual({ lb: { endpoint: 'x.example.com' } });
  });

  it('go first where the same name cannot be twice', async () => {
    const other = { ...hetzner, name: 'hz-other' };
    expect(await move(at({ provider: other }))).toEqual(['dns-lb-ddddddd-hz-prod', 'dns-lb-ddddddd-hz-other']);
  });
});

describe('nodes that are let go', () => {
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

  it('are forgotten before the plan, and told', async () => {
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
    expect((await world.told()).filter((line) => line.startsWith('NodeLetGo'))).toEqual([
      expect.stringContaining(node),
    ]);
  });

  it('keep what they stand on when everything else goes', async () => {
    await world.put(aDocument([work(true)], { direction: 'destroy', before: twoProviderState(), target: null }));
    await world.ports.artifacts.putText(stateKey, '{}');
    const stands = ['module.network_fsn1.x.y', 'module.pool_control-aaaaaaa.x.firewall'];
    const goes = ['module.network_nbg1.x.y', 'module.pool_edge-ccccccc.x.firewall'];
    shown(
      { address: host(node), index: node },
      { address: host(nodes[1] ?? ''), index: nodes[1] ?? '' },
      ...[...stands, ...goes].map((address) => ({ address })),
    );
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(forgotten()).toEqual([host(node), ...stands]);
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
