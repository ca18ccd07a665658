/** What Oracle Cloud lists of a cluster, on a cloud of loopback that verifies its signatures. No account was asked. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { listCluster } from '#runner/listing/list-cluster.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { type Guard, ociGuard } from '#test/provider-check/signature-guards.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
async function started(routes: Routes): Promise<FakeCloud> {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  return cloud;
}
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);
const instance = 'ocid1.instance.oc1.eu-frankfurt-1.anth';
const ours = { 'kubeloom-cluster': cluster };
const others = { 'kubeloom-cluster': 'shop-7654321' };

describe('Oracle Cloud', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keyfingerprint = createHash('md5')
    .update(pair.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .replaceAll(/(..)(?=.)/g, '$1:');
  const ids = { tenancyocid: 'ocid1.tenancy.oc1..t', userocid: 'ocid1.user.oc1..u', compartmentocid: 'ocid1.c.oc1..c' };
  const privatekey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fields = { ...ids, keyfingerprint, privatekey };
  const guard: Guard = ociGuard({
    publicKey: pair.publicKey,
    keyId: `${ids.tenancyocid}/${ids.userocid}/${keyfingerprint}`,
  });
  const thing = (id: string, displayName: string, freeformTags: object, lifecycleState = 'RUNNING') => ({
    id,
    displayName,
    freeformTags,
    lifecycleState,
  });
  const routes: Routes = {
    'GET /20160918/instances': (request) => {
      const refusal = guard(request);
      if (refusal !== undefined) return refusal;
      if (query(request).get('compartmentId') !== ids.compartmentocid) return { status: 404, body: {} };
      const page = query(request).get('page');
      if (page === null)
        return {
          body: [
            thing(`${instance}1`, `${cluster}-web-01`, ours),
            thing(`${instance}2`, `${cluster}-web-02`, ours, 'TERMINATED'),
            thing(`${instance}3`, 'x', others),
          ],
          headers: { 'opc-next-page': 'p2' },
        };
      return page === 'p2' ? { body: [thing(`${instance}4`, 'who-is-that', ours)] } : { status: 400, body: {} };
    },
    'GET /20160918/volumes': (request) => guard(request) ?? { body: [] },
  };
  const list = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}) =>
    listCluster('oci', {
      fields: { ...fields, ...change },
      regions: ['eu-frankfurt-1'],
      cluster,
      bases: { iaas: cloud.url },
    });

  it('Oracle Cloud lists the compartment page by page, and what has the tag and is not terminated is taken', async () => {
    expect(await list(await started(routes))).toEqual({
      items: [
        { id: `${instance}1`, name: 'web-01', kind: 'machine', place: 'eu-frankfurt-1' },
        { id: `${instance}4`, name: 'who-is-that', kind: 'machine', place: 'eu-frankfurt-1' },
      ],
    });
  });

  it('an Oracle Cloud answer of not found or not allowed is reported as a missing permission', async () => {
    const denied = { 'GET /20160918/volumes': () => ({ status: 404, body: { code: 'NotAuthorizedOrNotFound' } }) };
    expect(await list(await started({ ...routes, ...denied }))).toMatchObject({ denied: true });
  });

  it('a request that Oracle Cloud refuses fails the listing, and a key of another fingerprint is not sent', async () => {
    expect(await list(await started(routes), { userocid: 'ocid1.user.oc1..v' })).toEqual({
      failed: expect.stringMatching(/in eu-frankfurt-1 cannot be listed: HTTP 401/),
    });
    const cloud = await started(routes);
    expect(await list(cloud, { keyfingerprint: '00:11' })).toEqual({
      failed: expect.stringContaining('keyfingerprint'),
      needs: 'credentials',
    });
    expect(cloud.asked).toEqual([]);
  });
});
