/** FR-1 under a real Terraform: one, two and five instances of each cloud in one cluster, machines and names together. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { sampled } from '#test/sampled.ts';
import { allowedOwners, type Owner, ownersIn } from './accounts.ts';
import { Fleet } from './fleet.ts';
import { fleetState, type PoolSpec } from './fleet-manifest.ts';
import type { CloudObject } from './plugin/simulated-cloud.ts';
import { type ProviderCase, providerCases } from './provider-cases.ts';
import { done, skipsTerraform, type TerraformWorkspace } from './terraform-workspace.ts';

interface Instance {
  readonly name: string;
  readonly owner: Owner;
  /** Index of the region. */
  readonly region: 0 | 1;
  /** It has names as well: names know no region. */
  readonly names: boolean;
}

const home: Owner = { tenant: 'one', project: 'first' };
const instances: readonly Instance[] = [
  { name: 'home', owner: home, region: 0, names: true },
  { name: 'same-place', owner: home, region: 0, names: true },
  { name: 'other-region', owner: home, region: 1, names: false },
  { name: 'other-project', owner: { tenant: 'one', project: 'second' }, region: 0, names: true },
  { name: 'other-tenant', owner: { tenant: 'two', project: 'first' }, region: 0, names: true },
];

/** Types whose DNS zones belong to the account, not to a project of it. */
const accountsZones: readonly string[] = ['ovh'];

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

describe.skipIf(skipsTerraform)('several accounts of one cloud in one cluster', () => {
  test.each(sampled(providerCases, { oneOf: 12, from: 0 }))(
    '$type: all resources are in the right account, nothing clashes, and nothing is left',
    async (tested) => {
      fleet = await Fleet.start(tested);
      const open: TerraformWorkspace[] = [];
      let existing = 0;
      for (const count of [1, 2, 5]) {
        const present = instances.slice(0, count);
        const state = fleetState(tested, { pools: present.flatMap((instance) => poolsIn(tested, instance)) }, null);
        for (const instance of present.slice(existing)) {
          fleet.own(instance.name, instance.owner);
          if (tested.nodes) open.push(await machinesOf(fleet, instance, state));
          if (tested.dns && instance.names) open.push(await namesOf(fleet, instance));
        }
        existing = count;
      }
      for (const workspace of open.toReversed()) await done(workspace.destroy());
      expect(fleet.cloud.inventory.map(({ key }) => key)).toEqual([]);
    },
    600_000,
  );
});

async function machinesOf(fleet: Fleet, instance: Instance, state: ClusterState): Promise<TerraformWorkspace> {
  const workspace = await fleet.machines(instance.name, state);
  const made = await fleet.added(() => applied(workspace, instance.name === 'home'));
  expectAllOf(instance, made);
  const { tenant, project } = instance.owner;
  expect(ownersIn(JSON.stringify(made))).toContain(`project ${tenant}-${project}`);
  const region = plain(fleet.tested.place.regions[instance.region]);
  for (const object of made) if (object.region !== '') expect(plain(object.region), object.type).toContain(region);
  // The code that configures nodes is the same for all of them.
  if (instance.name !== 'home') return workspace;
  const { nodes } = (await workspace.outputs()) as {
    readonly nodes: Readonly<Record<string, Readonly<Record<string, MadeNode>>>>;
  };
  for (const { id, nodes: wanted, role } of dynamicPoolsOf(state, instance.name)) {
    expect(Object.keys(nodes[id] ?? {})).toEqual(wanted.map(({ name }) => name));
    for (const node of Object.values(nodes[id] ?? {})) {
      expect(node.public_address).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);
      if (role !== 'compute') expect(node.data_device ?? null).toBeNull();
    }
  }
  return workspace;
}

async function namesOf(fleet: Fleet, instance: Instance): Promise<TerraformWorkspace> {
  const { name } = instance;
  const workspace = await fleet.names(name, {
    zone: fleet.tested.place.zone,
    hostname: name,
    alternativeNames: [`www-${name}`],
    addresses: ['203.0.113.7', '203.0.113.8'],
    healthCheckPort: 443,
  });
  const made = await fleet.added(() => applied(workspace, name === 'home'));
  expectAllOf(instance, made, !accountsZones.includes(fleet.tested.type));
  return workspace;
}

interface MadeNode {
  readonly public_address: string;
  readonly data_device?: string | null;
}

const plain = (region: string) => region.toLowerCase().replaceAll(' ', '');

/** Three pools for the first one, a compute and a load balancer pool for the others. */
function poolsIn({ place }: ProviderCase, { name, region }: Instance): readonly PoolSpec[] {
  const where = { instance: name, region: place.regions[region] };
  const index = instances.findIndex((instance) => instance.name === name);
  const pools: readonly PoolSpec[] = [
    { ...where, name: `work-${index}`, role: 'compute', count: 2 },
    { ...where, name: `edge-${index}`, role: 'loadBalancer', count: 1 },
  ];
  return name === 'home' ? [{ ...where, name: 'control', role: 'control', count: 1 }, ...pools] : pools;
}

/** Initialised and applied; the first one is also checked in detail: valid, and with nothing left to do. */
async function applied(workspace: TerraformWorkspace, first: boolean): Promise<void> {
  await done(workspace.init());
  if (first) await done(workspace.validate());
  await done(workspace.apply());
  if (first) expect(await workspace.plan()).toEqual([]);
}

/** Credentials that made it, and those in it, are the instance's. */
function expectAllOf(instance: Instance, made: readonly CloudObject[], inProject = true): void {
  expect(made.length).toBeGreaterThan(0);
  const allowed = allowedOwners(instance.owner);
  for (const object of made) {
    const seen = ownersIn(JSON.stringify([object.account.configuration, object.values]));
    expect(seen.length, object.type).toBeGreaterThan(0);
    expect(allowed, object.type).toEqual(expect.arrayContaining([...new Set(seen)]));
  }
  if (!inProject) return;
}
