import { describe, expect, test } from 'vitest';
import type { Refusal } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { balancer, compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

interface Case {
  readonly title: string;
  readonly from: ManifestSpec;
  readonly to: ManifestSpec;
  readonly path: string;
  readonly reason: RegExp;
}

const rack = (name: string, endpoints: readonly string[]) => [{ name, endpoints }];

const cases: readonly Case[] = [
  {
    title: 'no control node left',
    from: {},
    to: {
      dynamic: [
        control(0, { autoscaler: { min: 0, max: 1 } }),
        { name: 'brain', autoscaler: { min: 0, max: 2 } },
        compute(2),
      ],
      control: ['brain'],
    },
    path: 'spec.kubernetes.clusters[c].pools.control',
    reason: /no control node would be left/,
  },
  {
    title: 'an older Kubernetes',
    from: { version: '1.36.0' },
    to: { version: '1.35.4' },
    path: 'spec.kubernetes.clusters[c].version',
    reason: /cannot go back from 1\.36\.0 to 1\.35\.4/,
  },
  {
    title: 'a Kubernetes that cannot be reached',
    from: { version: '1.36.0' },
    to: { version: '1.38.0' },
    path: 'spec.kubernetes.clusters[c].version',
    reason: /leads from Kubernetes 1\.36\.0 to 1\.37\.0/,
  },
  {
    title: 'another network',
    from: {},
    to: { network: '10.9.0.0/16' },
    path: 'spec.kubernetes.clusters[c].network',
    reason: /network of the cluster "c" cannot be changed from .*: the addresses of all nodes are in it/,
  },
  {
    title: 'another network of pods',
    from: { kubernetes: { cni: 'canal' } },
    to: {},
    path: 'spec.kubernetes.clusters[c].cni',
    reason: /network of pods of the cluster "c" cannot be changed from canal to cilium/,
  },
  {
    title: 'another server type in place',
    from: {},
    to: { dynamic: [control(1), compute(2, { serverType: 'large' })] },
    path: 'spec.nodePools.dynamic[compute].serverType',
    reason: /serverType of the pool "compute" cannot be changed in place/,
  },
  {
    title: 'another zone in place, also with new templates',
    from: {},
    to: { dynamic: [control(1), compute(2, { providerSpec: { name: 'aws-1', region: 'there' } })] },
    path: 'spec.nodePools.dynamic[compute].providerSpec.region',
    reason: /^providerSpec\.region of the pool "compute" cannot be changed in place/,
  },
  {
    title: 'spot in place',
    from: {},
    to: { dynamic: [control(1), compute(2, { spot: true })] },
    path: 'spec.nodePools.dynamic[compute].spot',
    reason: /spot of the pool "compute"/,
  },
  {
    title: 'an API load balancer without a node',
    from: {},
    to: {
      dynamic: [control(1), compute(2), balancer(0, { autoscaler: { min: 0, max: 1 } })],
      loadBalancers: [{ name: 'lb', roles: ['api'], pools: ['balancer'] }],
    },
    path: 'spec.loadBalancers.clusters[lb]',
    reason: /has no node or no API role/,
  },
  {
    title: 'a protected pool removed',
    from: { dynamic: [control(1), compute(2, { protect: true })] },
    to: { dynamic: [control(1)], compute: [] },
    path: 'spec.nodePools.dynamic[compute].protect',
    reason: /protected, and .*-01, .*-02 would be removed/,
  },
  {
    title: 'a node of a protected pool removed',
    from: { dynamic: [control(1), compute(2, { protect: true })] },
    to: { dynamic: [control(1), compute(1, { protect: true })] },
    path: 'spec.nodePools.dynamic[compute].count',
    reason: /-02 would be removed/,
  },
  {
    title: 'the only control machine moved to another pool',
    from: { static: rack('rack', ['203.0.113.1']), control: ['rack'], dynamic: [compute(1)] },
    to: { static: rack('shelf', ['203.0.113.1']), control: ['shelf'], dynamic: [compute(1)] },
    path: 'spec.kubernetes.clusters[c].pools.control',
    reason: /while they are away, no control node/,
  },
];

describe('refused changes', () => {
  test.each(cases)(
    'a change is refused with place, reason and fix, and nothing is planned: $title',
    ({ from, to, path, reason }) => {
      const { refusals, waypoints } = planned(from, to);
      expect(waypoints).toEqual([]);
      const refusal = refusals.find((candidate) => candidate.path === path);
      expect(refusal?.reason).toMatch(reason);
      expect(refusal?.fix).not.toBe('');
    },
  );

  test('a protected pool may go once its protection was lifted on the pool', () => {
    const { refusals } = planned(
      { dynamic: [control(1), compute(2, { protect: true })] },
      { dynamic: [control(1), compute(1)] },
    );
    expect(refusals).toEqual([]);
  });

  test('a protected cluster, or one with a protected pool, is not destroyed', () => {
    for (const goal of [{ protect: true }, { dynamic: [control(1, { protect: true }), compute(1)] }]) {
      const current = desiredOf({ manifest: manifestOf(goal) });
      const plan = planClusterPath({ cluster: 'c', current, attempted: null, desired: null });
      expect(plan.waypoints).toEqual([]);
      expect(plan.refusals.map(({ path }) => path)).toEqual([expect.stringMatching(/protect$/)]);
    }
  });

  test('a new cluster with a Kubernetes version that no KubeOne release builds is refused', () => {
    const desired = desiredOf({ manifest: manifestOf({ version: '1.29.0' }) });
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired });
    expect(plan.waypoints).toEqual([]);
    expect(plan.refusals).toEqual([
      expect.objectContaining({ reason: 'no known KubeOne release builds Kubernetes 1.29.0' }),
    ]);
  });

  test('a new cluster with Canal is refused with what to write; one that has it, or whose creation has started, continues', () => {
    const canal = { kubernetes: { cni: 'canal' } } as const;
    const desired = desiredOf({ manifest: manifestOf(canal) });
    const { refusals, waypoints } = planClusterPath({ cluster: 'c', current: null, attempted: null, desired });
    expect(refusals).toEqual([
      {
        path: 'spec.kubernetes.clusters[c].cni',
        reason: expect.stringMatching(
          /^the cluster "c" is new, and cni: canal is only for clusters that have it already/,
        ),
        fix: expect.stringMatching(/leave cni out, which means Cilium; or write cni: external/),
        about: expect.anything(),
      },
    ]);
    expect(waypoints).toEqual([]);
    const grown = desiredOf({
      manifest: manifestOf({ ...canal, dynamic: [control(1), compute(3)] }),
      current: desired,
    });
    for (const ends of [
      { current: desired, attempted: null, desired: grown },
      { current: null, attempted: desired, desired },
    ])
      expect(planClusterPath({ cluster: 'c', ...ends }).refusals).toEqual([]);
  });

  test('an upgrade that has started is not undone', () => {
    const current = desiredOf({ manifest: manifestOf() });
    const attempted = { ...current, kubernetesVersion: '1.35.0' };
    const plan = planClusterPath({ cluster: 'c', current, attempted, desired: current });
    expect(plan.refusals[0]?.reason).toMatch(/cannot go back from 1\.35\.0 to 1\.34\.1/);
  });
});

function planned(
  from: ManifestSpec,
  to: ManifestSpec,
): { refusals: readonly Refusal[]; waypoints: readonly unknown[] } {
  const current = desiredOf({ manifest: manifestOf(from) });
  const desired = desiredOf({ manifest: manifestOf(to), current, ids: 'y' });
  return planClusterPath({ cluster: 'c', current, attempted: null, desired });
}
