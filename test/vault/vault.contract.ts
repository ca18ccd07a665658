/** What a runner needs of a Vault, held against the fake in `npm test` and against a real server in `npm run conformance`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locatorText, type SecretLocator } from '#domain/secret-locator.ts';
import { revokeVaultTokens, userSecret } from '#runner/credentials.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { InMemorySecrets } from '#test/fakes/in-memory-artifacts.ts';
import { knownKey } from './fake-sts.ts';
import type { VaultWorld } from './vault-world.ts';

const value = 'value-that-must-stay-secret';

export function vaultContract(name: string, start: () => Promise<VaultWorld>): void {
  describe(`${name}: a secret in a Vault`, () => {
    let vault: VaultWorld;
    const environment = new Map<string, string | undefined>();
    beforeAll(async () => {
      vault = await start();
      const identity = { AWS_ACCESS_KEY_ID: knownKey.accessKeyId, AWS_SECRET_ACCESS_KEY: knownKey.secretAccessKey };
      for (const [key, text] of Object.entries({ ...identity, AWS_REGION: 'eu-central-1' })) {
        environment.set(key, process.env[key]);
        process.env[key] = text;
      }
      await vault.write('one', 'clouds/aws', { accesskey: value });
      await vault.write('two', 'clouds/aws', { accesskey: value, port: 22, sure: true });
      await vault.write('deep/two', 'clouds/aws', { accesskey: `${value}-deep` });
      await vault.write('two', 'private/aws', { accesskey: value });
    });
    afterAll(async () => {
      await vault.close();
      for (const [key, text] of environment) {
        if (text === undefined) delete process.env[key];
        else process.env[key] = text;
      }
    });

    /** A stage that reads; `read` may be called again, as one stage does. */
    async function stage(login?: Readonly<Record<string, string>>) {
      const { roleId, secretId } = await vault.appRole();
      const fields = { address: vault.address, ...(login ?? { roleid: roleId, secretid: secretId }) };
      const secrets = new InMemorySecrets();
      await secrets.put('user/team/vault', fields);
      const mask = new SecretMask();
      const context = { ports: { ...fakeDeps(), secrets }, mask };
      const read = (change: Partial<Extract<SecretLocator, { kind: 'vault' }>> = {}) => {
        const whole = { kind: 'vault', connection: 'team/vault', mount: 'two', path: 'clouds/aws', keys: {} } as const;
        return userSecret(context, locatorText({ ...whole, ...change }), 'provider aws-1');
      };
      /** The failure; it contains nothing of the login or the secret. */
      const failing = async (change: Parameters<typeof read>[0] = {}) => {
        const failure = await read(change).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (!(failure instanceof StageFailure)) throw new Error(`no StageFailure: ${String(failure)}`);
        const text = JSON.stringify([failure.error, failure.message]);
        for (const secret of [
          value,
          ...Object.values(fields).filter((one) => !['reader', 'stranger', 'elsewhere', vault.address].includes(one)),
        ]) {
          expect(text).not.toContain(secret);
        }
        return failure.error;
      };
      return { read, failing, mask, leave: () => revokeVaultTokens(mask) };
    }

    it('a secret is read from engines of both versions, detected or configured', async () => {
      const { read, mask } = await stage();
      expect(await read()).toEqual({ accesskey: value, port: '22', sure: 'true' });
      expect(await read({ mount: 'one' })).toEqual({ accesskey: value });
      expect(await read({ mount: 'two', kvVersion: 2 })).toMatchObject({ accesskey: value });
      expect(await read({ mount: 'one', kvVersion: 1 })).toEqual({ accesskey: value });
      expect(await read({ mount: 'deep/two' })).toEqual({ accesskey: `${value}-deep` });
      expect(mask.hide(`printed ${value}`)).toBe('printed ***');
    });

    it('a secret gets the field names that the connection maps', async () => {
      const { read } = await stage();
      expect(await read({ mount: 'one', keys: { secretkey: 'accesskey', other: 'none' } })).toEqual({
        secretkey: value,
      });
    });

    it('a secret is read after a login by JWT', async () => {
      const { read } = await stage({ jwtrole: 'reader', jwt: vault.jwt() });
      expect(await read({ mount: 'one' })).toEqual({ accesskey: value });
      const late = await stage({ jwtrole: 'reader', jwt: vault.jwt(true) });
      expect(await late.failing()).toMatchObject({ class: 'credentials', code: 'VaultLoginRefused' });
    });

    it('a secret is read after a login by the identity of the runner in AWS', async () => {
      const { read } = await stage({ awsrole: 'reader' });
      expect(await read({ mount: 'one' })).toEqual({ accesskey: value });
      const other = await stage({ awsrole: 'stranger' });
      expect(await other.failing()).toMatchObject({ class: 'credentials', code: 'VaultLoginRefused' });
    });

    it('a secret is not read after a wrong login', async () => {
      const { roleId } = await vault.appRole();
      const { failing } = await stage({ roleid: roleId, secretid: 'no-secret-id-of-anybody' });
      expect(await failing()).toMatchObject({ class: 'credentials', code: 'VaultLoginRefused', retryable: false });
    });

    it('a secret is not read through an auth method that does not exist', async () => {
      const { failing } = await stage({ roleid: 'some-role-id', secretid: 'some-secret-id', authmount: 'elsewhere' });
      expect(await failing()).toMatchObject({ class: 'credentials', code: 'VaultLoginRefused' });
    });

    it('a sealed Vault is a transient failure, and the secret is read once it is unsealed', async () => {
      const { read, failing } = await stage();
      await vault.seal();
      expect(await failing()).toMatchObject({ class: 'transient', code: 'VaultSealed', retryable: true });
      await vault.unseal();
      expect(await read()).toMatchObject({ accesskey: value });
    });

    it('a secret that the policy does not allow is refused', async () => {
      const { failing } = await stage();
      expect(await failing({ path: 'private/aws', kvVersion: 2 })).toMatchObject({
        class: 'credentials',
        code: 'VaultForbidden',
        hint: 'Give its policy the capability "read" on two/data/private/aws, then retry.',
      });
      expect(await failing({ mount: 'nowhere' })).toMatchObject({ code: 'VaultForbidden' });
    });

    it('a missing or deleted secret is reported as that', async () => {
      const { failing } = await stage();
      const missing = { class: 'user', code: 'VaultSecretMissing' };
      expect(await failing({ path: 'clouds/none' })).toMatchObject(missing);
      expect(await failing({ mount: 'one', path: 'clouds/none' })).toMatchObject(missing);
      await vault.write('two', 'clouds/old', { accesskey: value });
      await vault.remove('clouds/old');
      const deleted = await failing({ path: 'clouds/old' });
      expect(deleted).toMatchObject(missing);
      expect(deleted.message).toContain('deleted');
    });

    it('the end of a stage leaves no valid token behind, whatever the login', async () => {
      await vault.endLeases();
      const logins: (Record<string, string> | undefined)[] = [undefined, { awsrole: 'reader' }];
      for (const login of [...logins, { jwtrole: 'reader', jwt: vault.jwt() }]) {
        const { read, leave } = await stage(login);
        await read({ mount: 'one' });
        expect(await vault.livingTokens()).toBe(1);
        expect(await leave()).toEqual([]);
        expect(await vault.livingTokens()).toBe(0);
        // Every further read logs in again.
        expect(await read({ mount: 'one' })).toEqual({ accesskey: value });
        await leave();
        expect(await vault.livingTokens()).toBe(0);
      }
    });

    it('a batch token is not revoked, as it expires', async () => {
      const { roleId, secretId } = await vault.appRole('batcher');
      const { read, leave } = await stage({ roleid: roleId, secretid: secretId });
      expect(await read({ mount: 'one' })).toEqual({ accesskey: value });
      expect(await leave()).toEqual([]);
    });

    it('the end of a stage does not fail when the login has expired or was never made', async () => {
      const { read, leave } = await stage();
      expect(await leave()).toEqual([]);
      await read({ mount: 'one' });
      await vault.endLeases();
      expect(await leave()).toEqual([expect.stringContaining('(HTTP 403): it has expired already, or')]);
    });

    it('a secret is read in its current form when the login expired in between', async () => {
      const { read } = await stage();
      await vault.write('two', 'clouds/rotated', { accesskey: `${value}-1` });
      expect(await read({ path: 'clouds/rotated' })).toEqual({ accesskey: `${value}-1` });
      await vault.endLeases();
      await vault.write('two', 'clouds/rotated', { accesskey: `${value}-2` });
      expect(await read({ path: 'clouds/rotated' })).toEqual({ accesskey: `${value}-2` });
    });
  });
}
