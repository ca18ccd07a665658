/** Storage and documents of a cluster that are valid but unwise, and the same object in two versions. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { manifestWith } from './manifest-files.ts';

function warningsOf(pool: object, cluster: object = {}) {
  const manifest = manifestWith(({ nodePools, kubernetes }) => {
    Object.assign(nodePools.dynamic[1] ?? {}, pool);
    Object.assign(kubernetes.clusters[0] ?? {}, { storage: 'longhorn', ...cluster });
  });
  const { faults, warnings } = validateManifest(manifest, { readObjects });
  expect(faults).toEqual([]);
  return warnings.map(({ id, path }) => `${id} ${path}`);
}

const storing = { 'node.longhorn.io/create-default-disk': 'true' };

describe('Longhorn without a node that it runs on', () => {
  const taint = (effect: string) => ({ taints: [{ key: 'gpu', value: 'yes', effect }] });
  const expected = ['no-storage-node spec.kubernetes.clusters[0].storage'];

  it.each([
    ['are spot pools', { spot: true }, expected],
    ['have a taint', taint('NoExecute'), expected],
    ['have a taint that only prefers other nodes', taint('PreferNoSchedule'), []],
    ['have a taint and the label of storage', { ...taint('NoSchedule'), labels: storing }, []],
    ['have no taints', {}, []],
  ])('a cluster whose compute pools %s gets the warning only if that keeps Longhorn away', (_, pool, warnings) => {
    expect(warningsOf(pool)).toEqual(warnings);
  });

  it('no warning is given where Longhorn is replaced by documents of the user', () => {
    const inline = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }';
    expect(warningsOf(taint('NoSchedule'), { documents: [{ name: 'longhorn', enabled: true, inline }] })).toEqual([]);
  });
});

it('an object that two documents have in different versions is a fault', () => {
  const entry = (name: string, version: string) => {
    const inline = `apiVersion: autoscaling/${version}\nkind: HorizontalPodAutoscaler\nmetadata: { name: web }`;
    return { name, enabled: true, inline };
  };
  const manifest = manifestWith(({ kubernetes }) => {
    Object.assign(kubernetes.clusters[0] ?? {}, { documents: [entry('first', 'v1'), entry('second', 'v2')] });
  });
  expect(validateManifest(manifest, { readObjects }).faults.map(({ reason }) => reason)).toEqual([
    'autoscaling/v2 HorizontalPodAutoscaler web is here and in the documents "first"',
  ]);
});
