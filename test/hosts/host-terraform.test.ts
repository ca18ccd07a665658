/** The modules of the provider type local under the real Terraform: create, plan again, scale, fail, kill -9, destroy. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, HostWorkshop, isRoot, type Outcome, outcomeOf } from './host-workshop.ts';

const modules = fileURLToPath(new URL('../../templates/terraform/local', import.meta.url));
const terraform = process.env.KUBELOOM_TERRAFORM ?? 'terraform';

describe.runIf(isRoot)('Terraform and local hosts', () => {
  const workshop = new HostWorkshop();
  const site = workshop.site('east');
  const faults = join(workshop.stateDirectory, 'faults');
  const workspace = join(workshop.directory, 'workspace');
  beforeAll(async () => {
    await workshop.must(['base-build']);
    target('a-01', 'a-02');
    await terraformMust('init');
  });
  afterAll(async () => await workshop.close());

  test('apply creates running hosts and has their addresses in its outputs', async () => {
    await terraformMust('apply', '-auto-approve');
    const hosts = await workshop.status();
    expect(hosts.map((host) => [host.host, host.state])).toEqual([
      ['a-01', 'running'],
      ['a-02', 'running'],
    ]);
    const expected = hosts.map((host) => [
      host.host,
      { public_address: host.address, ssh_port: 22, wireguard_port: 51820 },
    ]);
    expect(await output('nodes')).toEqual(Object.fromEntries(expected));
  });

  test('a second plan has no changes', async () => {
    expect((await run('plan', '-detailed-exitcode')).code).toBe(0);
  });

  test('saved plans scale up and down while the other hosts keep running', async () => {
    const before = await workshop.ssh('a-01', 'cat /proc/sys/kernel/random/boot_id');
    target('a-01', 'a-03');
    await terraformMust('plan', '-out=saved');
    await terraformMust('apply', 'saved');
    expect(Object.keys(await output('nodes'))).toEqual(['a-01', 'a-03']);
    expect((await workshop.status()).map((host) => host.host)).toEqual(['a-01', 'a-03']);
    expect(await workshop.ssh('a-01', 'cat /proc/sys/kernel/random/boot_id')).toBe(before);
  });

  test('a host lost outside Terraform is named by reconcile, and -replace recreates it', async () => {
    await workshop.must(['down', ...site, '--host', 'a-03']);
    expect((await run('plan')).code).toBe(0);
    expect(await reconcile()).toEqual({ replace: ['a-03'], removed: [] });
    await terraformMust('apply', '-auto-approve', '-replace=module.pool_a.terraform_data.host["a-03"]');
    expect((await workshop.host('a-03')).state).toBe('running');
    expect(Object.keys(await output('nodes'))).toEqual(['a-01', 'a-03']);
    expect(await reconcile()).toEqual({ replace: [], removed: [] });
  });

  test('a host that fails taints only itself, reports its cause, and the next apply recreates it', async () => {
    mkdirSync(faults, { recursive: true });
    writeFileSync(join(faults, 'a-04'), 'no power in this rack');
    target('a-01', 'a-03', 'a-04', 'a-05');
    const failed = await run('apply', '-auto-approve');
    expect(failed.code).toBe(1);
    expect(failed.stdout + failed.stderr).toContain('kubeloom-host: up a-04: did not come up: no power in this rack');
    expect((await workshop.status()).map((host) => host.host)).toEqual(['a-01', 'a-03', 'a-05']);
    rmSync(faults, { recursive: true });
    await terraformMust('apply', '-auto-approve');
    expect((await workshop.host('a-04')).state).toBe('running');
  });

  test('the apply after a kill -9 of Terraform and a reconcile has each host once', async () => {
    mkdirSync(faults, { recursive: true });
    writeFileSync(join(faults, 'a-06'), 'slow 2');
    target('a-01', 'a-03', 'a-06', 'a-07');
    const child = spawn(terraform, ['apply', '-auto-approve', '-no-color'], { cwd: workspace, env: environment() });
    const ended = outcomeOf(child);
    await eventually('a-06 is started', async () => (await workshop.status()).some((host) => host.host === 'a-06'));
    child.kill('SIGKILL');
    await ended;
    rmSync(faults, { recursive: true });
    const { replace } = await reconcile();
    const addresses = replace.map((name) => `-replace=module.pool_a.terraform_data.host["${name}"]`);
    await terraformMust('apply', '-auto-approve', ...addresses);
    expect(await reconcile()).toEqual({ replace: [], removed: [] });
    expect((await workshop.status()).map((host) => `${host.host} ${host.state}`)).toEqual(
      ['a-01', 'a-03', 'a-06', 'a-07'].map((name) => `${name} running`),
    );
  });

  test('destroy leaves nothing, not even a tainted host that Terraform forgets', async () => {
    await terraformMust('taint', 'module.pool_a.terraform_data.host["a-03"]');
    await terraformMust('destroy', '-auto-approve');
    expect(await workshop.status()).toEqual([]);
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  test('destroy succeeds when the whole state directory is lost', async () => {
    target('a-01');
    await terraformMust('apply', '-auto-approve');
    rmSync(workshop.stateDirectory, { recursive: true });
    await terraformMust('destroy', '-auto-approve');
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  test('the name of a load balancer is the address of its first node', async () => {
    const root = {
      module: {
        dns: {
          source: join(modules, 'dns'),
          installation: 'test',
          cluster_id: 'shop-abc1234',
          zone: 'example.com',
          hostname: 'api',
          alternative_names: ['shop'],
          addresses: ['198.18.7.20', '198.18.7.10'],
        },
      },
      output: { dns: { value: '${module.dns}' } },
    };
    writeFileSync(join(workspace, 'main.tf.json'), JSON.stringify(root));
    await terraformMust('init');
    await terraformMust('apply', '-auto-approve');
    expect(await output('dns')).toEqual({ endpoint: '198.18.7.20', alternative_endpoints: { shop: '198.18.7.20' } });
    await terraformMust('destroy', '-auto-approve');
  });

  function target(...nodes: readonly string[]): void {
    mkdirSync(workspace, { recursive: true });
    const network = {
      source: join(modules, 'network'),
      installation: 'test',
      cluster_id: 'shop-abc1234',
      provider_name: 'east',
      region: 'north',
      hosts_dir: workshop.stateDirectory,
    };
    const pool = {
      source: join(modules, 'nodepool'),
      network: '${module.network_north}',
      pool: {
        id: 'a-abc1234',
        role: 'compute',
        region: 'north',
        server_type: 'small',
        image: 'debian-12',
        storage_disk_size: 0,
        spot: false,
        subnet: '10.0.0.0/24',
      },
      nodes: Object.fromEntries(nodes.map((name) => [name, {}])),
      ssh_public_key: workshop.publicKey,
      first_boot: '',
    };
    const root = {
      module: { network_north: network, pool_a: pool },
      output: { nodes: { value: '${module.pool_a.nodes}' } },
    };
    writeFileSync(join(workspace, 'main.tf.json'), JSON.stringify(root));
  }

  function environment(): NodeJS.ProcessEnv {
    const { KUBELOOM_HOSTS_DIR: _, ...rest } = workshop.environment;
    return { ...rest, TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1' };
  }

  async function run(...args: readonly string[]): Promise<Outcome> {
    const colour = ['show', 'output'].includes(args[0] ?? '') ? [] : ['-no-color'];
    const [command = '', ...rest] = args;
    // Options have to stand before addresses.
    return await outcomeOf(spawn(terraform, [command, ...colour, ...rest], { cwd: workspace, env: environment() }));
  }

  async function terraformMust(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    if (code !== 0) throw new Error(`terraform ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  async function output(name: string): Promise<Record<string, unknown>> {
    return JSON.parse(await terraformMust('output', '-json', name));
  }

  async function reconcile(): Promise<{ replace: readonly string[]; removed: readonly string[] }> {
    const state = JSON.parse(await terraformMust('show', '-json'));
    const resources: readonly { name: string; index?: string; values: { id: string } }[] = (
      state.values?.root_module.child_modules ?? []
    ).flatMap((child: { resources?: unknown[] }) => child.resources ?? []);
    const ids = resources.filter((it) => it.name === 'host').map((it) => [it.index, it.values.id]);
    return JSON.parse(await workshop.must(['reconcile', ...site], JSON.stringify(Object.fromEntries(ids))));
  }
});
