/**
 * The generated roots, planned by a real Terraform with the real plugins of clouds that plan without asking anybody: names,
 * numbers and combinations that a plugin checks beyond its schema. What data sources would answer is given by overrides.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import type { RootModule } from '#rendering/root-module.ts';
import { fleetState } from '#test/providers/fleet-manifest.ts';
import { type ProviderCase, providerCases } from '#test/providers/provider-cases.ts';
import { mirrorEnvironment } from '../../scripts/provider-schemas/from-plugin.ts';
import { terraformProgram } from '../../scripts/provider-schemas/plugins.ts';
import { schemaSources } from '../../scripts/provider-schemas/sources.ts';
import { backend, buildTime, tags, withPlugin } from './real-plugins.ts';

interface Offline {
  /** Arguments of the provider block instead of the Secret's. */
  readonly login: Readonly<Record<string, unknown>>;
  /** What data sources answer, by the part whose modules have them. */
  readonly answers: Readonly<Partial<Record<'network' | 'pool' | 'dns', Answer>>>;
  /** An argument of the network module that a schema finds nothing wrong with, and what the plugin says of it. */
  readonly fault?: { readonly argument: Readonly<Record<string, unknown>>; readonly words: string };
}
type Answer = readonly [source: string, values: Readonly<Record<string, unknown>>];

const offline: Readonly<Record<string, Offline>> = {
  aws: {
    login: {
      access_key: 'AKIAIOSFODNN7EXAMPLE',
      secret_key: 'none',
      skip_requesting_account_id: true,
      skip_credentials_validation: true,
      skip_metadata_api_check: true,
      skip_region_validation: true,
    },
    answers: {
      network: ['aws_availability_zones.region', { names: ['region-1a', 'region-1b', 'region-1c'] }],
      dns: ['aws_route53_zone.zone', { zone_id: 'Z0123456789ABCDEFGHIJ' }],
    },
    fault: { argument: { admin_cidrs: ['203.0.113.0/33'] }, words: '203.0.113.0/33' },
  },
  gcp: {
    login: { access_token: 'none', project: 'project', credentials: undefined },
    answers: {
      pool: ['google_compute_zones.region', { names: ['region1-a', 'region1-b', 'region1-ai1a'] }],
      dns: ['google_dns_managed_zone.zone', { name: 'example-zone', dns_name: 'example.com.' }],
    },
    fault: { argument: { cluster_id: 'Fleet' }, words: 'Fleet' },
  },
  cloudflare: {
    login: { api_token: 'n'.repeat(40) },
    answers: { dns: ['cloudflare_zone.zone', { zone_id: '0123456789abcdef0123456789abcdef' }] },
  },
};

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-plans-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const planned = providerCases.filter(({ type }) => schemaSources[type]?.build && offline[type]);

/** Plans the root in a `terraform test`, in which data sources need not be asked. */
function plan(name: string, root: RootModule, { type, modules }: ProviderCase): { ok: boolean; output: string } {
  const { login, answers } = offline[type] ?? { login: {}, answers: {} };
  const cwd = join(directory, name);
  mkdirSync(cwd);
  symlinkSync(modules, join(cwd, 'modules'));
  const read = JSON.parse(JSON.stringify(root)) as Record<'terraform' | 'provider' | 'module' | 'variable', Blocks>;
  const { backend: _, ...terraform } = read.terraform;
  const provider = Object.fromEntries(
    Object.entries(read.provider).map(([key, blocks]) => [
      key,
      [blocks].flat().map((block) => ({ ...(block as Blocks), ...login })),
    ]),
  );
  writeFileSync(join(cwd, 'main.tf.json'), JSON.stringify({ ...read, terraform, provider }));
  const overrides = Object.keys(read.module).flatMap((module) => {
    const [source, values] = answers[module.split('_')[0] as keyof Offline['answers']] ?? [];
    return source ? [{ target: `module.${module}.data.${source}`, values }] : [];
  });
  const secrets = Object.fromEntries(Object.keys(read.variable ?? {}).map((variable) => [variable, 'true']));
  const run = { plan: { command: 'plan' } };
  writeFileSync(join(cwd, 'plan.tftest.json'), JSON.stringify({ override_data: overrides, variables: secrets, run }));
  const options = { cwd, env: mirrorEnvironment(cwd, join(directory, 'mirror')), encoding: 'utf8' } as const;
  execFileSync(terraformProgram(), ['init', '-backend=false', '-input=false', '-no-color'], {
    ...options,
    stdio: 'pipe',
  });
  const { status, stdout, stderr } = spawnSync(terraformProgram(), ['test', '-no-color'], options);
  return { ok: status === 0, output: stdout + stderr };
}
type Blocks = Readonly<Record<string, unknown>>;

