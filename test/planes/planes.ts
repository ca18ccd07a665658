/** Management planes of tests. */
import type { Component, ManagementPlane } from '#domain/planes/management-plane.ts';

const file = (name: string, digit: string) => ({ url: `https://releases.example/${name}`, sha256: digit.repeat(64) });

export function aComponent(change: Partial<Component> = {}): Component {
  return {
    kind: 'core',
    name: 'cluster-api',
    version: 'v1.11.1',
    values: {},
    source: file('components.yaml', 'a'),
    metadata: file('metadata.yaml', 'b'),
    ...change,
  };
}

export function vsphere(instance: string, change: Partial<Component> = {}): Component {
  return aComponent({
    kind: 'infrastructure',
    name: 'vsphere',
    version: 'v1.14.0',
    instance,
    watchNamespace: `clusters-${instance}`,
    secretRef: { vault: { path: `vsphere/${instance}`, mount: 'secret' } },
    ...change,
  });
}

export function aPlane(
  components: readonly Component[] = [aComponent()],
  name = 'capi',
  cluster = 'mgmt',
): ManagementPlane {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'ManagementPlane',
    metadata: { name, namespace: 'team' },
    spec: { cluster: { manifest: 'mgmt', name: cluster }, components: [...components] },
  };
}
