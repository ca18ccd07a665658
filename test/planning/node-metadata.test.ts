import { describe, expect, test } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { parsePath } from '#domain/manifest/faults/fault.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { labelKeys } from '#domain/node-labels.ts';
import { nodeAnnotations, nodeLabels, nodeTaints, storageTag } from '#domain/planning/desired/node-metadata.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';

function poolOf(desired: ManifestSpec, name: string): NodePoolState {
  const pool = desiredOf({ manifest: manifestOf(desired) }).pools.find((candidate) => candidate.name === name);
  if (pool === undefined) throw new Error(`no pool ${name}`);
  return pool;
}

const node = { name: 'n', privateAddress: '192.168.2.9' };

describe('nodes of a dynamic pool', () => {
  const pool = poolOf(
    {
      dynamic: [
        control(1),
        compute(1, {
          providerSpec: { name: 'aws-1', region: 'Germany West Central', zone: 'AD:1' },
          labels: { 'claudie.io/provider': 'mine', Tier: 'Front_End' },
          spot: true,
          taints: [{ key: 'claudie.io/spot', value: 'true', effect: 'NoSchedule' }],
        }),
      ],
    },
    'compute',
  );

  test('nodes of a dynamic pool have our labels in valid values, which users cannot replace', () => {
    expect(nodeLabels(pool, node)).toEqual({
      tier: 'front-end',
      'claudie.io/nodepool': 'compute',
      'claudie.io/provider': 'aws',
      'claudie.io/provider-instance': 'aws-1',
      'claudie.io/node-type': 'compute',
      'claudie.io/spot': 'true',
      'topology.kubernetes.io/region': 'germany-west-central',
      'topology.kubernetes.io/zone': 'ad-1',
      'kubernetes.io/os': 'linux',
      'v1.kubeone.io/operating-system': 'ubuntu',
    });
  });

  test('nodes of a dynamic pool have each taint once', () => {
    expect(nodeTaints(pool, node)).toEqual([{ key: 'claudie.io/spot', value: 'true', effect: 'NoSchedule' }]);
  });

  test('nodes of a dynamic pool have the storage tag of their provider instance', () => {
    expect(nodeAnnotations(pool, node)).toEqual({ 'node.longhorn.io/default-node-tags': '["aws-1-zone"]' });
    const tagged = { ...pool, annotations: { 'node.longhorn.io/default-node-tags': '["fast"]' } };
    expect(nodeAnnotations(tagged, node)['node.longhorn.io/default-node-tags']).toBe('["fast","aws-1-zone"]');
    expect(storageTag(pool)).toBe('aws-1-zone');
  });
});

describe('other nodes', () => {
  test('control nodes have the control plane taint, and no storage tag', () => {
    const pool = poolOf({}, 'control');
    expect(nodeTaints(pool, node)).toEqual([{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }]);
    expect(nodeAnnotations(pool, node)).toEqual({});
  });

  test.each(['static', 'dynamic'] as const)(
    'nodes of a %s pool keep exactly the labels that no warning reports as ignored',
    (kind) => {
      const pools = { dynamic: [control(1), compute(1)], static: [{ name: 'rack', endpoints: ['203.0.113.1'] }] };
      const labels = Object.fromEntries([...Object.values(labelKeys), 'team'].map((key) => [key, 'mine']));
      const document = manifestOf({ ...pools, compute: ['compute', 'rack'] });
      const manifest = structuredClone(document);
      for (const pool of [...manifest.spec.nodePools.dynamic, ...manifest.spec.nodePools.static]) pool.labels = labels;
      const place = `spec.nodePools.${kind}[${kind === 'static' ? 0 : 1}].labels`;
      const ignored = validateManifest(manifest, { readObjects })
        .warnings.filter(({ id, path }) => id === 'reserved-label' && path.startsWith(place))
        .map(({ path }) => parsePath(path).at(-1));
      const found = desiredOf({ manifest }).pools.find(({ name }) => name === (kind === 'static' ? 'rack' : 'compute'));
      const onNode = found ? nodeLabels(found, node) : {};
      expect(Object.keys(labels).filter((key) => onNode[key] === 'mine')).toEqual(
        Object.keys(labels).filter((key) => !ignored.includes(key)),
      );
    },
  );

  test('users may set the location labels of static nodes, and no other label of Kubeloom', () => {
    const desired = {
      static: [{ name: 'rack', endpoints: ['203.0.113.1'] }],
      compute: ['rack'],
      dynamic: [control(1)],
    };
    const labels = {
      'topology.kubernetes.io/zone': 'cellar',
      'claudie.io/provider-instance': 'our-rack',
      'claudie.io/nodepool': 'mine',
    };
    const pool = { ...poolOf(desired, 'rack'), labels };
    expect(nodeLabels(pool, node)).toMatchObject({
      'topology.kubernetes.io/zone': 'cellar',
      'claudie.io/provider-instance': 'our-rack',
      'claudie.io/nodepool': 'rack',
      'claudie.io/provider': 'static',
    });
  });
});
