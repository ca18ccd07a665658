/** Names at Cloudflare, under a real Terraform and a simulated cloud: plain records, or load balancing where it is paid for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FixtureProviders, startFixtureProviders } from '#test/providers/plugin/fixture-providers.ts';
import { readSchemaFixture } from '#test/providers/plugin/schema-fixture.ts';
import { type Change, done, skipsTerraform, TerraformWorkspace } from '#test/providers/terraform-workspace.ts';

const modules = fileURLToPath(new URL('../../templates/terraform/cloudflare', import.meta.url));
const schema = new URL('../providers/schemas/cloudflare.json', import.meta.url);

const desired = {
  installation: 'home',
  cluster_id: 'shop-abc1234',
  zone: 'example.com',
  hostname: 'front',
  alternative_names: ['www'],
  addresses: ['203.0.113.1', '203.0.113.2'],
  health_check_port: 443,
  account_id: '${var.account}',
};

let base: string;
let plugins: FixtureProviders;
let workspace: TerraformWorkspace;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'kubeloom-cloudflare-'));
  plugins = await startFixtureProviders([readSchemaFixture(schema)]);
  const environment = { ...plugins.environment, TF_VAR_account: 'a'.repeat(32) };
  workspace = await TerraformWorkspace.create({ directory: join(base, 'root'), modules, environment });
});
afterEach(async () => {
  await plugins.stop();
  await rm(base, { recursive: true, force: true });
});

async function write(change: Readonly<Record<string, unknown>>): Promise<void> {
  await workspace.write({
    terraform: { required_providers: { cloudflare: { source: 'cloudflare/cloudflare' } } },
    variable: { account: { type: 'string', sensitive: true } },
    provider: { cloudflare: [{ api_token: 'made-up' }] },
    module: { dns: { source: './modules/dns', ...desired, ...change } },
    output: { endpoint: { value: '${module.dns.endpoint}' }, more: { value: '${module.dns.alternative_endpoints}' } },
  });
}

const kinds = (changes: readonly Change[], wanted: string): readonly string[] =>
  changes
    .filter(({ action, address }) => action === wanted && !address.includes('terraform_data'))
    .map(({ address }) => address.replace('module.dns.', ''))
    .sort();

/** What was requested of the cloud since event number `from`, in this order: `create cloudflare_dns_record`. */
const reportedSince = (from: number): readonly string[] =>
  plugins
    .cloud('cloudflare/cloudflare')
    .events.slice(from)
    .map(({ action, type }) => `${action} ${type}`);
const reported = (): number => plugins.cloud('cloudflare/cloudflare').events.length;

describe.skipIf(skipsTerraform)('names at Cloudflare', { timeout: 60_000 }, () => {
  it('a name at Cloudflare is a record for each address, and records that stay are not changed', async () => {
    await write({});
    await done(workspace.init());
    await done(workspace.apply());
    expect(await workspace.outputs()).toEqual({ endpoint: 'front.example.com', more: { www: 'www.example.com' } });
    expect(await workspace.plan()).toEqual([]);

    await write({ alternative_names: [], addresses: ['203.0.113.2', '203.0.113.3'] });
    const changes = await workspace.plan();

    expect(kinds(changes, 'create')).toEqual(['cloudflare_dns_record.name["front 203.0.113.3"]']);
    expect(kinds(changes, 'delete')).toEqual([
      'cloudflare_dns_record.name["front 203.0.113.1"]',
      'cloudflare_dns_record.name["www 203.0.113.1"]',
      'cloudflare_dns_record.name["www 203.0.113.2"]',
    ]);
  });

  it('records of a new name are created before those of the old one are deleted', async () => {
    await write({ alternative_names: [] });
    await done(workspace.init());
    await done(workspace.apply());
    const before = reported();
    await write({ alternative_names: [], hostname: 'shop', addresses: ['203.0.113.3', '203.0.113.4'] });

    await done(workspace.apply());

    expect(reportedSince(before)).toEqual([
      ...Array(2).fill('create cloudflare_dns_record'),
      ...Array(2).fill('delete cloudflare_dns_record'),
    ]);
  });

  it('a name is served by load balancing when the Secret says that the account has it', async () => {
    await write({});
    await done(workspace.init());
    await done(workspace.apply());
    await write({ load_balancing: 'true' });

    const changes = await workspace.plan();
    const before = reported();
    await done(workspace.apply());

    expect(kinds(changes, 'create')).toEqual([
      'cloudflare_load_balancer.name["front"]',
      'cloudflare_load_balancer.name["www"]',
      'cloudflare_load_balancer_monitor.name["pool"]',
      'cloudflare_load_balancer_pool.name["pool"]',
    ]);
    expect(kinds(changes, 'delete')).toHaveLength(4);
    expect(reportedSince(before).slice(-4)).toEqual(Array(4).fill('delete cloudflare_dns_record'));
    expect(await workspace.plan()).toEqual([]);
    expect(await workspace.outputs()).toMatchObject({ endpoint: 'front.example.com' });
  });

  it.each([
    ['one address', { addresses: ['203.0.113.1'] }],
    ['no TCP port to check', { health_check_port: null }],
    ['a Secret that says false', { load_balancing: 'false' }],
  ])('a name is a plain record with %s', async (_, change) => {
    await write({ load_balancing: 'true', ...change });
    await done(workspace.init());

    const changes = await workspace.plan();

    expect(changes.some(({ address }) => address.includes('cloudflare_load_balancer'))).toBe(false);
    expect(changes.some(({ address }) => address.includes('cloudflare_dns_record'))).toBe(true);
  });
});
