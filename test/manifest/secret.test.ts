import { describe, expect, it } from 'vitest';
import { secretValues } from '#domain/manifest/schema/secret.ts';
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { type SecretUse, secretUses, secretWaysFor } from '#domain/manifest/secrets/secret-uses.ts';
import { validateSecret } from '#domain/manifest/secrets/validate-secret.ts';
import { providerTypeNames } from '#domain/provider-types.ts';
import { manifestWith } from './manifest-files.ts';

const secretWith = (parts: Record<string, unknown>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'credentials' },
  ...parts,
});
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const key = ['-----BEGIN OPENSSH PRIVATE KEY-----', 'bm90IGEga2V5', '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');

/** Good values of each use. */
const good: Readonly<Record<SecretUse, Readonly<Record<string, string>>>> = {
  aws: { accesskey: 'AKIAIOSFODNN7EXAMPLE', secretkey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  azure: { subscriptionid: 's', tenantid: 't', clientid: 'c', clientsecret: 'x' },
  gcp: { credentials: '{"type":"service_account"}', gcpproject: 'p' },
  oci: { privatekey: 'k', keyfingerprint: 'f', tenancyocid: 't', userocid: 'u', compartmentocid: 'c' },
  hetzner: { credentials: 'h'.repeat(64) },
  ovh: { clientid: 'c', clientsecret: 's', servicename: 'n', endpoint: 'kimsufi-eu' },
  openstack: {
    authurl: 'https://auth.example.com/v3',
    domainid: 'd',
    projectid: 'p',
    applicationcredentialid: 'i',
    applicationcredentialsecret: 's',
  },
  exoscale: { apikey: 'k', apisecret: 's' },
  cloudrift: { token: 't' },
  verda: { clientid: 'c', clientsecret: 's', baseurl: 'https://api.example.com/v1' },
  cloudflare: { apitoken: 't', accountid: 'a', loadbalancing: 'true' },
  digitalocean: { token: `dop_v1_${'0a'.repeat(32)}` },
  local: { account: 'a.name', password: 'p@ssword' },
  sim: {},
  ssh: { privatekey: key },
  git: { token: 't' },
  vault: { address: 'https://vault.example.com:8200', roleid: 'r', secretid: 's' },
  webhook: { url: 'https://hooks.example.com/team', signingkey: `whsec_${'a'.repeat(40)}` },
  chat: { url: 'https://hooks.example.com/services/T0/B0/x' },
};
const uses = [...providerTypeNames, 'ssh', 'git', 'vault', 'webhook', 'chat'] as const;

describe('Secrets by use', () => {
  it.each(uses)('good values for %s are accepted, as text and in base64', (use) => {
    const asText = secretWith({ stringData: good[use] });
    const encoded = Object.entries(good[use]).map(([name, value]) => [name, base64(`${value}\n`)]);
    const inBase64 = secretWith({ data: Object.fromEntries(encoded) });

    expect(validateSecret(asText, [use]).faults).toEqual([]);
    expect(validateSecret(inBase64, [use]).faults).toEqual([]);
  });

  it.each(uses)('each missing required field of %s is named', (use) => {
    const required = (secretWaysFor(use)[0] ?? []).filter((field) => field.required);
    const { faults } = validateSecret(secretWith({ stringData: {} }), [use]);

    expect(faults.map(({ path }) => path).sort()).toEqual(required.map(({ name }) => `stringData.${name}`).sort());
  });

  it.each([
    ['aws', 'accesskey', 'AKIA-SHORT'],
    ['aws', 'secretkey', 'x'.repeat(39)],
    ['gcp', 'credentials', '["no", "map"]'],
    ['hetzner', 'credentials', 'h'.repeat(63)],
    ['openstack', 'authurl', 'auth.example.com'],
    ['verda', 'baseurl', 'ftp://api.example.com'],
    ['ovh', 'endpoint', 'ovh-moon'],
    ['ssh', 'privatekey', 'ssh-ed25519 AAAA'],
  ] as const)('a Secret for %s with a bad %s is refused, and the value is not shown', (use, field, value) => {
    const { faults, secret } = validateSecret(secretWith({ stringData: { ...good[use], [field]: value } }), [use]);

    expect(secret).toBeUndefined();
    expect(faults.map(({ path }) => path)).toEqual([`stringData.${field}`]);
    expect(JSON.stringify(faults)).not.toContain(value);
    expect(secretFieldFaults({ ...good[use], [field]: value }, use)).toHaveLength(1);
  });

  it('no value of a Secret is shown, wherever it is and whatever is wrong with it', () => {
    const marked = [
      secretWith({ stringData: 'MARK' }),
      secretWith({ data: ['MARK'] }),
      secretWith({ data: { a: 'MARK!', b: { c: 'MARK' } }, stringData: { d: ['MARK'], e: null } }),
      secretWith({ stringdata: { a: 'MARK' } }),
    ];

    for (const document of marked) {
      const { faults } = validateSecret(document, ['aws', 'ssh']);
      expect(faults.length).toBeGreaterThan(0);
      expect(JSON.stringify(faults)).not.toContain('MARK');
    }
  });

  it('a misspelt field of a Secret is recognised', () => {
    const { faults } = validateSecret(secretWith({ stringData: { ...good.azure, clientid: '', clientId: 'c' } }), [
      'azure',
    ]);
    const renamed = validateSecret(secretWith({ stringData: { apiToken: 't', accountid: 'a' } }), ['cloudflare']);

    expect(faults.map(({ reason }) => reason)).toEqual(['is empty, Azure needs it']);
    expect(renamed.faults.map(({ fix }) => fix)).toEqual(['rename the field "apiToken" if you meant that']);
  });

  it('a Secret without a known use is checked for its form only', () => {
    expect(validateSecret(secretWith({ stringData: { anything: 'x' } })).faults).toEqual([]);
    expect(validateSecret(secretWith({})).warnings.map(({ reason }) => reason)).toEqual(['the Secret has no fields']);
  });
});

describe('secretValues', () => {
  it('the values of a Secret are trimmed and decoded, and stringData takes precedence', () => {
    const values = secretValues({ data: { a: base64(' one \n'), b: base64('ü') }, stringData: { a: ' two ' } });

    expect(values).toEqual({ a: 'two', b: 'ü' });
  });
});

describe('secretUses', () => {
  it('each Secret of a manifest is named once, with all its uses', () => {
    const manifest = manifestWith((spec) => {
      const secretRef = { name: 'one', namespace: 'team' };
      const templatesRef = { name: 'claudie-default-templates' };
      spec.providers.push(
        { name: 'aws-1', providerType: 'aws', secretRef, templatesRef },
        { name: 'aws-2', providerType: 'aws', secretRef, templatesRef },
        { name: 'sim-1', providerType: 'sim', secretRef: { name: 'unused', namespace: 'team' }, templatesRef },
      );
    });

    expect([...secretUses(manifest)]).toEqual([['team/one', ['aws']]]);
  });
});
