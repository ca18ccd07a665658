import { describe, expect, it } from 'vitest';
import { manifestWith } from './manifest-files.ts';
import { refusedChanges, refusedDeletion } from './refused-changes.ts';

type Changes = NonNullable<Parameters<typeof manifestWith>[0]>;
type Spec = Parameters<Changes>[0];

const control = (spec: Spec) => spec.nodePools.dynamic.filter(({ name }) => name === 'control');
const cluster = (spec: Spec) => spec.kubernetes.clusters;
const refused = (before: Changes, after: Changes) => refusedChanges(manifestWith(before), manifestWith(after));
const nothing: Changes = () => {};

describe('fields of machines', () => {
  it.each([
    ['providerSpec.region', { providerSpec: { name: 'sim-1', region: 'elsewhere' } }],
    ['providerSpec.zone', { providerSpec: { name: 'sim-1', region: 'here', zone: 'a' } }],
    ['serverType', { serverType: 'large' }],
    ['image', { image: 'other' }],
    ['storageDiskSize', { storageDiskSize: 100 }],
    ['machineSpec', { machineSpec: { cpuCount: 2, memory: 8 } }],
    ['spot', { spot: true }],
  ])('a change of %s in place is refused', (field, change) => {
    const faults = refused(nothing, (spec) => {
      for (const pool of control(spec)) Object.assign(pool, change);
    });

    expect(faults.map(({ path }) => path)).toEqual([`spec.nodePools.dynamic[0].${field}`]);
    expect(faults[0]?.fix).toContain('add a pool with another name');
  });

  it('several changed fields of a pool are one fault that names them', () => {
    const faults = refused(nothing, (spec) => {
      for (const pool of control(spec)) Object.assign(pool, { serverType: 'large', image: 'other', spot: true });
    });

    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ path: 'spec.nodePools.dynamic[0]' });
    expect(faults[0]?.reason).toContain('serverType, image, spot of the pool "control"');
  });

  it('a changed pool that two clusters share is one fault, and so is a provider that changes its type', () => {
    const twice: Changes = (spec) => {
      const [first] = spec.kubernetes.clusters;
      if (first) spec.kubernetes.clusters.push({ ...structuredClone(first), name: 'two', network: '192.168.4.0/24' });
    };
    const faults = refused(twice, (spec) => {
      twice(spec);
      for (const provider of spec.providers) provider.providerType = 'local';
      for (const pool of control(spec)) Object.assign(pool, { serverType: 'large' });
    });

    expect(faults.map(({ path }) => path)).toEqual([
      'spec.providers[0].providerType',
      'spec.nodePools.dynamic[0].serverType',
    ]);
  });

  it('a replaceable pool may change, and a kubeloom.dev/replace with an unknown pool is refused', () => {
    const after = manifestWith((spec) => {
      for (const pool of control(spec)) Object.assign(pool, { serverType: 'large' });
    });
    const allowed = (names: string) =>
      refusedChanges(manifestWith(nothing), {
        ...after,
        metadata: { ...after.metadata, annotations: { 'kubeloom.dev/replace': names } },
      });

    expect(allowed('control')).toEqual([]);
    expect(allowed('control,contrl')[0]?.reason).toContain('there is no dynamic pool "contrl"');
  });

  it('a change of count, labels, taints or load balancers is not refused', () => {
    const faults = refused(nothing, (spec) => {
      for (const pool of control(spec)) {
        pool.count = 5;
        pool.labels = { a: 'b' };
        pool.taints = [{ key: 'a', effect: 'NoSchedule' }];
        pool.providerSpec = { region: 'here', name: 'sim-1' };
        pool.maxUnavailable = 2;
      }
      for (const { name } of cluster(spec)) expect(name).toBe('one');
      spec.loadBalancers = { roles: [], clusters: [] };
    });

    expect(faults).toEqual([]);
  });

  it('a pool under another name may have any machines', () => {
    const faults = refused(nothing, (spec) => {
      for (const pool of control(spec)) Object.assign(pool, { name: 'control-2', image: 'other', spot: true });
      for (const { pools } of cluster(spec)) pools.control = ['control-2'];
      for (const role of spec.loadBalancers.roles) role.targetPools = ['control-2'];
    });

    expect(faults).toEqual([]);
  });

  it('a provider that changes its type, and a pool that changes its kind, are refused', () => {
    const faults = refused(nothing, (spec) => {
      for (const provider of spec.providers) provider.providerType = 'local';
      for (const { name, labels, annotations, taints, protect, maxUnavailable } of spec.nodePools.dynamic.splice(
        0,
        1,
      )) {
        const nodes = [{ endpoint: '203.0.113.1', username: 'root', secretRef: { name: 'key', namespace: 'x' } }];
        spec.nodePools.static.push({ name, labels, annotations, taints, protect, maxUnavailable, nodes, sshPort: 22 });
      }
    });

    expect(faults.map(({ path }) => path)).toEqual(['spec.providers[0].providerType', 'spec.nodePools.static[0].name']);
  });
});

describe('fields of clusters', () => {
  it.each([
    ['network', '192.168.3.0/24', 'the network of the cluster "one" cannot be changed'],
    ['version', '1.34.9', 'Kubernetes cannot go back from 1.35.0 to 1.34.9'],
  ] as const)('a change of %s to %s is refused', (field, value, reason) => {
    const faults = refused(nothing, (spec) => {
      for (const entry of cluster(spec)) entry[field] = value;
    });

    expect(faults).toHaveLength(1);
    expect(faults[0]?.path).toBe(`spec.kubernetes.clusters[0].${field}`);
    expect(faults[0]?.reason).toContain(reason);
  });

  it('a newer Kubernetes version is accepted, also several minor versions at once', () => {
    const faults = refused(
      (spec) => {
        for (const entry of cluster(spec)) entry.version = '1.33.10';
      },
      (spec) => {
        for (const entry of cluster(spec)) entry.version = '1.36.0';
      },
    );

    expect(faults).toEqual([]);
  });
});

describe('protection', () => {
  const protectedSpec: Changes = (spec) => {
    for (const pool of control(spec)) pool.protect = true;
    for (const entry of cluster(spec)) entry.protect = true;
  };

  it('the removal of a protected pool or cluster is refused, whatever the new manifest says', () => {
    const faults = refused(protectedSpec, (spec) => {
      spec.nodePools.dynamic = [];
      spec.kubernetes.clusters = [];
    });

    expect(faults.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'spec.kubernetes.clusters: the cluster "one" is protected',
      'spec.nodePools.dynamic: the pool "control" is protected',
    ]);
  });

  it('the removal of a node of a protected pool is refused, unless the protection is removed too', () => {
    const smaller =
      (protect: boolean): Changes =>
      (spec) => {
        for (const pool of control(spec)) Object.assign(pool, { count: 1, protect });
      };

    expect(refused(protectedSpec, smaller(true)).map(({ path }) => path)).toEqual(['spec.nodePools.dynamic[0].count']);
    expect(refused(protectedSpec, smaller(false))).toEqual([]);
  });

  it('the deletion of a protected manifest is refused, and what protects it is named', () => {
    const manifest = manifestWith((spec) => {
      protectedSpec(spec);
    });

    expect(refusedDeletion(manifestWith())).toEqual([]);
    expect(refusedDeletion(manifest).map(({ path }) => path)).toEqual([
      'spec.kubernetes.clusters[0].protect',
      'spec.nodePools.dynamic[0].protect',
    ]);
  });
});
