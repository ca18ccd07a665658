/** ManagementPlanes: their rules, and the documents that they become. */
import { describe, expect, test } from 'vitest';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { planeDocuments } from '#domain/plane-documents.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import { compareReleases } from '#domain/planes/release.ts';
import { aComponent, aPlane, vsphere } from './planes.ts';

const kubeadm = [
  aComponent({ kind: 'bootstrap', name: 'kubeadm' }),
  aComponent({ kind: 'controlPlane', name: 'kubeadm' }),
];
const certManager = aComponent({ kind: 'prerequisite', name: 'cert-manager', version: 'v1.18.2', metadata: undefined });

const faultsOf = (plane: ManagementPlane) =>
  validateInventoryDocument('ManagementPlane', plane).faults.map(({ path, reason }) => `${path}: ${reason}`);

describe('a ManagementPlane', () => {
  test('CO-1: it becomes one document for each component, in the order of their kinds', () => {
    const ipam = aComponent({ kind: 'ipam', name: 'in-cluster', version: 'v1.0.2' });
    const helm = aComponent({ kind: 'addon', name: 'helm', version: 'v0.3.2' });
    const plane = aPlane([ipam, helm, vsphere('east'), ...kubeadm.toReversed(), aComponent(), certManager]);
    expect(faultsOf(plane)).toEqual([]);
    expect(planeDocuments(plane).map(({ name, version }) => `${name} ${version}`)).toEqual([
      'capi.cert-manager component@v1.18.2',
      'capi.cluster-api component@v1.11.1',
      'capi.bootstrap-kubeadm component@v1.11.1',
      'capi.control-plane-kubeadm component@v1.11.1',
      'capi.infrastructure-vsphere.east component@v1.14.0',
      'capi.addon-helm component@v0.3.2',
      'capi.ipam-in-cluster component@v1.0.2',
    ]);
  });

  test('CO-2: one infrastructure, several of it, and several planes are documents of one kind', () => {
    const single = aPlane([aComponent(), aComponent({ kind: 'infrastructure', name: 'docker' })]);
    const several = aPlane([
      aComponent(),
      vsphere('east'),
      vsphere('west'),
      aComponent({ kind: 'infrastructure', name: 'aws' }),
    ]);
    const cores = [aPlane([aComponent()], 'red', 'one'), aPlane([aComponent()], 'blue', 'two')];
    expect([single, several, ...cores].flatMap(faultsOf)).toEqual([]);
    const names = cores.map((plane) => planeDocuments(plane).map(({ name }) => name));
    expect(names).toEqual([['red.cluster-api'], ['blue.cluster-api']]);
  });

  test('CO-3: instances of one provider have documents, credentials and namespaces of their own, and the newest has what they share', () => {
    const [, east, west] = planeDocuments(
      aPlane([aComponent(), vsphere('east'), vsphere('west', { version: 'v1.15.0', namespace: 'capv-west' })]),
    );
    expect(east?.component).toMatchObject({
      provider: 'infrastructure-vsphere',
      instance: 'east',
      shared: 'elsewhere',
      secret: 'vault://team/vault/secret/vsphere/east',
    });
    expect(west?.component).toMatchObject({ instance: 'west', namespace: 'capv-west' });
    expect(west?.component).not.toHaveProperty('shared');
  });

  test('CO-3: an upgrade of one instance does not change the document and the credentials of the other', () => {
    const before = planeDocuments(aPlane([aComponent(), vsphere('east'), vsphere('west')]));
    const after = planeDocuments(aPlane([aComponent(), vsphere('east', { version: 'v1.14.1' }), vsphere('west')]));
    const secrets = (documents: typeof before) => documents.map(({ component }) => component?.secret);
    expect(secrets(after)).toEqual(secrets(before));
    // Definitions are those of the newest instance from now on: that alone changes in the other.
    const [{ component: old = undefined } = {}, { component: now = undefined } = {}] = [before[2], after[2]];
    expect(now).toEqual({ ...old, shared: 'elsewhere' });
  });

  test.each([
    ['without a core', aPlane(kubeadm), 'spec.components: there is no core'],
    [
      'with two cores',
      aPlane([aComponent(), aComponent({ name: 'other' })]),
      'spec.components[1].kind: is a second core',
    ],
    [
      'with one component twice',
      aPlane([aComponent(), vsphere('a'), vsphere('a', { watchNamespace: 'b' })]),
      'spec.components[2].name: there is infrastructure-vsphere, instance a already',
    ],
    [
      'with a provider that does not say its contract',
      aPlane([aComponent({ metadata: undefined })]),
      'spec.components[0].metadata: is missing',
    ],
    [
      'with instances of something else than infrastructure',
      aPlane([aComponent({ instance: 'a' })]),
      'spec.components[0].instance: cluster-api cannot have instances',
    ],
    [
      'with two instances of which one works on all namespaces',
      aPlane([aComponent(), vsphere('a'), vsphere('b', { watchNamespace: undefined })]),
      'spec.components[2].watchNamespace: is missing, and infrastructure-vsphere has 2 instances',
    ],
    [
      'with two instances for one namespace',
      aPlane([aComponent(), vsphere('a'), vsphere('b', { watchNamespace: 'clusters-a' })]),
      'spec.components[2].watchNamespace: "clusters-a" is already used by another instance',
    ],
    [
      'with a name that is too long for a label',
      aPlane(
        [aComponent({ kind: 'infrastructure', name: 'a'.repeat(30), instance: 'b'.repeat(15) }), aComponent()],
        'p'.repeat(20),
      ),
      expect.stringContaining('at most 63 are possible'),
    ],
    [
      'with a file over http',
      aPlane([aComponent({ source: { url: 'http://releases.example/a', sha256: 'a'.repeat(64) } })]),
      'spec.components[0].source.url: is not an https URL without user, password, query and fragment',
    ],
    [
      'with an invalid checksum',
      aPlane([aComponent({ source: { url: 'https://releases.example/a', sha256: 'abc' } })]),
      'spec.components[0].source.sha256: "abc" is not a SHA-256',
    ],
  ])('one %s is refused', (_, plane, fault) => {
    expect(faultsOf(plane)).toEqual([fault]);
  });

  test.each([
    ['a user and a password', 'https://ann:correct-horse@releases.example/a'],
    ['a token as its user', 'https://correct-horse@releases.example/a'],
    ['a token in its query', 'https://releases.example/a?token=correct-horse'],
    ['a password and no TLS', 'http://ann:correct-horse@releases.example/a'],
  ])('an address of a file with %s is refused, and not repeated', (_, url) => {
    const file = { url, sha256: 'a'.repeat(64) };
    const faults = faultsOf(aPlane([aComponent({ source: file, metadata: file })]));
    expect(faults).toEqual(
      ['source', 'metadata'].map(
        (field) => `spec.components[0].${field}.url: is not an https URL without user, password, query and fragment`,
      ),
    );
  });

  test.each([
    ['v1.10.4', 'v1.11.1'],
    ['v1.9.0', 'v1.10.0'],
    ['v1.11.0-beta.1', 'v1.11.0'],
    ['v1.11.0-beta.2', 'v1.11.0-beta.10'],
    ['v1.11.0-alpha.9', 'v1.11.0-beta.0'],
    ['v1.11.0-rc', 'v1.11.0-rc.1'],
  ])('release %s is older than %s', (older, newer) => {
    expect(compareReleases(older, newer)).toBeLessThan(0);
    expect(compareReleases(newer, older)).toBeGreaterThan(0);
    expect(compareReleases(older, older)).toBe(0);
  });
});
