/** Several ways to log in, and references to a Vault. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { locatorOf } from '#domain/manifest/schema/secret-source.ts';
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { validateSecret } from '#domain/manifest/secrets/validate-secret.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { locatorText, locatorTitle, parseLocator } from '#domain/secret-locator.ts';
import { manifestWith } from './manifest-files.ts';

const pathsAndReasons = (values: Record<string, string>, use: 'aws' | 'azure' | 'gcp' | 'vault') =>
  secretFieldFaults(values, use).map(({ path, reason }) => `${path} ${reason}`);
const aws = { accesskey: 'AKIAIOSFODNN7EXAMPLE', secretkey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const rolearn = 'arn:aws:iam::123456789012:role/kubeloom';
const azure = { subscriptionid: 's', tenantid: 't', clientid: 'c' };
const pool = 'projects/12/locations/global/workloadIdentityPools/p/providers/aws';
const vault = { address: 'https://vault.example.com' };

describe('Secrets with several ways to log in', () => {
  it.each([
    ['aws', aws],
    ['aws', { rolearn }],
    ['aws', { rolearn, externalid: 'a-long-word' }],
    ['azure', { ...azure, clientsecret: 'x' }],
    ['azure', azure],
    ['gcp', { credentials: '{}', gcpproject: 'p' }],
    ['gcp', { workloadidentityprovider: pool, serviceaccount: 'k@p.iam.gserviceaccount.com', gcpproject: 'p' }],
    ['vault', { ...vault, roleid: 'r', secretid: 's', namespace: 'team', authmount: 'ci' }],
    ['vault', { ...vault, awsrole: 'r' }],
    ['vault', { ...vault, jwtrole: 'r', jwt: 'e.y.J' }],
    ['vault', { ...vault, jwtrole: 'r', jwtaudience: 'vault' }],
  ] as const)('a Secret for %s is complete with one way to log in', (use, values) => {
    expect(pathsAndReasons(values, use)).toEqual([]);
  });

  it('an incomplete Secret is reported with what the nearest way lacks', () => {
    expect(pathsAndReasons({ accesskey: aws.accesskey }, 'aws')).toEqual([
      'stringData.secretkey is missing, AWS needs it',
    ]);
    expect(pathsAndReasons({ externalid: 'a-long-word' }, 'aws')).toEqual([
      'stringData.rolearn is missing, AWS needs it',
    ]);
    expect(pathsAndReasons({ workloadidentityprovider: pool, gcpproject: 'p' }, 'gcp')).toEqual([
      'stringData.serviceaccount is missing, Google Cloud needs it',
    ]);
    expect(pathsAndReasons({ ...vault, jwtrole: 'r' }, 'vault')).toEqual([
      'stringData.jwt is missing, a connection to Vault needs it',
    ]);
  });

  it('an empty or misspelt key counts as a key, not as a login without one', () => {
    expect(pathsAndReasons({ ...azure, clientsecret: '' }, 'azure')).toEqual([
      'stringData.clientsecret is empty, Azure needs it',
    ]);
    expect(pathsAndReasons({ ...azure, clientSecret: 'x' }, 'azure')).toEqual([
      'stringData.clientsecret is missing, Azure needs it',
    ]);
  });

  it.each([
    ['aws', aws, 'accesskey and secretkey', 'rolearn, [externalid]'],
    ['azure', { ...azure, clientsecret: 'x' }, 'clientsecret', 'subscriptionid, tenantid, clientid'],
    [
      'gcp',
      { credentials: '{}', gcpproject: 'p' },
      'credentials',
      'workloadidentityprovider, serviceaccount, gcpproject',
    ],
  ] as const)(
    'a Secret for %s with a key gets a warning that there is a way without, known use or not',
    (use, stringData, keys, without) => {
      const document = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData };
      for (const uses of [[use], []]) {
        const [warning, ...more] = validateSecret(document, uses).warnings;
        expect(more).toEqual([]);
        expect(warning?.reason).toContain(keys);
        expect(warning?.reason).toContain('until it is revoked');
        expect(warning?.fix).toContain(without);
      }
    },
  );

  it('a key gets no warning when its type has no other way, or when it is incomplete', () => {
    const warningsOf = (stringData: object) =>
      validateSecret({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData }).warnings;
    expect(warningsOf({ credentials: 'x'.repeat(64) })).toEqual([]);
    expect(warningsOf({ clientid: 'c', clientsecret: 's', servicename: 'n' })).toEqual([]);
    expect(warningsOf({ accesskey: aws.accesskey })).toEqual([]);
    expect(warningsOf(azure)).toEqual([]);
  });

  it('a Secret with two ways to log in is refused', () => {
    expect(pathsAndReasons({ ...aws, rolearn }, 'aws')).toEqual([
      'stringData.rolearn belongs to another login method than accesskey, secretkey',
    ]);
  });

  it('a login without a key gets a warning, as the key may have been forgotten', () => {
    const document = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cloud' }, stringData: azure };
    expect(validateSecret(document, ['azure']).warnings.map(({ reason }) => reason)).toEqual([
      'has no clientsecret: Azure is reached without a key, by the identity of the runner in AWS',
    ]);
  });

  it('a token may be sent over plain HTTP to this machine only', () => {
    const login = { roleid: 'r', secretid: 's' };
    expect(pathsAndReasons({ ...login, address: 'http://127.0.0.1:8200' }, 'vault')).toEqual([]);
    expect(pathsAndReasons({ ...login, address: 'http://vault.example.com' }, 'vault')).toHaveLength(1);
    expect(pathsAndReasons({ ...login, address: 'http://localhost.example.com' }, 'vault')).toHaveLength(1);
  });
});

describe('references to a Vault', () => {
  const source = { path: 'clouds/aws', mount: 'kv/team', kvVersion: 2, keys: { accesskey: 'Id & key' } } as const;
  const withVault = (vaultSource: object) =>
    manifestWith((spec) => {
      spec.providers.push({ name: 'aws-1', providerType: 'aws', secretRef: { vault: vaultSource } } as never);
    });

  it('a reference to a Vault becomes a line of text and is parsed back', () => {
    const text = locatorOf({ vault: source }, 'team');
    expect(text).toBe('vault://team/vault/kv%2Fteam/clouds/aws?kv=2&key.accesskey=Id%20%26%20key');
    const read = parseLocator(text);
    expect(read).toEqual({ kind: 'vault', connection: 'team/vault', ...source });
    expect(read && locatorText(read)).toBe(text);
    expect(locatorTitle(text)).toBe('Vault secret kv/team/clouds/aws (connection team/vault)');
    expect(locatorOf({ name: 'aws', namespace: 'team' }, 'other')).toBe('team/aws');
    expect(['vault://team', 'team', ''].map(parseLocator)).toEqual([undefined, undefined, undefined]);
  });

  it('a reference to a Vault needs a stored connection', () => {
    const manifest = withVault({ path: 'clouds/aws' });
    const { faults } = validateManifest(manifest, { readObjects, secrets: new Set() });
    expect(
      faults.filter(({ path }) => path.startsWith('spec.providers')).map(({ path, reason }) => `${path} ${reason}`),
    ).toEqual(['spec.providers[1].secretRef.vault there is no Secret "default/vault" with the connection to Vault']);
    const known = validateManifest(manifest, { readObjects, secrets: new Set(['default/vault']) });
    expect(known.faults.filter(({ path }) => path.startsWith('spec.providers'))).toEqual([]);
  });

  it('a reference to a Vault with a Secret in addition, and a reference to nothing, are faults', () => {
    const faultsOf = (secretRef: object) =>
      validateManifest(
        manifestWith((spec) => {
          spec.providers.push({ name: 'aws-1', providerType: 'aws', secretRef } as never);
        }),
        { readObjects },
      )
        .faults.filter(({ path }) => path.includes('secretRef'))
        .map(({ path, reason }) => `${path} ${reason}`);
    expect(faultsOf({ name: 'aws', namespace: 'team', vault: { path: 'x' } })).toEqual([
      'spec.providers[1].secretRef.name is given together with vault',
      'spec.providers[1].secretRef.namespace is given together with vault',
    ]);
    expect(faultsOf({})).toEqual([
      'spec.providers[1].secretRef.name is missing',
      'spec.providers[1].secretRef.namespace is missing',
    ]);
    expect(faultsOf({ vault: { path: '/clouds/aws' } })).toHaveLength(1);
  });

  it('the connection of a Vault reference is validated as a Secret of Vault in the same files', () => {
    const connection = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'vault', namespace: 'default' },
      stringData: { address: 'vault.example.com', roleid: 'r' },
    };
    const [, verdict] = validateDocuments([withVault({ path: 'clouds/aws' }), connection], { readObjects });
    expect(verdict?.faults.map(({ path }) => path)).toEqual(['stringData.address', 'stringData.secretid']);
  });
});
