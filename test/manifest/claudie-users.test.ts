/** What a manifest that works with Claudie may hold, and what Kubeloom reports about it. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { subnetSource } from '#domain/addresses.ts';
import { overlap, parseNetwork } from '#domain/manifest/schema/networks.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { dnsForm } from '#domain/naming.ts';
import { manifestWith } from './manifest-files.ts';

describe('manifests that work with Claudie', () => {
  it.each(['web_https', 'HTTPS', 'Web.v2'])('a role may be named %s', (name) => {
    const manifest = manifestWith((spec) => {
      for (const role of spec.loadBalancers.roles) role.name = name;
      for (const balancer of spec.loadBalancers.clusters) balancer.roles = [name];
    });
    expect(validateManifest(manifest, { readObjects }).faults).toEqual([]);
  });

  it.each(['../etc', '-a', 'a b', 'a\nb', ''])(
    'a role may not be named %j, as the name is written into a configuration',
    (name) => {
      const manifest = manifestWith((spec) => {
        for (const role of spec.loadBalancers.roles) role.name = name;
      });
      expect(validateManifest(manifest, { readObjects }).faults.map(({ path }) => path)).toContain(
        'spec.loadBalancers.roles[0].name',
      );
    },
  );

  it.each([
    ['Compute_Pool', 'compute-pool'],
    ['GPU', 'gpu'],
    ['a_', undefined],
    ['_a', undefined],
    ['a.b', undefined],
    ['ä', undefined],
  ])('a pool may be named %s only if machines can be named after it', (name, form) => {
    const manifest = manifestWith((spec) => {
      for (const pool of spec.nodePools.dynamic) if (pool.name === 'compute') pool.name = name;
      for (const { pools } of spec.kubernetes.clusters) pools.compute = [name];
    });
    const named = validateManifest(manifest, { readObjects }).manifest?.spec.nodePools.dynamic[1]?.name;
    expect(named).toBe(form && name);
    expect(named && dnsForm(named)).toBe(form);
  });

  it('two pools whose machines would have the same names are refused', () => {
    const manifest = manifestWith((spec) => {
      for (const pool of spec.nodePools.dynamic) if (pool.name === 'compute') pool.name = 'Control';
    });
    expect(validateManifest(manifest, { readObjects }).faults).toContainEqual(
      expect.objectContaining({
        path: 'spec.nodePools.dynamic[1].name',
        reason: '"Control" and "control" (spec.nodePools.dynamic[0]) both become "control" in names of machines',
      }),
    );
  });

  it.each(['10.0.64.0/24', '10.0.128.0/17', '10.0.1.0/24'])(
    'a cluster may have the network %s, and its pools get other subnets',
    (network) => {
      const manifest = manifestWith((spec) => {
        for (const cluster of spec.kubernetes.clusters) cluster.network = network;
      });
      expect(validateManifest(manifest, { readObjects }).faults).toEqual([]);
      const mesh = parseNetwork(network);
      const next = subnetSource(network, []);
      const subnets = Array.from({ length: 100 }, () => parseNetwork(next('sim-1', 'here')));
      expect(subnets.filter((subnet) => subnet && mesh && overlap(subnet, mesh))).toEqual([]);
    },
  );

  it.each(['10.0.0.0/24', '10.0.0.0/16', '10.0.0.0/17'])(
    'a cluster in clouds may not have the network %s',
    (network) => {
      const manifest = manifestWith((spec) => {
        for (const cluster of spec.kubernetes.clusters) cluster.network = network;
      });
      expect(validateManifest(manifest, { readObjects }).faults).toEqual([
        expect.objectContaining({ reason: expect.stringContaining('the name server of AWS (10.0.0.2)') }),
      ]);
    },
  );

  it.each([
    { title: 'a warning without', change: {}, ids: ['unknown-capacity'] },
    { title: 'none with a capacity', change: { capacity: { cpu: 4, memory: 16 } }, ids: [] },
  ])('an autoscaled pool that may have no nodes gets $title', ({ change, ids }) => {
    const manifest = manifestWith((spec) => {
      const pool = spec.nodePools.dynamic.find(({ name }) => name === 'compute');
      if (pool) Object.assign(pool, { count: undefined, autoscaler: { min: 0, max: 3, ...change } });
    });
    const { faults, warnings } = validateManifest(manifest, { readObjects });
    expect(faults).toEqual([]);
    expect(warnings.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [
      { reachApi: false, atWork: new Set<string>() },
      'clusters cannot reach the API of this installation: a new one starts with 1 node',
    ],
    [{ reachApi: true, reachedFrom: ['local'], atWork: new Set<string>() }, 'clusters cannot reach the API'],
    [{ reachApi: true, atWork: new Set<string>() }, 'no autoscaler of cluster'],
  ])('an autoscaled pool gets a warning as long as nothing scales it (%o)', (agents, reason) => {
    const manifest = manifestWith((spec) => {
      const pool = spec.nodePools.dynamic.find(({ name }) => name === 'compute');
      if (pool) Object.assign(pool, { count: undefined, autoscaler: { min: 1, max: 3 } });
    });
    expect(validateManifest(manifest, { readObjects, agents }).warnings).toEqual([
      expect.objectContaining({
        id: 'nothing-scales',
        path: 'spec.nodePools.dynamic[1].autoscaler',
        reason: expect.stringContaining(reason),
      }),
    ]);
    const { namespace, name } = manifest.metadata;
    const atWork = new Set(manifest.spec.kubernetes.clusters.map((cluster) => `${namespace}/${name}/${cluster.name}`));
    expect(validateManifest(manifest, { readObjects, agents: { reachApi: true, atWork } }).warnings).toEqual([]);
    expect(validateManifest(manifest, { readObjects }).warnings, 'offline, nothing is known').toEqual([]);
  });
});

describe('control characters', () => {
  it.each(['serverType', 'image', 'region', 'zone'] as const)(
    'a text with control characters in %s is a fault',
    (field) => {
      const manifest = manifestWith((spec) => {
        const pool = spec.nodePools.dynamic[0];
        const place = field === 'region' || field === 'zone' ? pool?.providerSpec : pool;
        Object.assign(place ?? {}, { [field]: 'small\u001b[2J\r\n' });
      });
      const { faults } = validateManifest(manifest, { readObjects });
      expect(faults.map(({ reason }) => reason)).toEqual(['contains a control character']);
    },
  );
});
