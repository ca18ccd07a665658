import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allNodes, allPools, ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { roleTargets } from '#domain/planning/states/role-targets.ts';
import { countingIds, desiredOf, manifestArbitrary } from './arbitraries.ts';
import { balancer, compute, control, manifestOf } from './manifests.ts';

const nodeNames = (pool: NodePoolState | undefined) => pool?.nodes.map((node) => node.name);

describe('first desired state', () => {
  const state = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(2)] }) });

  test('the first desired state has hashed ids, hexadecimal node names and addresses in sequence', () => {
    expect(() => ClusterState.parse(state)).not.toThrow();
    expect(state.id).toMatch(/^c-[a-z0-9]{7}$/);
    expect(state.pools.map((pool) => pool.id)).toEqual([
      expect.stringMatching(/^control-[a-z0-9]{7}$/),
      expect.stringMatching(/^compute-[a-z0-9]{7}$/),
    ]);
    expect(nodeNames(state.pools[1])).toEqual([`${state.pools[1]?.id}-01`, `${state.pools[1]?.id}-02`]);
    expect(allNodes(state).map(({ node }) => node.privateAddress)).toEqual([
      '192.168.2.1',
      '192.168.2.2',
      '192.168.2.3',
    ]);
  });

  test('the API endpoint of the first desired state is the first control node', () => {
    expect(state.apiEndpoint).toEqual({ kind: 'node', node: state.pools[0]?.nodes[0]?.name });
  });

  test('the desired state of a cluster that the manifest does not have is null', () => {
    const question = { manifest: manifestOf(), cluster: 'other', current: null, attempted: null, templates: {} };
    expect(buildDesiredState({ ...question, ids: countingIds('x') })).toBeNull();
  });
});

describe('pools of a manifest', () => {
  test('a pool is created once for each use: as control, as compute, and for each load balancer', () => {
    const manifest = manifestOf({
      dynamic: [{ name: 'all', count: 1 }],
      control: ['all'],
      compute: ['all'],
      loadBalancers: [
        { name: 'lb1', roles: [], pools: ['all'] },
        { name: 'lb2', roles: [], pools: ['all'] },
      ],
    });
    const pools = allPools(desiredOf({ manifest }));
    expect(pools.map((pool) => pool.role)).toEqual(['control', 'compute', 'loadBalancer', 'loadBalancer']);
    expect(new Set(pools.map((pool) => pool.id)).size).toBe(4);
  });

  test('a pool with capitals and _ keeps its name, while ids and machine names are DNS names', () => {
    const manifest = manifestOf({
      dynamic: [control(1), { name: 'Web_GPU', count: 2 }],
      compute: ['Web_GPU', 'Own_Metal'],
      static: [{ name: 'Own_Metal', endpoints: ['203.0.113.1'] }],
    });
    const current = desiredOf({ manifest });
    const [, web, own] = current.pools;
    expect([web?.name, own?.name]).toEqual(['Web_GPU', 'Own_Metal']);
    expect(web?.id).toMatch(/^web-gpu-[a-z0-9]{7}$/);
    expect(own?.id).toBe('own-metal');
    expect(allNodes(current).map(({ node }) => node.name)).toEqual([
      expect.stringMatching(/^control-[a-z0-9]{7}-01$/),
      `${web?.id}-01`,
      `${web?.id}-02`,
      'own-metal-01',
    ]);
    expect(desiredOf({ manifest, current, ids: 'y' })).toEqual(current);
  });

  test('a pool gets the lowest free subnet of its provider instance and region', () => {
    const manifest = manifestOf({ dynamic: [control(1), compute(1), { name: 'more' }], compute: ['compute', 'more'] });
    const subnets = desiredOf({ manifest }).pools.map(({ source }) => source.kind === 'dynamic' && source.subnet);
    expect(subnets).toEqual(['10.0.0.0/24', '10.0.0.0/24', '10.0.1.0/24']);
  });
});

