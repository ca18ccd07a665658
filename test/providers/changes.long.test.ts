/** What one change of a cluster changes in its clouds: nothing but what it is about. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { networkModule, poolModule } from '#rendering/terraform-names.ts';
import { sampled } from '#test/sampled.ts';
import { Fleet } from './fleet.ts';
import { fleetState, type PoolSpec, type RoleSpec } from './fleet-manifest.ts';
import { type ProviderCase, providerCases } from './provider-cases.ts';
import { type Change, done, skipsTerraform } from './terraform-workspace.ts';

const machineCases = providerCases.filter(({ nodes }) => nodes);
const web: RoleSpec = { name: 'web', protocol: 'tcp', port: 443, targetPort: 30443 };
const api: RoleSpec = { name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443 };
const names: RoleSpec = { name: 'names', protocol: 'udp', port: 53, targetPort: 30053 };
const anybody = ['0.0.0.0/0'];
const someone = ['203.0.113.1/32', '203.0.113.2/32'];

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

/** Nodes of the pools that come and go. */
type Counts = Readonly<Record<'work' | 'far' | 'more', number>>;

/** Two load balancers with the same ports side by side, and a pool alone in the other region. */
function poolsOf({ place }: ProviderCase, counts: Counts): readonly PoolSpec[] {
  const [here, there] = place.regions;
  const all: readonly PoolSpec[] = [
    { name: 'control', role: 'control', instance: 'home', region: here, count: 1 },
    { name: 'work', role: 'compute', instance: 'home', region: here, count: counts.work },
    { name: 'far', role: 'compute', instance: 'home', region: there, count: counts.far },
    { name: 'more', role: 'compute', instance: 'home', region: here, count: counts.more },
    { name: 'edge', role: 'loadBalancer', instance: 'home', region: here, count: 1 },
    { name: 'edge-two', role: 'loadBalancer', instance: 'home', region: here, count: 1 },
  ];
  return all.filter(({ count }) => count > 0);
}

describe.skipIf(skipsTerraform)('changes of a cluster', () => {
  test.each(sampled(machineCases, { oneOf: 12, from: 1 }))(
    '$type: a change touches only the nodes, pools and firewall rules that it is about',
    async (tested) => {
      fleet = await Fleet.start(tested);
      fleet.own('home', { tenant: 'one', project: 'first' });
      const cloudFirewall = tested.template.firewall === 'cloud';
      const stateOf = (counts: Counts, roles: readonly RoleSpec[], current: ClusterState | null) =>
        fleetState(tested, { pools: poolsOf(tested, counts), roles }, current);
      const first = stateOf({ work: 2, far: 1, more: 0 }, [web], null);
      // As if a load balancer served the API: then its port is closed on the control nodes.
      const closed: ClusterState = { ...first, apiEndpoint: { kind: 'loadBalancer', loadBalancer: 'lb-edge' } };
      const workspace = await fleet.machines('home', closed);
      await done(workspace.init());
      await done(workspace.apply());

      await fleet.machines('home', closed, { generation: 2 });
      expect(await workspace.plan()).toEqual([]);
      await fleet.machines('home', first, { generation: 3, peers: someone });
      const opened = await workspace.plan();
      expect(opened.filter(({ address }) => !isFirewallRule(address))).toEqual([]);
      expect(opened.length > 0).toBe(cloudFirewall);

      const grown = stateOf({ work: 3, far: 1, more: 1 }, [web, api, names], first);
      const idOf = (name: string) => grown.pools.find((pool) => pool.name === name)?.id ?? '';
      await fleet.machines('home', grown, { generation: 4, peers: anybody });
      await done(workspace.init());
      const growth = (await done(workspace.apply())).changes;
      const added = (change: Change) =>
        change.action === 'create' &&
        (isIn(change, poolModule(idOf('more'))) || isOf(change, poolModule(idOf('work')), `${idOf('work')}-03`));
      expect(growth.filter((change) => !added(change) && !isFirewallRule(change.address))).toEqual([]);
      expect(growth.filter(added).length).toBeGreaterThan(1);

      const shrunk = stateOf({ work: 2, far: 0, more: 1 }, [web, api, names], grown);
      await fleet.machines('home', shrunk, { generation: 5, before: grown, peers: anybody });
      const shrinking = (await done(workspace.apply())).changes;
      const network = regionalNetwork(grown, idOf('far'));
      const dropped = (change: Change) =>
        change.action === 'delete' &&
        (isIn(change, poolModule(idOf('far'))) ||
          isIn(change, network) ||
          isOf(change, poolModule(idOf('work')), `${idOf('work')}-03`));
      expect(shrinking.filter((change) => !dropped(change))).toEqual([]);
      expect(shrinking.length).toBeGreaterThan(1);
      expect(JSON.stringify(fleet.cloud.inventory)).not.toContain(idOf('far'));

      await done(workspace.destroy());
      expect(fleet.cloud.inventory.map(({ key }) => key)).toEqual([]);
    },
    600_000,
  );
});

const isIn = ({ address }: Change, module: string): boolean =>
  address.startsWith(`module.${module}.`) || address.startsWith(`module.${module}[`);

/** It belongs to the node alone. */
const isOf = (change: Change, module: string, node: string): boolean =>
  isIn(change, module) && change.address.endsWith(`["${node}"]`);

/** A rule in a network module, or the group that holds the rules. */
const isFirewallRule = (address: string): boolean =>
  /^module\.network_[^.]+\.[a-z0-9_]*(firewall|security_group|security_rule|security_list|secgroup_rule)[a-z0-9_]*\./.test(
    address,
  );

function regionalNetwork(state: ClusterState, pool: string): string {
  const source = state.pools.find(({ id }) => id === pool)?.source;
  if (source?.kind !== 'dynamic') throw new Error(`${pool} has no region`);
  return networkModule(source.region);
}
