/** Plans of machine groups: the same path as for clusters, without the stages of Kubernetes. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { repairWaypoints } from '#domain/planning/work/repair-plans.ts';
import { desiredOf } from '../planning/arbitraries.ts';
import { compute, control, manifestOf } from '../planning/manifests.ts';
import { stateOf as desired, groupsWith, leaf } from './groups.ts';

const boot = ['apt-get install -y nginx'];

const planOf = (current: ClusterState | null, goal: ClusterState | null) =>
  planClusterPath({ cluster: 'c', current, attempted: null, desired: goal });
const pathOf = (current: ClusterState | null, goal: ClusterState | null) =>
  planOf(current, goal).waypoints.map(({ direction, stages }) =>
    [direction, ...stages.map(({ stage }) => stage)].join(' '),
  );

describe('plans of machine groups', () => {
  const web = desired({ web: { ...leaf, boot } });

  it('groups without a mesh get no list of peers, have no load balancers, and keep it so', () => {
    const [one, two] = [{ web: leaf }, { web: { ...leaf, size: 3 } }];
    const none = { network: 'none' };
    const before = desired(one, null, none);
    expect(before).toMatchObject({ meshless: true });
    const { waypoints } = planOf(before, desired(two, before, none));
    const [configuration] = waypoints.flatMap(({ stages }) => stages.filter(({ stage }) => stage === 'configuration'));
    expect(configuration).toMatchObject({ reasons: ['1 new node set up'], work: { peers: [] } });
    expect(planOf(before, desired(one, before)).refusals.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the network of the cluster "c" cannot be changed from none'),
    ]);
    const dns = { dnsZone: 'example.test', provider: 'sim-1' };
    const role = { name: 'http', protocol: 'tcp', port: 80, targetPort: 80, targetPools: ['web'] };
    const loadBalancers = { roles: [role], clusters: [{ name: 'lb', roles: ['http'], dns, pools: ['front'] }] };
    const { faults } = validateMachineGroups(groupsWith({ web: leaf, front: leaf }, { ...none, loadBalancers }), {
      readObjects,
    });
    expect(faults.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'spec.network: load balancers reach the machines over the mesh, and these groups have no mesh',
    ]);
  });

  it('KA-16: a new group needs machines and their configuration, and no Kubernetes', () => {
    const { waypoints, refusals } = planOf(null, web);
    expect(refusals).toEqual([]);
    expect(pathOf(null, web)).toEqual(['grow infrastructure configuration']);
    const work = waypoints[0]?.stages.find(({ stage }) => stage === 'configuration')?.work;
    expect(work).toMatchObject({
      install: web.pools[0]?.nodes.map(({ name }) => name),
      boot: web.pools[0]?.nodes.map(({ name }) => name),
    });
  });

  it('unchanged groups need no waypoint', () => {
    expect(pathOf(web, desired({ web: { ...leaf, boot } }, web))).toEqual([]);
  });

  it('more machines are a grow, and only they run the boot script', () => {
    const more = desired({ web: { ...leaf, size: 3, boot } }, web);
    expect(pathOf(web, more)).toEqual(['grow infrastructure configuration']);
    const work = planOf(web, more).waypoints[0]?.stages.find(({ stage }) => stage === 'configuration')?.work;
    expect(work).toMatchObject({ boot: [more.pools[0]?.nodes[2]?.name] });
  });

  it('new machines run a script that is changed with their number, and never the one before it', () => {
    const more = desired({ web: { ...leaf, size: 3, boot: ['true'] } }, web);
    const [grow, ...later] = planOf(web, more).waypoints;
    expect(grow?.target?.pools[0]?.boot).toBe(more.pools[0]?.boot);
    expect(later).toEqual([]);
    const work = grow?.stages.find(({ stage }) => stage === 'configuration')?.work;
    expect(work).toMatchObject({ boot: expect.arrayContaining(more.pools[0]?.nodes.map(({ name }) => name) ?? []) });
  });

  it('the script of machines that balance runs again only when it is changed', () => {
    const roles = [{ name: 'http', protocol: 'tcp', port: 80, targetPort: 80, targetPools: ['web'] }];
    const dns = { dnsZone: 'a.test', provider: 'sim-1', hostname: 'shop' };
    const loadBalancers = { roles, clusters: [{ name: 'entry', roles: ['http'], dns, pools: ['front'] }] };
    const balanced = desired({ web: leaf, front: { ...leaf, boot } }, null, { loadBalancers });
    const more = desired({ web: { ...leaf, size: 3 }, front: { ...leaf, boot } }, balanced, { loadBalancers });
    for (const { stages } of planOf(balanced, more).waypoints)
      for (const { work } of stages) expect(work).not.toHaveProperty('boot');
  });

  it('fewer machines are a shrink without a drain', () => {
    expect(pathOf(web, desired({ web: { ...leaf, size: 1, boot } }, web))).toEqual([
      'shrink configuration infrastructure',
    ]);
  });

  it('a changed boot script is one change that touches no machine of other groups', () => {
    const two = desired({ web: { ...leaf, boot }, batch: leaf });
    const changed = desired({ web: { ...leaf, boot: ['true'], maxUnavailable: 2 }, batch: leaf }, two);
    expect(pathOf(two, changed)).toEqual(['settle configuration']);
    const { changes, stages } = planOf(two, changed).waypoints[0] ?? {};
    expect(changes).toMatchObject([{ kind: 'BootChanged', removed: false }]);
    expect(stages?.[0]?.work).toMatchObject({
      install: [],
      peers: [],
      boot: two.pools[0]?.nodes.map(({ name }) => name),
    });
  });

  it('a boot script that is removed changes nothing on the machines', () => {
    expect(pathOf(web, desired({ web: leaf }, web))).toEqual(['settle']);
  });

  it('other open ports are a change of the firewall only', () => {
    const open = desired({ web: { ...leaf, boot, openPorts: [80] } }, web);
    expect(pathOf(web, open)).toEqual(['settle infrastructure configuration']);
    const work = planOf(web, open).waypoints[0]?.stages.find(({ stage }) => stage === 'configuration')?.work;
    expect(work).toMatchObject({ firewall: web.pools[0]?.nodes.map(({ name }) => name), install: [], peers: [] });
    expect(work).not.toHaveProperty('boot');
  });

  it('the end of all groups is a destroy', () => {
    expect(pathOf(web, null)).toEqual(['destroy infrastructure']);
  });

  it('a machine that is gone is made as it was, with its boot script and without Kubernetes', () => {
    const [node] = web.pools[0]?.nodes ?? [];
    const where = { node: node?.name ?? '', provider: 'sim-1' };
    const item = { kind: 'machine', where, message: 'is gone', repairable: true } as const;
    const [waypoint] = repairWaypoints(web, [item]);
    expect(waypoint?.stages.map(({ stage }) => stage)).toEqual(['infrastructure', 'configuration']);
    expect(waypoint?.stages[1]?.work).toMatchObject({ install: [node?.name], boot: [node?.name] });
  });

  it('machine groups cannot become a Kubernetes cluster, nor the other way round', () => {
    const cluster = desiredOf({
      manifest: manifestOf({ dynamic: [control(1), compute(1)] }),
    });
    for (const [from, to] of [
      [web, { ...cluster, id: web.id }],
      [{ ...cluster, id: web.id }, web],
    ] as const) {
      expect(planOf(from, to).refusals.map(({ reason }) => reason)).toEqual([expect.stringContaining('cannot become')]);
    }
  });
});