describe('current state', () => {
  const current = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(3)] }) });

  test('the current ids, names and addresses are kept, and a pool shrinks from its tail', () => {
    const smaller = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(2)] }), current, ids: 'y' });
    expect(smaller.pools[1]?.nodes).toEqual(current.pools[1]?.nodes.slice(0, 2));
    expect(smaller.pools[0]).toEqual(current.pools[0]);
  });

  test('the current state takes precedence over an attempted one, and both over new values', () => {
    const attempted = desiredOf({ manifest: manifestOf({ dynamic: [control(1), compute(5)] }), current, ids: 'y' });
    const goal = manifestOf({ dynamic: [control(1), compute(6)] });
    const desired = desiredOf({ manifest: goal, current, attempted, ids: 'z' });
    expect(desired.pools[1]?.nodes.slice(0, 5)).toEqual(attempted.pools[1]?.nodes);
    expect(desired.pools[1]?.nodes[5]?.name).toBe(`${current.pools[1]?.id}-06`);
  });

  test('a pool that was only attempted is adopted, unless its machines changed since', () => {
    const goal = { dynamic: [control(1), compute(3), { name: 'more' }], compute: ['compute', 'more'] };
    const attempted = desiredOf({ manifest: manifestOf(goal), current, ids: 'y' });
    const again = desiredOf({ manifest: manifestOf(goal), current, attempted, ids: 'z' });
    expect(again).toEqual(attempted);
    const fixed = { ...goal, dynamic: [control(1), compute(3), { name: 'more', image: 'ubuntu-22.04' }] };
    const other = desiredOf({ manifest: manifestOf(fixed), current, attempted, ids: 'z' });
    expect(other.pools[2]?.id).not.toBe(attempted.pools[2]?.id);
  });

  test('an autoscaled pool keeps its size within its bounds', () => {
    const sized = (min: number, max: number) =>
      desiredOf({
        manifest: manifestOf({ dynamic: [control(1), compute(0, { autoscaler: { min, max } })] }),
        current,
        ids: 'y',
      }).pools[1]?.nodes.length;
    expect([sized(1, 5), sized(4, 5), sized(1, 2)]).toEqual([3, 4, 2]);
  });

  test('an API endpoint on a node stays there while the node exists, whatever the order of pools', () => {
    const goal = manifestOf({ dynamic: [control(1), compute(3), { name: 'brain' }], control: ['brain', 'control'] });
    expect(desiredOf({ manifest: goal, current, ids: 'y' }).apiEndpoint).toEqual(current.apiEndpoint);
  });
});

describe('static nodes', () => {
  const rack = (...endpoints: string[]) =>
    manifestOf({ static: [{ name: 'rack', endpoints }], dynamic: [control(1)], compute: ['rack'] });

  test('static nodes are recognised by their endpoint, whatever their order', () => {
    const current = desiredOf({ manifest: rack('203.0.113.1', '203.0.113.2') });
    const desired = desiredOf({ manifest: rack('203.0.113.2', '203.0.113.3'), current, ids: 'y' });
    expect(desired.pools[1]?.nodes.map(({ name, privateAddress }) => [name, privateAddress])).toEqual([
      ['rack-02', current.pools[1]?.nodes[1]?.privateAddress],
      ['rack-03', '192.168.2.4'],
    ]);
  });
});

describe('load balancers', () => {
  const lb = (dns: Readonly<Record<string, unknown>> = {}, roles = ['api', 'web']) =>
    manifestOf({
      dynamic: [control(1), compute(1), balancer(1)],
      loadBalancers: [{ name: 'lb', roles, pools: ['balancer'], dns }],
    });
  const current = desiredOf({ manifest: lb() });

  test('a load balancer gets a host name of 17 characters once, and keeps it while its zone stays', () => {
    const hostname = current.loadBalancers[0]?.dns.hostname;
    expect(hostname).toMatch(/^[a-z0-9]{17}$/);
    expect(desiredOf({ manifest: lb(), current, ids: 'y' }).loadBalancers[0]?.dns.hostname).toBe(hostname);
    const moved = desiredOf({ manifest: lb({ dnsZone: 'other.example' }), current, ids: 'y' });
    expect(moved.loadBalancers[0]?.dns.hostname).not.toBe(hostname);
    expect(desiredOf({ manifest: lb({ hostname: 'k8s' }), current }).loadBalancers[0]?.dns.hostname).toBe('k8s');
  });

  test('a name that exists in capitals or with a dot at the end stays as it is, and a new zone or a new name has the normal form', () => {
    const dns = { zone: 'Example.com.', hostname: 'K8s', alternativeNames: ['WWW', 'Old'] };
    const loadBalancers = current.loadBalancers.map((each) => ({ ...each, dns: { ...each.dns, ...dns } }));
    const namesOf = (written: Readonly<Record<string, unknown>>) => {
      const [after] = desiredOf({ manifest: lb(written), current: { ...current, loadBalancers } }).loadBalancers;
      return [after?.dns.zone, after?.dns.hostname, after?.dns.alternativeNames];
    };
    expect(namesOf({ hostname: 'k8s', alternativeNames: ['new', 'www'] })).toEqual([
      'Example.com.',
      'K8s',
      ['new', 'WWW'],
    ]);
    expect(namesOf({})).toEqual(['Example.com.', 'K8s', []]);
    expect(namesOf({ dnsZone: 'other.example', hostname: 'k8s' })).toEqual(['other.example', 'k8s', []]);
  });

  test('a load balancer with the API role is the API endpoint', () => {
    expect(current.apiEndpoint).toEqual({ kind: 'loadBalancer', loadBalancer: 'lb' });
    const detached = desiredOf({ manifest: lb({}, ['web']), current, ids: 'y' });
    expect(detached.apiEndpoint).toEqual({ kind: 'node', node: current.pools[0]?.nodes[0]?.name });
  });

  test('the older role targets are expanded to pools: the API targets control nodes only', () => {
    const roles = current.loadBalancers[0]?.roles ?? [];
    expect(roles.map(({ name, targetPools, servesApi }) => [name, targetPools, servesApi])).toEqual([
      ['api', ['control'], true],
      ['web', ['compute'], false],
    ]);
    const [api] = roles;
    expect(api && roleTargets(current, api)).toEqual(current.pools[0]?.nodes);
  });
});

