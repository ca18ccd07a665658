/** Root modules of machines and DNS workspaces. */
import { describe, expect, it } from 'vitest';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { type MachinesRootInput, renderMachinesRoot } from '#rendering/machines-root.ts';
import { peerCidrs } from '#rendering/peer-cidrs.ts';
import { noProviderTemplate, ProviderTemplate } from '#rendering/provider-template.ts';
import { identifierOf, literal, stateKeyOf } from '#rendering/terraform-names.ts';
import {
  balancer,
  controlPool,
  dynamicPool,
  dynamicSource,
  hetzner,
  local,
  twoProviderFacts,
  twoProviderState,
  workerPool,
} from './states.ts';

const cloud = ProviderTemplate.parse({
  provider: {
    name: 'hcloud',
    source: 'hetznercloud/hcloud',
    version: '1.60.0',
    credentials: { token: 'credentials' },
  },
  firewall: 'cloud',
});
const regional = ProviderTemplate.parse({
  provider: {
    name: 'aws',
    source: 'hashicorp/aws',
    version: '6.4.0',
    credentials: { access_key: 'accesskey', secret_key: 'secretkey' },
    regionArgument: 'region',
    defaultRegion: 'eu-central-1',
  },
  alsoRequired: { time: { source: 'hashicorp/time', version: '0.13.1' } },
});
const backend = {
  bucket: 'kubeloom',
  region: 'eu-central-1',
  key: 'terraform/team/shop/shop-1234567/machines-x.tfstate',
};

const owner = {
  installation: 'kubeloom',
  namespace: 'team',
  manifest: 'shop',
  clusterId: 'shop-1234567',
  generation: 3,
};

function machines(change: Partial<MachinesRootInput> = {}): MachinesRootInput {
  return {
    ...owner,
    state: twoProviderState(),
    others: [],
    provider: hetzner,
    template: cloud,
    backend,
    modules: './modules',
    adminCidrs: ['203.0.113.0/24'],
    peerCidrs: peerCidrs(twoProviderState({ pools: [controlPool, workerPool] }), twoProviderFacts),
    publicKeys: { 'control-aaaaaaa': 'ssh-ed25519 AAAA control', 'workers-bbbbbbb': 'ssh-ed25519 AAAA workers' },
    extra: { network: {}, nodepool: {} },
    ...change,
  };
}

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe('addresses that the firewalls of a cluster allow', () => {
  it('machines with a mesh allow each other, and machines without a mesh allow none of the others', () => {
    const state = twoProviderState({ pools: [controlPool, workerPool] });
    expect(peerCidrs(state, twoProviderFacts)).not.toEqual([]);
    expect(peerCidrs({ ...state, meshless: true }, twoProviderFacts)).toEqual([]);
  });
});

