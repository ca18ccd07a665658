/** AWS, Azure and Google Cloud: identity, permission by permission, quota, on clouds of loopback. No account was asked. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import type { CheckFinding } from '#runner/provider-check/finding.ts';
import { isSigned, knownKey } from '#test/vault/fake-sts.ts';
import { type FakeCloud, fakeCloud, type Routes } from './fake-cloud.ts';

const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
async function started(routes: Routes): Promise<FakeCloud> {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  return cloud;
}
const words = (findings: readonly CheckFinding[]) => findings.map(({ about, name, ok }) => `${about} ${name} ${ok}`);

describe('AWS', () => {
  const arn = 'arn:aws:sts::123456789012:assumed-role/kubeloom/session';
  const fields = { accesskey: knownKey.accessKeyId, secretkey: knownKey.secretAccessKey };
  const denied = new Set(['ec2:RunInstances']);
  const simulated = (body: string) => {
    const names = [...new URLSearchParams(body)].flatMap(([key, value]) =>
      key.startsWith('ActionNames') ? [value] : [],
    );
    const member = (name: string) =>
      `<member><MatchedStatements><member><SourcePolicyId>p</SourcePolicyId></member></MatchedStatements><EvalActionName>${name}</EvalActionName><EvalDecision>${denied.has(name) ? 'implicitDeny' : 'allowed'}</EvalDecision></member>`;
    return `<R><EvaluationResults>${names.map(member).join('')}</EvaluationResults></R>`;
  };
  const who = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>${arn}</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const check = (
    cloud: FakeCloud,
    keys: Readonly<Record<string, string>> = fields,
    permissions = ['ec2:DescribeImages', 'ec2:RunInstances'],
  ) =>
    checkLogin('aws', {
      fields: keys,
      permissions,
      regions: ['eu-central-1'],
      bases: { sts: cloud.url, iam: cloud.url, servicequotas: cloud.url },
    });
  const routes = (
    change: Partial<Record<'sts' | 'iam' | 'quota', () => { status?: number; body: unknown }>> = {},
  ): Routes => ({
    'POST /': ({ body, headers }) => {
      if (headers['x-amz-target'] !== undefined) return change.quota?.() ?? { body: { Quota: { Value: 32 } } };
      if (body.includes('SimulatePrincipalPolicy')) return change.iam?.() ?? { body: simulated(body) };
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      if (isSigned({ headers: signed, body })) return change.sts?.() ?? { body: who };
      return { status: 403, body: '<ErrorResponse><Error><Code>InvalidClientTokenId</Code></Error></ErrorResponse>' };
    },
  });

  it('the check of AWS reports who it is, which permission is missing, and what may run', async () => {
    const cloud = await started(routes());
    expect(words(await check(cloud))).toEqual([
      `identity ${arn} true`,
      'permission ec2:DescribeImages true',
      'permission ec2:RunInstances false',
      'quota virtual CPUs of standard instances in eu-central-1 true',
    ]);
    const asked = cloud.asked.find(({ body }) => body.includes('SimulatePrincipalPolicy'));
    const question = new URLSearchParams(asked?.body);
    expect(question.get('PolicySourceArn')).toBe('arn:aws:iam::123456789012:role/kubeloom');
    // The policy in the docs allows service-linked roles of spot machines alone.
    expect(question.get('ContextEntries.member.1.ContextKeyName')).toBe('iam:AWSServiceName');
    expect(question.get('ContextEntries.member.1.ContextKeyValues.member.1')).toBe('spot.amazonaws.com');
  });

  it('many AWS permissions are checked in several requests', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `ec2:Action${index}`);
    const findings = await check(await started(routes()), fields, many);
    expect(findings.filter(({ about, ok }) => about === 'permission' && ok)).toHaveLength(120);
  });

  it('a wrong AWS key is reported and not shown', async () => {
    const wrong = { ...fields, secretkey: 'x'.repeat(40) };
    const findings = await check(await started(routes()), wrong);
    expect(words(findings)).toEqual(['identity AWS false']);
    expect(findings[0]?.message).toContain('InvalidClientTokenId');
    expect(JSON.stringify(findings)).not.toContain(wrong.secretkey);
  });

  it('an AWS quota of zero is reported', async () => {
    const findings = await check(await started(routes({ quota: () => ({ body: { Quota: { Value: 0 } } }) })));
    expect(words(findings)).toContain('quota virtual CPUs of standard instances in eu-central-1 false');
  });

  it('the other findings about AWS are reported when a region does not answer', async () => {
    const cloud = await started(routes());
    const gone = await fakeCloud({});
    gone.close();
    const findings = await checkLogin('aws', {
      fields,
      permissions: ['ec2:DescribeImages'],
      regions: ['eu-central-1'],
      bases: { sts: cloud.url, iam: cloud.url, servicequotas: gone.url },
    });
    expect(words(findings)).toEqual([
      `identity ${arn} true`,
      'permission ec2:DescribeImages true',
      'quota limits of eu-central-1 null',
    ]);
  });

  it('AWS permissions and quotas that cannot be read are unknown', async () => {
    const iam = () => ({
      status: 403,
      body: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>',
    });
    const findings = await check(await started(routes({ iam, quota: () => ({ status: 400, body: {} }) })));
    expect(words(findings).slice(1)).toEqual([
      'permission iam:SimulatePrincipalPolicy null',
      'quota virtual CPUs of standard instances in eu-central-1 null',
    ]);
  });
});

describe('Azure', () => {
  const fields = { subscriptionid: 'sub', tenantid: 'tenant', clientid: 'client', clientsecret: 'the-secret' };
  const root = '/subscriptions/sub';
  const routes = (more: Routes = {}): Routes => ({
    'POST /tenant/oauth2/v2.0/token': ({ body }) =>
      new URLSearchParams(body).get('client_secret') === fields.clientsecret
        ? { body: { access_token: 'token' } }
        : { status: 401, body: { error: 'invalid_client', error_description: 'the-secret is wrong' } },
    [`GET ${root}`]: () => ({ body: { displayName: 'Production', state: 'Enabled' } }),
    [`GET ${root}/providers/Microsoft.Authorization/permissions`]: () => ({
      body: {
        value: [{ actions: ['Microsoft.Network/*', '*/read'], notActions: ['Microsoft.Network/dnsZones/delete'] }],
      },
    }),
    [`GET ${root}/providers/Microsoft.Compute/locations/westeurope/usages`]: () => ({
      body: {
        value: [{ currentValue: 10, limit: 10, name: { value: 'cores', localizedValue: 'Total Regional vCPUs' } }],
      },
    }),
    ...more,
  });
  const check = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}) =>
    checkLogin('azure', {
      fields: { ...fields, ...change },
      permissions: [
        'Microsoft.Compute/disks/read',
        'Microsoft.Compute/disks/write',
        'microsoft.network/dnsZones/delete',
        'Microsoft.Network/dnsZones/write',
      ],
      regions: ['West Europe'],
      bases: { login: cloud.url, management: cloud.url },
    });

  it('each Azure operation is checked in the list from Azure, and used up cores are reported', async () => {
    expect(words(await check(await started(routes())))).toEqual([
      'identity Production true',
      'permission Microsoft.Compute/disks/read true',
      'permission Microsoft.Compute/disks/write false',
      'permission microsoft.network/dnsZones/delete false',
      'permission Microsoft.Network/dnsZones/write true',
      'quota Total Regional vCPUs in West Europe false',
    ]);
  });

  it('a wrong Azure secret is reported', async () => {
    const findings = await check(await started(routes()), { clientsecret: 'another' });
    expect(words(findings)).toEqual(['identity login false']);
    expect(JSON.stringify(findings)).not.toContain('secret is wrong');
  });

  it('a disabled Azure subscription, and one that does not exist, are reported', async () => {
    const disabled = routes({ [`GET ${root}`]: () => ({ body: { displayName: 'Old', state: 'Disabled' } }) });
    expect(words(await check(await started(disabled)))[0]).toBe('identity Old false');
    const gone = routes({ [`GET ${root}`]: () => ({ status: 404, body: {} }) });
    expect(words(await check(await started(gone)))).toEqual(['identity subscription false']);
  });
});

