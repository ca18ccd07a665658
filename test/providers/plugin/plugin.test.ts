/** The fixture provider under a real Terraform: what it refuses, keeps and removes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RootModule } from '#rendering/root-module.ts';
import { done, skipsTerraform, TerraformWorkspace } from '../terraform-workspace.ts';
import { type FixtureProviders, startFixtureProviders } from './fixture-providers.ts';
import { readSchemaFixture } from './schema-fixture.ts';
import { machineIn, toyImage, toyRoot } from './toy.ts';

const fixture = readSchemaFixture(new URL('toy-schema.json', import.meta.url));
const here = { token: 'token of a', region: 'north' };
let directory: string;
let providers: FixtureProviders;
let workspaces = 0;

async function workspaceOf(root: RootModule): Promise<TerraformWorkspace> {
  const workspace = await TerraformWorkspace.create({
    directory: join(directory, `w${workspaces++}`),
    modules: directory,
    environment: providers.environment,
  });
  await workspace.write(root);
  const { ok, output } = await workspace.init();
  if (!ok) throw new Error(output);
  return workspace;
}

describe.skipIf(skipsTerraform)('the fixture provider', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubeloom-toy-'));
    providers = await startFixtureProviders([fixture]);
  });
  afterEach(async () => {
    await providers.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('the fixture provider creates what is requested, keeps it, and deletes it', async () => {
    const accounts = { a: here };
    const root = toyRoot({
      accounts,
      resource: machineIn('a'),
      data: { ...toyImage('a'), toy_zones: { all: { provider: 'toy.a' } } },
      output: { address: { value: '${toy_machine.a.ipv4_address}' }, zones: { value: '${data.toy_zones.all.names}' } },
    });
    const workspace = await workspaceOf(root);
    await done(workspace.apply());
    const cloud = providers.cloud('example/toy');
    expect(cloud.inventory.map(({ type, region }) => `${type} ${region}`).toSorted()).toEqual([
      'toy_key north',
      'toy_machine north',
      'toy_network north',
      'toy_subnet north',
    ]);
    expect(await workspace.outputs()).toEqual({
      address: expect.stringMatching(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/),
      zones: ['north-a', 'north-b', 'north-c'],
    });
    expect(await workspace.plan()).toEqual([]);
    await done(workspace.destroy());
    expect(cloud.inventory).toEqual([]);
  });

  it('the fixture provider refuses arguments that are unknown, of another type, or missing', async () => {
    const faulty = [
      [{ colour: 'red' }, /unsupported argument|Extraneous JSON object property/i],
      [{ key_ids: { not: ['a list'] } }, /list of string required/i],
      [{ nic: [] }, /insufficient nic blocks/i],
      [{ image: undefined }, /required/i],
    ] as const;
    for (const [change, complaint] of faulty) {
      const workspace = await workspaceOf(
        toyRoot({ accounts: { a: here }, resource: machineIn('a', 'one', change), data: toyImage('a') }),
      );
      expect(await workspace.validate()).toEqual({ ok: false, output: expect.stringMatching(complaint) });
    }
  });

  it('the fixture provider has an account for each credential, and refuses duplicate names in it', async () => {
    const [b, south] = [
      { token: 'token of b', region: 'north' },
      { token: 'token of a', region: 'south' },
    ];
    const both = (accounts: Readonly<Record<string, typeof here>>) => {
      const [one, two] = Object.keys(accounts).map((alias) => machineIn(alias, `machine-${alias}`));
      const types = ['toy_network', 'toy_subnet', 'toy_key', 'toy_machine'] as const;
      const resource = Object.fromEntries(types.map((type) => [type, { ...one?.[type], ...two?.[type] }]));
      return workspaceOf(toyRoot({ accounts, resource, data: toyImage('a') }));
    };
    const apart = await both({ a: here, b });
    await done(apart.apply());
    const accounts = new Set(
      providers.cloud('example/toy').inventory.map(({ account }) => account.configuration.token),
    );
    expect(accounts).toEqual(new Set(['token of a', 'token of b']));
    await done(apart.destroy());
    const together = await both({ a: here, c: south });
    expect(await together.apply()).toMatchObject({
      ok: false,
      output: expect.stringContaining('name is already used: name key'),
    });
  });

  it('the fixture provider notices lost resources, replaces immutable ones, and changes the rest', async () => {
    const accounts = { a: here };
    const root = (change: Readonly<Record<string, unknown>>) =>
      toyRoot({ accounts, resource: machineIn('a', 'one', change), data: toyImage('a') });
    const workspace = await workspaceOf(root({}));
    await done(workspace.apply());
    await workspace.write(root({ tags: { generation: '2' } }));
    expect(await workspace.plan()).toEqual([{ address: 'toy_machine.a', action: 'update' }]);
    await workspace.write(root({ user_data: 'other' }));
    expect(await workspace.plan()).toEqual([{ address: 'toy_machine.a', action: 'replace' }]);
    await done(workspace.apply());
    const cloud = providers.cloud('example/toy');
    for (const { key, type } of cloud.inventory) if (type === 'toy_machine') cloud.lose(key);
    expect(await workspace.plan()).toEqual([{ address: 'toy_machine.a', action: 'create' }]);
  });

  it('the fixture provider refuses subnets that overlap or lie outside, and removal of used ones', async () => {
    const { toy_network, toy_subnet } = machineIn('a');
    const { provider, network_id } = toy_subnet.a ?? {};
    const subnets = (range: string) => ({ ...toy_subnet, more: { provider, network_id, range } });
    const accounts = { a: here };
    const workspace = await workspaceOf(
      toyRoot({ accounts, resource: { toy_network, toy_subnet: subnets('10.0.0.0/20') } }),
    );
    expect(await workspace.apply()).toMatchObject({ ok: false, output: expect.stringMatching(/subnet overlaps/) });
    await workspace.write(toyRoot({ accounts, resource: { toy_network, toy_subnet: subnets('10.1.0.0/24') } }));
    expect(await workspace.apply()).toMatchObject({
      ok: false,
      output: expect.stringMatching(/is not within\s+10\.0\.0\.0\/16/),
    });
    const cloud = providers.cloud('example/toy');
    const network = cloud.inventory.find(({ type }) => type === 'toy_network');
    expect(() => cloud.delete(network?.key ?? '')).toThrow(/is in use by toy_subnet/);
  });
});