describe('root module of a provider instance', () => {
  it('the root calls a network for each region and every pool, load balancers included', async () => {
    await expect(pretty(renderMachinesRoot(machines()))).toMatchFileSnapshot('golden/machines-hetzner.json');
  });

  it('a type without a provider has no provider block, and takes variables from the environment', async () => {
    const root = renderMachinesRoot(
      machines({
        provider: local,
        template: noProviderTemplate,
        extra: { network: { hosts_dir: '/srv/hosts' }, nodepool: {} },
      }),
    );
    await expect(pretty(root)).toMatchFileSnapshot('golden/machines-local.json');
  });

  it('Terraform learns of a machine that still has another type than its group', () => {
    const nodes = controlPool.nodes.map((node, at) => (at === 0 ? { ...node, serverType: 'old' } : node));
    const state = twoProviderState({ pools: [{ ...controlPool, nodes }, workerPool] });
    const { module = {} } = renderMachinesRoot(machines({ state })) as {
      module?: Readonly<Record<string, { readonly nodes?: object }>>;
    };
    const calls = Object.values(module).map((call) => call.nodes ?? {});
    expect(calls.flatMap((nodes) => Object.values(nodes)).filter((node) => 'server_type' in node)).toEqual([
      { server_type: 'old' },
    ]);
  });

  it('hazard 8: two installations in one account have no tag and no name of a state in common, whatever else is the same', () => {
    const textOf = (installation: string) =>
      JSON.stringify(renderMachinesRoot(machines({ installation, backend: { ...backend, bucket: installation } })));
    const [one, other] = [textOf('kubeloom-one'), textOf('kubeloom-two')];
    const tags = (text: string) => text.split('"kubeloom-cluster":').length - 1;
    expect(tags(one)).toBeGreaterThan(3);
    expect(one.split('"kubeloom-installation":"kubeloom-one"')).toHaveLength(tags(one) + 1);
    expect(one).not.toContain('kubeloom-two');
    expect(other.replaceAll('kubeloom-two', 'kubeloom-one')).toBe(one);
  });

  it('dropped pools and networks stay as calls with count 0, for their destroy provisioners', async () => {
    const abroad = dynamicPool({
      id: 'old-eeeeeee',
      nodes: [{ name: 'old-eeeeeee-01', privateAddress: '192.168.2.9' }],
    });
    const before = twoProviderState({
      pools: [
        controlPool,
        { ...abroad, source: { ...dynamicSource(abroad), region: 'us-east-1' } },
        dynamicPool({ id: 'spare-fffffff' }),
      ],
    });
    const root = renderMachinesRoot(machines({ template: regional, others: [before, before] }));
    expect(root.provider).toMatchObject({
      aws: [{ alias: 'fsn1' }, { alias: 'nbg1' }, { alias: 'us-east-1', region: 'us-east-1' }],
    });
    expect(root.module).toMatchObject({
      'network_us-east-1': { count: 0, providers: { aws: 'aws.us-east-1' } },
      'pool_old-eeeeeee': { count: 0, nodes: {}, network: '${one(module.network_us-east-1[*])}' },
      'pool_spare-fffffff': { count: 0, nodes: {}, network: '${module.network_fsn1}' },
    });
    expect(JSON.stringify(root.output)).not.toMatch(/old|spare/);
    await expect(pretty(root)).toMatchFileSnapshot('golden/machines-dropped-pools.json');
  });

  it('a deletion keeps every call of what exists', () => {
    const root = renderMachinesRoot(machines({ state: null, others: [twoProviderState()] }));
    const calls = Object.values(root.module as Record<string, { count?: number }>);
    expect(calls.map(({ count }) => count)).toEqual([0, 0, 0, 0]);
    expect(root).not.toHaveProperty('output');
  });

  it('the API port is open only where control nodes serve the API themselves', () => {
    const onNode = twoProviderState({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' } });
    expect(renderMachinesRoot(machines({ state: onNode })).module).toMatchObject({
      network_fsn1: { api_port_open: true },
      network_nbg1: { api_port_open: false },
    });
  });
});

describe('root module of DNS names', () => {
  const names = {
    ...owner,
    healthCheckPort: 6443,
    dns: balancer.dns,
    addresses: ['198.51.100.5'],
    template: regional,
    backend,
    modules: './modules',
    extra: {},
  };

  it('the root module of DNS names has one set of names with the load balancer addresses', async () => {
    const root = renderDnsRoot({
      ...names,
      gone: false,
    });
    await expect(pretty(root)).toMatchFileSnapshot('golden/dns.json');
  });

  it('the root module of DNS names has an address once, however many nodes share it', () => {
    const addresses = ['198.51.100.5', '198.51.100.6', '198.51.100.5'];
    const root = renderDnsRoot({ ...names, gone: false, addresses });
    expect(root).toMatchObject({ module: { dns: { addresses: ['198.51.100.5', '198.51.100.6'] } } });
  });

  it('deleted DNS names stay as a call with count 0', () => {
    expect(renderDnsRoot({ ...names, gone: true })).toMatchObject({ module: { dns: { count: 0 } } });
  });
});

describe('Secret fields for modules', () => {
  const oracle = ProviderTemplate.parse({
    provider: {
      name: 'oci',
      source: 'oracle/oci',
      version: '7.10.0',
      credentials: { private_key: 'privatekey' },
      regionArgument: 'region',
      defaultRegion: 'eu-frankfurt-1',
    },
    moduleVariables: { compartment_id: 'compartmentocid' },
  });
  const passed = '${var.secret_compartmentocid}';

  it('Secret fields for modules are sensitive variables that every call gets, also at count 0', () => {
    const root = renderMachinesRoot(machines({ template: oracle, others: [twoProviderState()] }));
    expect(root.variable).toEqual({
      secret_compartmentocid: { type: 'string', sensitive: true, nullable: false },
      secret_privatekey: { type: 'string', sensitive: true, nullable: false },
    });
    const calls = Object.values(root.module as Record<string, Record<string, unknown>>);
    expect(calls.map(({ compartment_id }) => compartment_id)).toEqual(calls.map(() => passed));
  });

  it('Secret fields for modules are given to the names of a load balancer as well', () => {
    const dns = { ...owner, modules: './modules', extra: {}, healthCheckPort: null, backend };
    const root = renderDnsRoot({
      ...dns,
      dns: balancer.dns,
      gone: true,
      addresses: ['198.51.100.5'],
      template: oracle,
    });
    expect(root.module).toMatchObject({ dns: { count: 0, compartment_id: passed } });
  });
});

describe('properties of pools', () => {
  const { templates } = hetzner;
  const given = (template: ProviderTemplate, properties?: Readonly<Record<string, unknown>>, other?: string) => {
    const source = { provider: { ...hetzner, templates: other ?? templates }, ...(properties && { properties }) };
    const state = twoProviderState({ pools: [dynamicPool({ id: 'web-aaaaaaa' }, source)] });
    const root = renderMachinesRoot(machines({ state, template }));
    const calls: Readonly<Record<string, { properties?: unknown }>> = JSON.parse(JSON.stringify(root.module));
    return Object.entries(calls).flatMap(([name, call]) => (name.startsWith('pool_web') ? [call.properties] : []));
  };
  const withSchema = { ...cloud, properties: { type: 'object' } };

  it('modules of a type with a schema always get them, empty when the pool says nothing', () => {
    expect(given(withSchema, { rack: 7 })).toEqual([{ rack: 7 }]);
    expect(given(withSchema)).toEqual([{}]);
  });

  it('modules of a type without a property schema get no variable properties', () => {
    expect(given(cloud, {})).toEqual([undefined]);
    expect(given(cloud)).toEqual([undefined]);
  });

  it('modules of another version, which may have no schema, get only what the pool says', () => {
    expect(given(withSchema, {}, 'builtin@0')).toEqual([undefined]);
    expect(given(withSchema, { rack: 7 }, 'builtin@0')).toEqual([{ rack: 7 }]);
  });
});

describe('names in Terraform', () => {
  it('two names never get the same Terraform identifier', () => {
    const names = ['a.b', 'a_b', 'a b', 'a-b', 'a_x2eb', 'ab', 'é', 'rack 1'];
    expect(new Set(names.map(identifierOf)).size).toBe(names.length);
    expect(names.map(identifierOf).join('')).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('a text is never read as a Terraform template, at any depth', () => {
    expect(literal({ a: ['${x}', { b: '%{if y}' }], n: 1 })).toEqual({ a: ['$${x}', { b: '%%{if y}' }], n: 1 });
  });

  it('escapes templates in keys, which Terraform would evaluate like values', () => {
    expect(literal({ labels: { '${file("/proc/self/environ")}': 'x', '%{if y}': 1 } })).toEqual({
      labels: { '$${file("/proc/self/environ")}': 'x', '%%{if y}': 1 },
    });
  });

  it('each workspace has its own state key', () => {
    const workspace = { namespace: 'team', manifest: 'shop', clusterId: 'c-1', name: 'x' } as const;
    expect(stateKeyOf({ ...workspace, kind: 'machines' })).toBe('terraform/team/shop/c-1/machines-x.tfstate');
    expect(stateKeyOf({ ...workspace, kind: 'dns' })).toBe('terraform/team/shop/c-1/dns-x.tfstate');
  });
});
