/** A change of a management plane that is refused, or waits for an approval, has no effect with any other change. */
import { describe, expect, it } from 'vitest';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';

const key = { namespace: 'team', name: 'mgmt' };
const manifest = (count = 1) => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'InputManifest',
  metadata: key,
  spec: {
    requireApproval: true,
    providers: [{ name: 'sim-1', providerType: 'sim' }],
    nodePools: {
      dynamic: [
        {
          name: 'mgmt',
          count,
          serverType: 'small',
          image: 'linux',
          providerSpec: { name: 'sim-1', region: 'one' },
        },
      ],
    },
    kubernetes: {
      clusters: [{ name: 'mgmt', version: '1.34.2', network: '192.168.2.0/24', pools: { control: ['mgmt'] } }],
    },
  },
});
const path = '/v1/inventory/team/documents/ManagementPlane/capi';
const upgraded = aPlane([aComponent({ version: 'v1.12.0' })]);
const operator = as('olga');
const approver = as('anna');

/** Proposes by `request`, and approves. */
async function approved(api: ApiUnderTest, method: 'PUT' | 'DELETE', at: string, body?: unknown) {
  return approve(api, await proposed(api, method, at, body));
}

async function proposed({ call }: ApiUnderTest, method: 'PUT' | 'DELETE', at: string, body?: unknown): Promise<string> {
  const answer = await call(method, at, { ...(body !== undefined && { body }), ...operator });
  expect(answer).toMatchObject({ status: 409, json: { code: 'ApprovalRequired' } });
  return String((answer.json.details as { readonly plan: string }).plan);
}

const approve = ({ call }: ApiUnderTest, plan: string) =>
  call('POST', '/v1/manifests/team/mgmt/approve', { body: { plan }, ...approver });
const stored = async ({ call }: ApiUnderTest) => {
  const { status, json } = await call('GET', path, operator);
  return status === 404 ? undefined : json.document;
};
const pinned = async ({ deps }: ApiUnderTest) => (await deps.manifests.get(key))?.planes;

/** A manifest whose changes have to be approved, with a plane. */
async function apiWithPlane(): Promise<ApiUnderTest> {
  const api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
  await bindRoles(api.deps, 'team', { operator: 'olga', approver: 'anna' });
  expect(await approved(api, 'PUT', '/v1/manifests/team/mgmt', manifest())).toMatchObject({ status: 202 });
  expect(await approved(api, 'PUT', path, aPlane())).toMatchObject({ status: 202 });
  return api;
}

describe('a plane whose change has to be approved', () => {
  it('a change is stored by its approval, and not before', async () => {
    const api = await apiWithPlane();
    const plan = await proposed(api, 'PUT', path, upgraded);
    expect(await stored(api)).toMatchObject({ spec: { components: [{ version: 'v1.11.1' }] } });
    const shown = await api.call('GET', `/v1/manifests/team/mgmt/plans/${plan}`, operator);
    expect(shown).toMatchObject({ status: 200, json: { id: plan } });
    expect(await approve(api, plan)).toMatchObject({ status: 202 });
    expect(await stored(api)).toMatchObject({ spec: { components: [{ version: 'v1.12.0' }] } });
    expect(await pinned(api)).toMatchObject({ mgmt: [{ version: 'component@v1.12.0' }] });
  });

  it('an unapproved plane is not applied by another change of the manifest', async () => {
    const api = await apiWithPlane();
    const change = await proposed(api, 'PUT', path, upgraded);
    const deletion = await proposed(api, 'DELETE', path);
    await approved(api, 'PUT', '/v1/manifests/team/mgmt', manifest(3));
    expect(await pinned(api)).toMatchObject({ mgmt: [{ version: 'component@v1.11.1' }] });
    // The deletion took the place of the change.
    expect(await approve(api, change)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(await approve(api, deletion)).toMatchObject({ status: 409, json: { code: 'PlanMoved' } });
    expect(await stored(api)).toMatchObject({ spec: { components: [{ version: 'v1.11.1' }] } });
  });

  it('a deletion is done by its approval, and not before', async () => {
    const api = await apiWithPlane();
    const plan = await proposed(api, 'DELETE', path);
    expect(await stored(api)).toBeDefined();
    expect(await approve(api, plan)).toMatchObject({ status: 202 });
    expect(await stored(api)).toBeUndefined();
    expect(await pinned(api)).toBeUndefined();
  });
});
