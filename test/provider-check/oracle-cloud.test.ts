/** Oracle Cloud: a cloud of loopback that verifies every signature itself. No account was asked. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from './fake-cloud.ts';
import { type Guard, ociGuard } from './signature-guards.ts';

const open: FakeCloud[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const cloud of open.splice(0)) cloud.close();
});

/** Every route with the guard in front, which refuses requests with a wrong signature. */
async function started(routes: Routes, guard: Guard): Promise<FakeCloud> {
  const guarded = Object.entries(routes).map(([path, route]) => [
    path,
    (request: CloudRequest) => guard(request) ?? route(request),
  ]);
  const cloud = await fakeCloud(Object.fromEntries(guarded));
  open.push(cloud);
  return cloud;
}
type Findings = Awaited<ReturnType<typeof checkLogin>>;
const lines = (findings: Findings) => findings.map(({ about, name, ok }) => `${about} ${name} ${ok}`);
const messageOf = (findings: Findings, name: string) => findings.find((one) => one.name === name)?.message;

describe('Oracle Cloud', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fingerprint = (key: KeyObject) =>
    createHash('md5')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .replaceAll(/(..)(?=.)/g, '$1:');
  const ids = { tenancyocid: 'ocid1.tenancy.oc1..t', userocid: 'ocid1.user.oc1..u', compartmentocid: 'ocid1.c.oc1..c' };
  const fields = { ...ids, keyfingerprint: fingerprint(pair.publicKey), privatekey: pem(pair.privateKey) };
  const keyId = `${ids.tenancyocid}/${ids.userocid}/${fields.keyfingerprint}`;

  const guard = ociGuard({ publicKey: pair.publicKey, keyId });
  const hidden = { status: 404, body: { code: 'NotAuthorizedOrNotFound' } };
  const availability = 'GET /20190729/services/vcn/limits/vcn-count/resourceAvailability';
  const storage = 'GET /20190729/services/block-storage/limits/total-storage-gb/resourceAvailability';
  const compartment = `GET /20160918/compartments/${ids.compartmentocid}`;
  const inCompartment =
    (body: unknown) =>
    ({ path }: CloudRequest) =>
      path.endsWith(`compartmentId=${ids.compartmentocid}`) ? { body } : hidden;
  const routes = (more: Routes = {}): Routes => ({
    [compartment]: () => ({ body: { name: 'kubeloom', lifecycleState: 'ACTIVE' } }),
    'GET /20160918/availabilityDomains': inCompartment([{ name: 'x:FRA-AD-1' }, { name: 'x:FRA-AD-2' }]),
    'GET /20160918/vcns': inCompartment([]),
    'GET /20160918/instances': () => hidden,
    [availability]: () => ({ body: { used: 3, available: 47 } }),
    [storage]: ({ path }) => ({ body: { used: 200, available: path.includes('AD-2') ? 0 : 800 } }),
    'GET /20190729/limitValues': () => ({
      body: [
        { name: 'standard-e4-core-count', value: 0 },
        { name: 'standard-e5-core-count', value: 13 },
        { name: 'standard-e3-core-ad-count', value: 16 },
        { name: 'standard-e6-core-reserved-count', value: 9 },
        { name: 'vm-standard1-count', value: 4 },
      ],
    }),
    ...more,
  });
  const check = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}, regions = ['eu-frankfurt-1']) =>
    checkLogin('oci', {
      fields: { ...fields, ...change },
      permissions: ['inspect compartments', 'use vcns', 'manage vcns', 'inspect instance-family', 'use vnics'],
      regions,
      bases: { identity: cloud.url, iaas: cloud.url, limits: cloud.url },
    });

  it('the check of Oracle reports the compartment, what may be listed, and the regional limits', async () => {
    const findings = await check(await started(routes(), guard));
    expect(lines(findings)).toEqual([
      'identity compartment kubeloom true',
      'permission inspect compartments true',
      'permission manage vcns null',
      'permission inspect instance-family false',
      'permission use vnics null',
      'quota virtual cloud networks in eu-frankfurt-1 true',
      'quota GB of volumes in x:FRA-AD-1 true',
      'quota GB of volumes in x:FRA-AD-2 false',
      'quota cores in eu-frankfurt-1 true',
    ]);
    expect(messageOf(findings, 'cores in eu-frankfurt-1')).toBe('allowed in a domain: standard-e5 13, standard-e3 16');
  });

  it('Oracle limits are read from the tenancy, and none without a region', async () => {
    const cloud = await started(routes(), guard);
    await check(cloud);
    const limits = cloud.asked.filter(({ path }) => path.startsWith('/20190729/'));
    expect(limits.every(({ path }) => path.includes(`compartmentId=${ids.tenancyocid}`))).toBe(true);
    expect(lines(await check(cloud, {}, [])).filter((line) => line.startsWith('quota'))).toEqual([]);
  });

  it('an Oracle key of another user is reported and not shown', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const change = { privatekey: pem(other.privateKey), keyfingerprint: fingerprint(other.publicKey) };
    const findings = await check(await started(routes(), guard), change);
    expect(lines(findings)).toEqual(['identity API key false']);
    expect(findings[0]?.message).toContain(
      'is refused (HTTP 401): check that tenancy, user, fingerprint and key belong',
    );
    expect(JSON.stringify(findings)).not.toContain(change.privatekey.split('\n')[1]);
  });

  it('a wrong Oracle fingerprint, and a text that is not a key, are reported without a request', async () => {
    const cloud = await started(routes(), guard);
    const wrong = await check(cloud, { keyfingerprint: '12:34' });
    expect(lines(wrong)).toEqual(['identity keyfingerprint false']);
    expect(wrong[0]?.message).toContain(fields.keyfingerprint);
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    for (const privatekey of ['-----BEGIN PRIVATE KEY-----\nbroken-key\n-----END PRIVATE KEY-----', pem(elliptic)]) {
      const findings = await check(cloud, { privatekey });
      expect(lines(findings)).toEqual(['identity privatekey false']);
      expect(findings[0]?.message).not.toContain('broken-key');
    }
    expect(cloud.asked).toEqual([]);
  });

  it('a wrong local clock is reported as the cause when Oracle refuses a request', async () => {
    const late = new Date(Date.now() - 17 * 60_000).toUTCString();
    const skewed: Guard = () => ({ status: 401, body: { code: 'NotAuthenticated' }, headers: { date: late } });
    const [finding] = await check(await started(routes(), skewed));
    expect(finding).toMatchObject({ name: 'API key', ok: false });
    expect(finding?.message).toContain("the clock here is 17 minutes ahead of the cloud's: set it");
  });

  it('a hidden Oracle compartment is distinguished from a wrong key', async () => {
    const findings = await check(await started(routes({ [compartment]: () => hidden }), guard));
    expect(lines(findings)[0]).toBe('identity compartment false');
    expect(findings[0]?.message).toContain('the key is accepted');
    const deleted = () => ({ body: { name: 'old', lifecycleState: 'DELETED' } });
    expect(lines(await check(await started(routes({ [compartment]: deleted }), guard)))[0]).toBe(
      'identity compartment old false',
    );
  });

  it.each([429, 500, 503])('the result is unknown when Oracle answers HTTP %s', async (status) => {
    const busy = () => ({ status, body: {} });
    expect(lines(await check(await started(routes({ [compartment]: busy }), guard)))).toEqual([
      'identity API key null',
    ]);
    const findings = await check(await started(routes({ 'GET /20160918/vcns': busy, [availability]: busy }), guard));
    expect(lines(findings)).toContain('permission manage vcns null');
    expect(lines(findings)).toContain('quota virtual cloud networks in eu-frankfurt-1 null');
  });

  it('Oracle limits that may not be read, and limits of zero, are reported', async () => {
    const closed = { [availability]: () => hidden, [storage]: () => hidden, 'GET /20190729/limitValues': () => hidden };
    const findings = await check(await started(routes(closed), guard));
    expect(lines(findings).filter((line) => line.startsWith('quota') && !line.endsWith('null'))).toEqual([]);
    expect(messageOf(findings, 'cores in eu-frankfurt-1')).toContain(
      'grant "inspect resource-availability in tenancy"',
    );
    const none = { 'GET /20190729/limitValues': () => ({ body: [{ name: 'standard-e5-core-count', value: 0 }] }) };
    expect(lines(await check(await started(routes(none), guard)))).toContain('quota cores in eu-frankfurt-1 false');
  });

  it('the other findings about Oracle are reported when one service does not answer', async () => {
    const cloud = await started(routes(), guard);
    const gone = await fakeCloud({});
    gone.close();
    const findings = await checkLogin('oci', {
      fields,
      permissions: ['inspect compartments', 'manage vcns'],
      regions: ['eu-frankfurt-1'],
      bases: { identity: cloud.url, iaas: gone.url, limits: gone.url },
    });
    expect(lines(findings)).toEqual([
      'identity compartment kubeloom true',
      'permission inspect compartments true',
      'permission manage vcns null',
      'quota limits of eu-frankfurt-1 null',
    ]);
    expect(messageOf(findings, 'manage vcns')).toContain('does not answer');
  });

  it('the address of an unknown Oracle realm is not guessed', async () => {
    const findings = await check(await started(routes(), guard), { tenancyocid: 'ocid1.tenancy.oc99..t' });
    expect(lines(findings)).toEqual(['identity tenancyocid null']);
  });

  it('an Oracle region that would change the host name gets no request', async () => {
    const cloud = await started(routes(), guard);
    expect(lines(await check(cloud, {}, ['x@elsewhere.example/']))).toEqual(['identity x@elsewhere.example/ false']);
    expect(cloud.asked).toEqual([]);
  });
});