function machines(tested: ProviderCase): RootModule {
  const [first, second] = tested.place.regions;
  const pool = { instance: 'account', count: 2 };
  const state = fleetState(
    tested,
    {
      pools: [
        { ...pool, name: 'control', role: 'control', region: first },
        { ...pool, name: 'compute', role: 'compute', region: second },
        { ...pool, name: 'balancer', role: 'loadBalancer', region: first },
      ],
    },
    null,
  );
  return renderMachinesRoot({
    ...tags,
    state,
    backend,
    others: [],
    modules: './modules',
    template: withPlugin(directory, tested),
    provider: { name: 'account', type: tested.type, secret: 'team/account', templates: 'builtin@1' },
    adminCidrs: ['203.0.113.0/24'],
    peerCidrs: ['192.0.2.1/32'],
    publicKeys: {},
    extra: { network: {}, nodepool: {} },
  });
}

/** The root with the calls of modules whose names begin with `prefix` changed. */
function withCalls(root: RootModule, prefix: string, change: (call: Blocks) => Blocks): RootModule {
  const calls = Object.entries(root.module as Readonly<Record<string, Blocks>>);
  const module = calls.map(([name, call]) => [name, name.startsWith(prefix) ? change(call) : call] as const);
  return { ...root, module: Object.fromEntries(module) };
}

describe('terraform plan with real plugins', () => {
  const withMachines = planned.filter(({ nodes }) => nodes).map((tested) => [tested.type, tested] as const);

  it.each(withMachines)(
    'the machines of %s in two regions, some of them spot machines, are planned',
    (type, tested) => {
      const spot = withCalls(machines(tested), 'pool_compute', ({ pool, ...call }) => ({
        ...call,
        pool: { ...(pool as Blocks), spot: true },
      }));
      const { ok, output } = plan(`${type}-machines`, spot, tested);
      expect(ok, output).toBe(true);
      expect(output).toContain('1 passed');
    },
    buildTime,
  );

  it.each(withMachines)(
    'the plugin of %s refuses a fault that is not in its schema',
    (type, tested) => {
      const { argument, words } = offline[type]?.fault ?? { argument: {}, words: 'no fault is planted' };
      const faulty = withCalls(machines(tested), 'network_', (call) => ({ ...call, ...argument }));
      const { ok, output } = plan(`${type}-fault`, faulty, tested);
      expect(ok).toBe(false);
      expect(output).toContain(words);
    },
    buildTime,
  );

  it.each(planned.filter(({ dns }) => dns).map((tested) => [tested.type, tested] as const))(
    'the checked names of a load balancer in %s are planned',
    (type, tested) => {
      const root = renderDnsRoot({
        ...tags,
        backend,
        gone: false,
        modules: './modules',
        template: withPlugin(directory, tested),
        extra: {},
        addresses: ['192.0.2.1', '192.0.2.2'],
        healthCheckPort: 443,
        dns: {
          zone: tested.place.zone,
          hostname: 'shop',
          alternativeNames: ['www'],
          provider: { name: 'account', type, secret: 'team/account', templates: 'builtin@1' },
        },
      });
      const { ok, output } = plan(`${type}-names`, root, tested);
      expect(ok, output).toBe(true);
    },
    buildTime,
  );
});
