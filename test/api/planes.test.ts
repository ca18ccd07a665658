/** Management planes over the API: what is stored, what starts a run, what is refused, what is installed. */
import { describe, expect, it } from 'vitest';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import { aComponent, aPlane, vsphere } from '#test/planes/planes.ts';
import { apiUnderTest } from './api-under-test.ts';
import {
  attempted,
  installed,
  key,
  manifest,
  pinned,
  plan,
  planeFacts,
  planes,
  put,
  putManifest,
  upgraded,
} from './plane-api.ts';

describe('a ManagementPlane', () => {
  it('CO-1: it is stored before its cluster, and comes with it', async () => {
    const api = apiUnderTest();
    const stored = await put(api, aPlane());
    expect(stored.json).toMatchObject({ kind: 'ManagementPlane', name: 'capi', generation: 1, unchanged: false });
    expect(stored.json.accepted).toBeUndefined();
    expect(await planes(api)).toMatchObject([{ plane: 'capi', manifest: 'mgmt', cluster: 'mgmt', state: 'waiting' }]);
    const { json } = await plan(api, manifest());
    expect(JSON.stringify(json.clusters)).toContain('capi.cluster-api');
    expect((await putManifest(api)).status).toBe(202);
    expect(await pinned(api)).toMatchObject({ mgmt: [{ name: 'capi.cluster-api', version: 'component@v1.11.1' }] });
  });

  it('CO-1: stored, changed and deleted, it is a new attempt of the manifest, whose document stays', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    expect((await put(api, aPlane())).json.accepted).toMatchObject({ name: 'mgmt', generation: 1, attempt: 2 });
    const again = await put(api, aPlane());
    expect(again.json).toMatchObject({ unchanged: true, accepted: { attempt: 2, unchanged: true } });
    expect((await put(api, upgraded)).json).toMatchObject({ generation: 2, accepted: { attempt: 3 } });
    expect(await pinned(api)).toMatchObject({ mgmt: [{ version: 'component@v1.12.0' }] });
    expect((await api.call('DELETE', '/v1/inventory/team/documents/ManagementPlane/capi')).status).toBe(204);
    expect(await api.deps.manifests.get(key)).toMatchObject({ generation: 1, attempt: 4 });
    expect(await pinned(api)).toBeUndefined();
    expect(await planes(api)).toEqual([]);
  });

  it('a manifest that is applied again keeps the plane on its cluster', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    await put(api, aPlane());
    const accepted = await putManifest(api, manifest(['mgmt', 'other']));
    expect(accepted.json).toMatchObject({ generation: 2 });
    expect(Object.keys((await pinned(api)) ?? {})).toEqual(['mgmt']);
  });

  it('CO-2: planes on several clusters of a manifest stay apart', async () => {
    const api = apiUnderTest();
    await put(api, aPlane([aComponent()], 'red', 'one'));
    await put(api, aPlane([aComponent()], 'blue', 'two'));
    await putManifest(api, manifest(['one', 'two']));
    expect(await pinned(api)).toMatchObject({
      one: [{ name: 'red.cluster-api' }],
      two: [{ name: 'blue.cluster-api' }],
    });
  });

  it('the plan of a plane is the plan of its manifest, and the plan id also binds the plane', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    const { json } = await plan(api, manifest(), aPlane());
    const other = await plan(api, manifest(), upgraded);
    expect(json.id).not.toBe(other.json.id);
    const moved = await put(api, aPlane(), { headers: { 'kubeloom-plan': String(other.json.id) } });
    expect(moved.json).toMatchObject({ code: 'PlanMoved' });
    expect((await api.call('GET', '/v1/inventory/team/documents/ManagementPlane/capi')).status).toBe(404);
    expect((await put(api, aPlane(), { headers: { 'kubeloom-plan': String(json.id) } })).json).toMatchObject({
      accepted: { attempt: 2 },
    });
  });

  it('CO-1: an older release than the one that is installed is refused before anything is stored', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    await put(api, upgraded);
    await installed(api, upgraded);
    const refused = await put(api, aPlane());
    expect(refused).toMatchObject({
      status: 422,
      json: {
        faults: [
          { reason: expect.stringContaining('capi.cluster-api v1.11.1 is older than v1.12.0, which is installed') },
        ],
      },
    });
    expect((await plan(api, manifest(), aPlane())).json.id).toBeNull();
    expect(await pinned(api)).toMatchObject({ mgmt: [{ version: 'component@v1.12.0' }] });
  });

  it('CO-1: a release that a run started to apply counts as installed', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    await put(api, upgraded);
    await attempted(api, planeFacts(upgraded));
    expect(await put(api, aPlane())).toMatchObject({ status: 422 });
  });

  it.each([
    [
      'a cluster that the manifest does not have',
      aPlane([aComponent()], 'capi', 'mgnt'),
      'spec.cluster.name',
      'did you mean mgmt?',
    ],
    [
      'a Secret that does not exist',
      aPlane([aComponent(), vsphere('east')]),
      'spec.components[1].secretRef',
      'apply the Secret first',
    ],
  ])('one with %s is refused', async (_, plane, path, fix) => {
    const api = apiUnderTest();
    await putManifest(api);
    expect(await put(api, plane)).toMatchObject({ status: 422, json: { faults: [{ path, fix }] } });
  });

  it('a stored plane stays on its cluster: put or planned elsewhere it is refused', async () => {
    const api = apiUnderTest();
    await putManifest(api, manifest(['mgmt', 'other']));
    await put(api, aPlane());
    const moved = aPlane([aComponent()], 'capi', 'other');
    const elsewhere: ManagementPlane = {
      ...aPlane(),
      spec: { ...aPlane().spec, cluster: { manifest: 'later', name: 'mgmt' } },
    };
    for (const plane of [moved, elsewhere]) {
      const fault = { path: 'spec.cluster', fix: 'delete it and store another plane' };
      expect(await put(api, plane)).toMatchObject({ status: 422, json: { faults: [fault] } });
      const planned = await plan(api, manifest(['mgmt', 'other']), plane);
      expect(planned.json).toMatchObject({ id: null, faults: [{ fix: 'delete it and store another plane' }] });
    }
    expect(Object.keys((await pinned(api)) ?? {})).toEqual(['mgmt']);
  });

  it('CO-4: a Secret that a plane refers to cannot be deleted', async () => {
    const api = apiUnderTest();
    await api.deps.secrets.put('user/team/vsphere', { VSPHERE_PASSWORD: 'hidden' });
    await putManifest(api);
    const plane = aPlane([aComponent(), vsphere('east', { secretRef: { name: 'vsphere', namespace: 'team' } })]);
    await put(api, plane);
    const refused = await api.call('DELETE', '/v1/secrets/team/vsphere');
    expect(refused).toMatchObject({ status: 409, json: { code: 'InUse' } });
    expect(JSON.stringify(await pinned(api))).not.toContain('hidden');
  });

  it('CO-4: a Secret of another namespace needs the role operator there', async () => {
    const api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
    const binding = {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'RoleBinding',
      metadata: { name: 'ann' },
      spec: { role: 'operator', namespaces: ['team'], subjects: [{ user: 'ann' }] },
    };
    expect(
      (await api.call('PUT', '/v1/roles/ann', { body: binding, as: { jwt: { claims: { sub: 'root' } } } })).status,
    ).toBe(200);
    const plane = aPlane([aComponent(), vsphere('east', { secretRef: { name: 'vsphere', namespace: 'other' } })]);
    const refused = await put(api, plane, { as: { jwt: { claims: { sub: 'ann' } } } });
    expect(refused).toMatchObject({ status: 403, json: { code: 'Forbidden' } });
  });

  it('CO-1: desired and installed releases, contracts and what does not work are shown', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    await put(api, aPlane());
    await installed(api, aPlane());
    const row = {
      document: 'capi.cluster-api',
      kind: 'core',
      desired: 'v1.11.1',
      installed: 'v1.11.1',
      contract: 'v1beta2',
    };
    expect(await planes(api)).toMatchObject([{ state: 'installed', components: [{ ...row, works: true }] }]);
    await put(api, upgraded);
    expect(await planes(api)).toMatchObject([{ state: 'changing', components: [{ ...row, desired: 'v1.12.0' }] }]);
    await installed(api, upgraded, 'these do not work yet: apps/v1 Deployment capi-system/manager');
    expect(await planes(api)).toMatchObject([
      {
        state: 'changing',
        components: [{ installed: 'v1.12.0', works: false, remark: expect.stringContaining('Deployment') }],
      },
    ]);
  });

  it('CO-13: what did not work in time is shown as working once a complete check for drift finds nothing', async () => {
    const api = apiUnderTest();
    await putManifest(api);
    await put(api, aPlane());
    await installed(api, aPlane(), 'these do not work yet: apps/v1 Deployment capi-system/manager');
    const [record] = await api.deps.clusters.list(key);
    if (record === undefined) throw new Error('there is no cluster');
    const found = { checkedAt: '2026-11-20T13:00:00Z', runId: 'r', items: [], outcome: 'none' };
    const lastChange = { at: '2026-11-20T12:00:00Z', runId: 'r', direction: 'settle' as const };
    for (const [drift, state] of [
      [{ ...found, unchecked: ['documents: not reached'] }, 'changing'],
      [{ ...found, checkedAt: '2026-11-20T11:00:00Z', unchecked: [] }, 'changing'],
      [{ ...found, unchecked: [] }, 'installed'],
    ] as const) {
      const [{ version = 0 } = {}] = await api.deps.clusters.list(key);
      const changed = { ...drift, items: [], unchecked: [...drift.unchecked] };
      await api.deps.clusters.put({ ...record, version: version + 1, lastChange, drift: changed });
      expect(await planes(api)).toMatchObject([{ state }]);
    }
  });

  it('a plan of an inventory does not take it, and says what does', async () => {
    const api = apiUnderTest();
    const { json } = await api.call('POST', '/v1/inventory/team/plan', { body: aPlane() });
    expect(json.detail).toContain('a ManagementPlane is planned with the manifest of its cluster');
  });
});
