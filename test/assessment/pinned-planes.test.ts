/** The rules of management planes on the clusters of a manifest. */
import { describe, expect, it } from 'vitest';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import { pinPlanes, wantedPlanes } from '#functions/pipeline/assessment/pinned-planes.ts';
import { planeFacts } from '#test/api/plane-api.ts';
import { aComponent, aPlane, vsphere } from '#test/planes/planes.ts';

const key = { namespace: 'team', name: 'mgmt' };
const upgraded = aPlane([aComponent({ version: 'v1.12.0' })]);
const instance = (name: string, version: string) => vsphere(name, { version, secretRef: undefined });
const several = (...instances: ReturnType<typeof instance>[]) => aPlane([aComponent(), ...instances]);
const [east, west] = [instance('east', 'v1.14.0'), instance('west', 'v1.15.0')];
const elsewhere: ManagementPlane = {
  ...aPlane(),
  spec: { ...aPlane().spec, cluster: { manifest: 'later', name: 'mgmt' } },
};

const pinned = (
  sent: readonly ManagementPlane[],
  stored: readonly ManagementPlane[],
  installed: ManagementPlane | undefined,
) =>
  pinPlanes({
    ...wantedPlanes(key, { accompanying: sent }, stored),
    installed: { mgmt: installed && planeFacts(installed) },
  });

describe('planes of a manifest', () => {
  it.each([
    ['one that is sent takes the place of the stored one', [upgraded], [], ['component@v1.12.0']],
    ['one that is deleted with it is left out', [], ['capi'], undefined],
    ['a stored one comes with every change', [], [], ['component@v1.11.1']],
  ])('%s', (_, accompanying, withoutPlanes, versions) => {
    const { planes } = pinPlanes({ ...wantedPlanes(key, { accompanying, withoutPlanes }, [aPlane()]), installed: {} });
    expect(planes.mgmt?.map(({ version }) => version)).toEqual(versions);
  });

  it('planes of other manifests and namespaces, and other documents, are not its own', () => {
    const foreign = { ...aPlane(), metadata: { name: 'capi', namespace: 'other' } };
    const { planes, faults } = pinPlanes({
      ...wantedPlanes(key, { accompanying: [foreign, { kind: 'Secret' }] }, [elsewhere]),
      installed: {},
    });
    expect({ planes, faults }).toEqual({ planes: {}, faults: [] });
  });

  it.each<[string, ReturnType<typeof pinned>, readonly string[]]>([
    ['a release that is newer than the installed one is accepted', pinned([upgraded], [aPlane()], aPlane()), []],
    [
      'CO-1: an older release than the installed one is refused',
      pinned([aPlane()], [upgraded], upgraded),
      ['capi.cluster-api v1.11.1 is older than v1.12.0, which is installed'],
    ],
    [
      'CO-1: a release that never reached the cluster can be corrected to an older one',
      pinned([aPlane()], [upgraded], undefined),
      [],
    ],
    [
      'CO-3: the newest instance of a provider does not leave before another one is of its release',
      pinned([several(east)], [several(east, west)], several(east, west)),
      [
        'infrastructure-vsphere would no longer have an instance of v1.15.0, the release of capi.infrastructure-vsphere.west and of the definitions',
      ],
    ],
    [
      'CO-3: it leaves once another one is newer',
      pinned([several(instance('east', 'v1.15.1'))], [several(east, west)], several(east, west)),
      [],
    ],
    [
      'a second plane on a cluster is refused',
      pinned([aPlane([aComponent()], 'other')], [aPlane()], undefined),
      ['ManagementPlane other is on cluster "mgmt", which already has capi'],
    ],
    [
      'a stored plane stays on its cluster, before other faults',
      pinned([elsewhere], [aPlane()], upgraded),
      ['ManagementPlane capi is on cluster "mgmt" of manifest "mgmt", and a stored plane stays on its cluster'],
    ],
  ])('%s', (_, { faults }, reasons) => {
    expect(faults.map(({ reason }) => reason)).toEqual(reasons);
  });
});
