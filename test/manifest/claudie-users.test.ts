/** What a manifest that works with Claudie may hold, and what is said of it here. */
import { describe, expect, it } from 'vitest';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { manifestWith } from './manifest-files.ts';

describe('a manifest that works with Claudie', () => {
  it.each(['web_https', 'HTTPS', 'Web.v2'])('may name a role %s', (name) => {
    const manifest = manifestWith((spec) => {
      for (const role of spec.loadBalancers.roles) role.name = name;
      for (const balancer of spec.loadBalancers.clusters) balancer.roles = [name];
    });
    expect(validateManifest(manifest).faults).toEqual([]);
  });

  it.each(['../etc', '-a', 'a b', 'a\nb', ''])('may not name a role %j, as it ends up in a configuration', (name) => {
    const manifest = manifestWith((spec) => {
      for (const role of spec.loadBalancers.roles) role.name = name;
    });
    expect(validateManifest(manifest).faults.map(({ path }) => path)).toContain('spec.loadBalancers.roles[0].name');
  });

  it('is told that nothing scales an autoscaled pool yet', () => {
    const manifest = manifestWith((spec) => {
      const pool = spec.nodePools.dynamic.find(({ name }) => name === 'compute');
      if (pool) Object.assign(pool, { count: undefined, autoscaler: { min: 1, max: 3 } });
    });
    const { faults, warnings } = validateManifest(manifest);
    expect(faults).toEqual([]);
    expect(warnings).toEqual([
      expect.objectContaining({
        path: 'spec.nodePools.dynamic[1].autoscaler',
        reason: 'nothing scales the pool yet: it has 1 node until the manifest says otherwise',
      }),
    ]);
  });
});

describe('a text with control characters', () => {
  it.each(['serverType', 'image', 'region', 'zone'] as const)('is a fault in %s', (field) => {
    const manifest = manifestWith((spec) => {
      const pool = spec.nodePools.dynamic[0];
      const place = field === 'region' || field === 'zone' ? pool?.providerSpec : pool;
      Object.assign(place ?? {}, { [field]: 'small\u001b[2J\r\n' });
    });
    const { faults } = validateManifest(manifest);
    expect(faults.map(({ reason }) => reason)).toEqual(['has a control character in it']);
  });
});
