/** Exoscale: a cloud of loopback that verifies every signature itself. No account was asked. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from './fake-cloud.ts';
import { exoscaleGuard, type Guard } from './signature-guards.ts';

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

describe('Exoscale', () => {
  const fields = { apikey: 'EXO1234567890', apisecret: 'the-secret-of-exoscale' };
  const guard = exoscaleGuard(fields);
  const forbidden = { status: 403, body: { message: 'Forbidden by role policy' } };
  const routes = (more: Routes = {}): Routes => ({
    'GET /v2/zone': () => ({ body: { zones: [{ name: 'ch-gva-2' }, { name: 'de-fra-1' }] } }),
    'GET /v2/instance': () => ({ body: { instances: [] } }),
    'GET /v2/dns-domain': () => forbidden,
    'GET /v2/api-key/EXO1234567890': () => forbidden,
    'GET /v2/quota': () => ({
      body: {
        quotas: [
          { resource: 'instance', usage: 20, limit: 20 },
          { resource: 'gpu', usage: 0, limit: 0 },
          { resource: 'block-storage-volume', usage: 1, limit: -1 },
          { resource: 'snapshot', usage: 5, limit: 5 },
        ],
      },
    }),
    ...more,
  });
  const check = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}, regions = ['ch-gva-2']) =>
    checkLogin('exoscale', {
      fields: { ...fields, ...change },
      permissions: ['compute: list-instances', 'compute: create-instance', 'dns: list-dns-domains', 'dns: get-it'],
      regions,
      bases: { api: cloud.url },
    });
  /** The key's own role may be read, with these services. */
  const withRole = (services: unknown, strategy = 'deny') =>
    routes({
      'GET /v2/api-key/EXO1234567890': () => ({ body: { name: 'kubeloom', 'role-id': 'r1' } }),
      'GET /v2/iam-role/r1': () => ({
        body: { name: 'machines', policy: { 'default-service-strategy': strategy, services } },
      }),
    });

  it('the check of Exoscale reports what may be listed, what is unknown, and used up quotas', async () => {
    const findings = await check(await started(routes(), guard));
    expect(lines(findings)).toEqual([
      'identity API key true',
      'permission compute: list-instances true',
      'permission dns: list-dns-domains false',
      'permission 2 further operations null',
      'quota instance false',
    ]);
    expect(messageOf(findings, '2 further operations')).toContain('get-api-key and get-iam-role');
  });

  it('each Exoscale operation is checked in the role of the key, if the key may read it', async () => {
    const rules = [
      { action: 'deny', expression: "operation == 'reboot-instance'" },
      { action: 'allow', expression: 'operation in [\'list-instances\', "create-instance"]' },
    ];
    const services = { compute: { type: 'rules', rules }, dns: { type: 'deny' } };
    const findings = await check(await started(withRole(services), guard));
    expect(lines(findings).slice(0, 5)).toEqual([
      'identity API key true',
      'permission compute: list-instances true',
      'permission compute: create-instance true',
      'permission dns: list-dns-domains false',
      'permission dns: get-it false',
    ]);
    expect(findings[0]?.message).toBe('has the role machines');
  });

  it('an Exoscale service without rules has the default, and one without a matching rule has none', async () => {
    const never = { type: 'rules', rules: [{ action: 'allow', expression: 'false' }] };
    const findings = await check(await started(withRole({ dns: never }, 'allow'), guard));
    expect(lines(findings)).toContain('permission compute: create-instance true');
    expect(lines(findings)).toContain('permission dns: get-it false');
  });

  it('an Exoscale operation is unknown when a rule is not understood', async () => {
    const rules = [
      { action: 'allow', expression: "operation.startsWith('create') && resources.instance.name != 'x'" },
      { action: 'allow', expression: 'true' },
    ];
    const findings = await check(await started(withRole({ compute: { type: 'rules', rules } }), guard));
    expect(lines(findings)).toContain('permission 1 further operations null');
    expect(messageOf(findings, '1 further operations')).toContain(
      'a rule of the role that Kubeloom does not understand',
    );
  });

  it('a wrong Exoscale secret is reported and not shown', async () => {
    const findings = await check(await started(routes(), guard), { apisecret: 'another-secret' });
    expect(lines(findings)).toEqual(['identity API key false']);
    expect(JSON.stringify(findings)).not.toContain('another-secret');
  });

  it('an Exoscale key without any permission, and a wrong local clock, are reported', async () => {
    const nothing: Guard = () => forbidden;
    expect(lines(await check(await started(routes(), nothing)))).toEqual(['identity API key false']);
    const early = new Date(Date.now() + 30 * 60_000).toUTCString();
    const skewed: Guard = () => ({ status: 401, body: {}, headers: { date: early } });
    const [finding] = await check(await started(routes(), skewed));
    expect(finding?.message).toContain("30 minutes behind the cloud's");
  });

  it('an Exoscale region that is not a zone is named', async () => {
    const findings = await check(await started(routes(), guard), {}, ['ch-gva-2', 'ch-gva-9']);
    expect(messageOf(findings, 'ch-gva-9')).toBe(
      'is not a region of this account: correct it in the manifest; there are ch-gva-2, de-fra-1',
    );
  });

  it.each([429, 500, 503])('the result is unknown when Exoscale answers HTTP %s', async (status) => {
    const busy: Guard = () => ({ status, body: {} });
    expect(lines(await check(await started(routes(), busy)))).toEqual(['identity API key null']);
    const quotas = await check(await started(routes({ 'GET /v2/quota': () => ({ status, body: {} }) }), guard));
    expect(lines(quotas)).toContain('quota quotas null');
  });

  it('an answer of Exoscale is waited for 20 seconds and no longer', async () => {
    const cloud = await started({ 'GET /v2/instance': () => ({ body: {} }) }, guard);
    const limit = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(() => AbortSignal.abort(new DOMException('', 'TimeoutError')));
    const findings = await check(cloud);
    expect(limit).toHaveBeenCalledWith(20_000);
    expect(findings).toMatchObject([{ ok: null, message: expect.stringContaining('does not answer (timeout)') }]);
  });
});