describe('installation proxy', () => {
  const proxyOf = (proxy: Readonly<Record<string, string>>, provider: string) =>
    desiredOf({ manifest: manifestOf({ proxy, dynamic: [control(1, { provider }), compute(1)] }) }).installationProxy;

  test('the installation proxy is on by default only with an endpoint and a dynamic Hetzner pool', () => {
    const endpoint = 'http://proxy.example.com:3128';
    expect(proxyOf({ mode: 'default', endpoint }, 'hz-1').enabled).toBe(true);
    expect(proxyOf({ mode: 'default' }, 'hz-1').enabled).toBe(false);
    expect(proxyOf({ mode: 'default', endpoint }, 'azure-1').enabled).toBe(false);
    expect(proxyOf({ mode: 'off', endpoint }, 'hz-1').enabled).toBe(false);
    expect(proxyOf({ mode: 'on', endpoint }, 'azure-1').enabled).toBe(true);
  });

  test('the installation proxy has the hosts of the user, trimmed, each once', () => {
    expect(
      proxyOf(
        { mode: 'on', endpoint: 'http://proxy.example.com:3128', noProxy: ' a.example, b.example ,,a.example' },
        'hz-1',
      ).noProxy,
    ).toEqual(['a.example', 'b.example']);
  });
});

describe('impossible desired states', () => {
  test('a network without a free address is refused with a sentence', () => {
    const manifest = manifestOf({ network: '192.168.2.0/30', dynamic: [control(1), compute(2)] });
    expect(() => desiredOf({ manifest })).toThrow(/192\.168\.2\.0\/30 has no free address .* larger network/);
  });
});

describe('any manifest', () => {
  test('any manifest planned again from its own result changes nothing', () => {
    fc.assert(
      fc.property(manifestArbitrary, (manifest) => {
        const current = desiredOf({ manifest });
        expect(desiredOf({ manifest, current, ids: 'y' })).toEqual(current);
        expect(desiredOf({ manifest, attempted: current, ids: 'y' })).toEqual(current);
      }),
      { numRuns: 100 },
    );
  });

  test('the desired state is the same from every waypoint after the first additions', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(manifestArbitrary, manifestArbitrary, (first, manifest) => {
        const current = desiredOf({ manifest: first });
        const desired = desiredOf({ manifest, current, ids: 'y' });
        fc.pre(!namesAreRecreated(current, desired));
        const { waypoints } = planClusterPath({ cluster: 'c', current, attempted: null, desired });
        const grown = waypoints.findIndex(({ direction }) => direction === 'grow');
        for (const { target } of waypoints.slice(Math.max(0, grown))) {
          expect(desiredOf({ manifest, current: target, ids: 'z' })).toEqual(desired);
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** A random host name in a new zone is only kept once a waypoint with it was tried. */
function namesAreRecreated(current: ClusterState, desired: ClusterState): boolean {
  return desired.loadBalancers.some(({ id, dns }) => {
    const known = current.loadBalancers.find((candidate) => candidate.id === id);
    return known !== undefined && known.dns.zone !== dns.zone && !['fixed', 'other'].includes(dns.hostname);
  });
}