describe('Google Cloud', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = (pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()) =>
    JSON.stringify({ type: 'service_account', client_email: 'k@p.iam.gserviceaccount.com', private_key: pem });
  const routes: Routes = {
    'POST /token': ({ body }) => {
      const [head, claims, signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
      const isOurs = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url');
      return isOurs ? { body: { access_token: 'token' } } : { status: 400, body: { error: 'invalid_grant' } };
    },
    'POST /v3/projects/p:testIamPermissions': ({ body }) => ({
      body: {
        permissions: (JSON.parse(body).permissions as string[]).filter((one) => one !== 'compute.instances.create'),
      },
    }),
    'GET /compute/v1/projects/p/regions/europe-west1': () => ({
      body: {
        quotas: [
          { metric: 'CPUS', limit: 24, usage: 24 },
          { metric: 'SSD_TOTAL_GB', limit: 500, usage: 10 },
          { metric: 'COMMITMENTS', limit: 0, usage: 0 },
        ],
      },
    }),
  };
  const check = async (credentials: string, permissions: readonly string[]) => {
    const { url } = await started(routes);
    return checkLogin('gcp', {
      fields: { credentials, gcpproject: 'p' },
      permissions,
      regions: ['europe-west1'],
      bases: { oauth2: `${url}/token`, cloudresourcemanager: url, compute: url },
    });
  };

  it('each Google permission is checked by testIamPermissions, with the needed quotas', async () => {
    expect(words(await check(key(), ['compute.disks.create', 'compute.instances.create']))).toEqual([
      'identity k@p.iam.gserviceaccount.com true',
      'permission compute.disks.create true',
      'permission compute.instances.create false',
      'quota CPUS in europe-west1 false',
      'quota SSD_TOTAL_GB in europe-west1 true',
    ]);
  });

  it('a Google key that does not match its account is reported', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const findings = await check(key(other.export({ type: 'pkcs8', format: 'pem' }).toString()), []);
    expect(words(findings)).toEqual(['identity k@p.iam.gserviceaccount.com false']);
  });

  it('Google credentials that are not a service account key are reported', async () => {
    expect(words(await check('{"type":"authorized_user"}', []))).toEqual(['identity credentials false']);
  });

  it('a Google key that cannot be read is not shown', async () => {
    const findings = await check(key('-----BEGIN PRIVATE KEY-----\nbroken-key\n-----END PRIVATE KEY-----'), []);
    expect(words(findings)).toEqual(['identity credentials false']);
    expect(findings[0]?.message).toContain('private_key cannot be read');
    expect(JSON.stringify(findings)).not.toContain('broken-key');
  });
});
