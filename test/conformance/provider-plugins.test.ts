/**
 * The generated roots and the modules, validated by a real Terraform with the real plugin of every provider that can be
 * built from the Go module proxy. Builds what is not in the cache yet: the first time takes half an hour and more.
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
import { providerCases } from '#test/providers/provider-cases.ts';
import { addToMirror, mirrorEnvironment } from '../../scripts/provider-schemas/from-plugin.ts';
import { readFixture } from '../../scripts/provider-schemas/make-fixture.ts';
import { buildPlugin, terraformProgram } from '../../scripts/provider-schemas/plugins.ts';
import { schemaSources } from '../../scripts/provider-schemas/sources.ts';
import { backend, buildOf, buildTime, tags, withPlugin } from './real-plugins.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-plugins-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function validate(name: string, root: RootModule, modules: string): { ok: boolean; output: string } {
  const cwd = join(directory, name);
  mkdirSync(cwd);
  symlinkSync(modules, join(cwd, 'modules'));
  const { backend: _, ...terraform } = root.terraform as Readonly<Record<string, unknown>>;
  writeFileSync(join(cwd, 'main.tf.json'), JSON.stringify({ ...root, terraform }));
  const options = { cwd, env: mirrorEnvironment(cwd, join(directory, 'mirror')), encoding: 'utf8' } as const;
  execFileSync(terraformProgram(), ['init', '-backend=false', '-input=false', '-no-color'], {
    ...options,
    stdio: 'pipe',
  });
  const { status, stdout, stderr } = spawnSync(terraformProgram(), ['validate', '-no-color'], options);
  return { ok: status === 0, output: stdout + stderr };
}

const buildable = providerCases.filter(({ type }) => schemaSources[type]?.build);

describe('terraform validate with real plugins', () => {
  it.each(buildable.filter(({ nodes }) => nodes).map((tested) => [tested.type, tested] as const))(
    'the machines of %s in two regions are valid',
    (type, tested) => {
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
      const root = renderMachinesRoot({
        ...tags,
        state,
        backend,
        others: [],
        modules: './modules',
        template: withPlugin(directory, tested),
        provider: { name: 'account', type, secret: 'team/account', templates: 'builtin@1' },
        adminCidrs: ['0.0.0.0/0'],
        peerCidrs: ['192.0.2.1/32'],
        publicKeys: {},
        extra: { network: {}, nodepool: {} },
      });
      const { ok, output } = validate(`${type}-machines`, root, tested.modules);
      expect(ok, output).toBe(true);
    },
    buildTime,
  );

  it.each(buildable.filter(({ dns }) => dns).map((tested) => [tested.type, tested] as const))(
    'the names of a load balancer in %s are valid',
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
      const { ok, output } = validate(`${type}-names`, root, tested.modules);
      expect(ok, output).toBe(true);
    },
    buildTime,
  );

  it.each(buildable.map((tested) => [tested.type, tested] as const))(
    'the plugin of %s refuses a fault in one of its resources',
    (type, tested) => {
      const { provider } = withPlugin(directory, tested);
      const [resource = ''] = Object.keys(readFixture(type).schema.resource_schemas);
      const root = {
        terraform: {
          required_providers: { [`${provider?.name}`]: { source: provider?.source, version: provider?.version } },
        },
        resource: { [resource]: { planted: { no_such_argument: 'x' } } },
      };
      const { ok, output } = validate(`${type}-fault`, root, tested.modules);
      expect(ok).toBe(false);
      expect(output).toContain('no_such_argument');
    },
    buildTime,
  );

  it.each(buildable.map((tested) => [tested.type, tested] as const))(
    'the lock file of %s refuses any other plugin',
    (type, tested) => {
      const { provider } = withPlugin(directory, tested);
      const [cwd, mirror] = [join(directory, `${type}-lock`), join(directory, `${type}-mirror`)];
      const required = { [`${provider?.name}`]: { source: provider?.source, version: provider?.version } };
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'main.tf.json'), JSON.stringify({ terraform: { required_providers: required } }));
      const run = (...args: string[]): { status: number | null; stderr: string } =>
        spawnSync(terraformProgram(), args, { cwd, env: mirrorEnvironment(cwd, mirror), encoding: 'utf8' });
      const plugin = buildPlugin(buildOf(type));
      addToMirror(mirror, plugin, provider?.source ?? '', provider?.version ?? '');
      expect(run('providers', 'lock', `-fs-mirror=${mirror}`)).toMatchObject({ status: 0 });
      expect(run('init', '-backend=false', '-lockfile=readonly')).toMatchObject({ status: 0 });
      rmSync(join(cwd, '.terraform'), { recursive: true });
      writeFileSync(join(cwd, 'other'), 'not the plugin');
      addToMirror(mirror, join(cwd, 'other'), provider?.source ?? '', provider?.version ?? '');
      const refused = run('init', '-backend=false', '-lockfile=readonly', '-no-color');
      expect(refused.status).not.toBe(0);
      expect(refused.stderr).toMatch(/checksums/);
    },
    buildTime,
  );
});
