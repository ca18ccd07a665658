/** The contract suite on the fake, and what only a fake can be made to do. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { VaultSecret } from '#domain/secret-locator.ts';
import type { VaultConnection } from '#runner/vault/vault-connection.ts';
import { vaultConnection } from '#runner/vault/vault-connection.ts';
import { VaultSession } from '#runner/vault/vault-session.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { type FakeVault, startFakeVault } from './fake-vault.ts';
import { vaultContract } from './vault.contract.ts';

vaultContract('the fake', () => startFakeVault());

const secret: VaultSecret = { kind: 'vault', connection: 'team/vault', mount: 'one', path: 'clouds/aws', keys: {} };
const opened: FakeVault[] = [];
afterEach(() => Promise.all(opened.splice(0).map((vault) => vault.close())));

async function session(
  options: Parameters<typeof startFakeVault>[0] = {},
  change: Partial<VaultConnection> = {},
): Promise<{ vault: FakeVault; session: VaultSession }> {
  const vault = await startFakeVault(options);
  opened.push(vault);
  await vault.write('one', 'clouds/aws', { accesskey: 'value' });
  const { roleId, secretId } = await vault.appRole();
  const connection = vaultConnection('team/vault', { address: vault.address, roleid: roleId, secretid: secretId });
  return { vault, session: new VaultSession({ ...connection, ...change }, () => undefined) };
}

describe('a login to a Vault', () => {
  it('a login is made once for many secrets, and once again after a refusal', async () => {
    const { vault, session: one } = await session();
    await Promise.all([one.read(secret), one.read(secret), one.read({ ...secret, kvVersion: 1 })]);
    const logins = () => vault.asked.filter((path) => path.startsWith('auth/')).length;
    expect(logins()).toBe(1);
    await expect(one.read({ ...secret, kvVersion: 1, path: 'private/x' })).rejects.toMatchObject({
      error: { code: 'VaultForbidden' },
    });
    expect(logins()).toBe(2);
  });

  it('a login is made in the namespace that the connection names', async () => {
    const inside = await session({ namespace: 'team/ci' }, { namespace: 'team/ci' });
    expect(await inside.session.read(secret)).toEqual({ accesskey: 'value' });
    const outside = await session({ namespace: 'team/ci' });
    await expect(outside.session.read(secret)).rejects.toMatchObject({ error: { code: 'VaultLoginRefused' } });
  });
});

describe('the end of a stage', () => {
  const revocations = (vault: FakeVault) => vault.asked.filter((path) => path === 'auth/token/revoke-self').length;

  it('the end of a stage revokes each token of its logins, even one that was replaced', async () => {
    const { vault, session: one } = await session();
    await one.read(secret);
    await expect(one.read({ ...secret, kvVersion: 1, path: 'private/x' })).rejects.toThrow();
    expect(await vault.livingTokens()).toBe(2);
    expect(await one.leave()).toEqual([]);
    expect([await vault.livingTokens(), revocations(vault)]).toEqual([0, 2]);
    expect(await one.leave()).toEqual([]);
    expect(revocations(vault)).toBe(2);
  });

  it('a batch token is not revoked', async () => {
    const { vault } = await session();
    const { roleId, secretId } = await vault.appRole('batcher');
    const connection = vaultConnection('team/vault', { address: vault.address, roleid: roleId, secretid: secretId });
    const one = new VaultSession(connection, () => undefined);
    await one.read(secret);
    await one.leave();
    expect(revocations(vault)).toBe(0);
  });

  it.each([403, 500, 503])(
    'a token that cannot be revoked (HTTP %s) is reported, and fails no stage',
    async (status) => {
      const { vault, session: one } = await session();
      await one.read(secret);
      vault.broken = { status, body: { errors: ['permission denied'] } };
      const why =
        status === 403
          ? 'it has expired already, or none of its policies allows auth/token/revoke-self'
          : 'it expires with its lease';
      expect(await one.leave()).toEqual([
        `A token of the Vault ${vault.address} could not be revoked (HTTP ${status}): ${why}.`,
      ]);
    },
  );

  it('the end of a stage waits no longer than configured', async () => {
    const { vault, session: one } = await session();
    await one.read(secret);
    vault.silent = true;
    expect(await one.leave(20)).toEqual([
      `A token of the Vault ${vault.address} could not be revoked (VaultUnreachable): it expires with its lease.`,
    ]);
    vault.silent = false;
  });
});

describe('a Vault that cannot answer', () => {
  it.each([
    [429, 'VaultUnavailable', 'transient'],
    [472, 'VaultUnavailable', 'transient'],
    [500, 'VaultUnavailable', 'transient'],
    [502, 'VaultUnavailable', 'transient'],
    [200, 'VaultLoginRefused', 'credentials'],
  ])('HTTP %s of a Vault is %s', async (status, code, errorClass) => {
    const { vault, session: one } = await session();
    vault.broken = { status, body: 'a page of a proxy' };
    await expect(one.read(secret)).rejects.toMatchObject({ error: { code, class: errorClass } });
    vault.broken = undefined;
    expect(await one.read(secret)).toEqual({ accesskey: 'value' });
  });

  it('a Vault that does not answer is reported as unreachable', async () => {
    const { vault, session: one } = await session();
    opened.splice(0);
    await vault.close();
    await expect(one.read(secret)).rejects.toMatchObject({ error: { code: 'VaultUnreachable', class: 'transient' } });
  });

  it('a Vault answer that is no secret is a fault for the user', async () => {
    const { vault, session: one } = await session();
    await one.read(secret);
    vault.broken = { status: 200, body: { data: 'x' } };
    await expect(one.read({ ...secret, kvVersion: 2 })).rejects.toMatchObject({ error: { code: 'VaultAnswerOdd' } });
  });
});

describe('a Vault with a certificate', () => {
  it('a Vault with a certificate is trusted by its own authority alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubeloom-vault-'));
    const make = async (name: string) => {
      const { key, certificate } = selfSigned(directory, name);
      return { key: await readFile(key, 'utf8'), cert: await readFile(certificate, 'utf8') };
    };
    try {
      const [tls, other] = await Promise.all([make('vault'), make('other')]);
      const trusted = await session({ tls }, { ca: tls.cert });
      expect(await trusted.session.read(secret)).toEqual({ accesskey: 'value' });
      for (const change of [{}, { ca: other.cert }]) {
        const untrusted = await session({ tls }, change);
        await expect(untrusted.session.read(secret)).rejects.toMatchObject({
          error: { code: 'VaultCertificate', class: 'user', retryable: false },
        });
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the connection to a Vault', () => {
  it('every fault in the Secret of a connection is reported, and no value', () => {
    expect(() =>
      vaultConnection('team/vault', { address: 'vault-at-home', roleid: 'r', ca: 'secret-looking' }),
    ).toThrow(
      'address is not what a connection to Vault needs; ca is not what a connection to Vault needs; secretid is missing, a connection to Vault needs it',
    );
  });
});
