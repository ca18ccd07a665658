/** A real Vault on loopback, in memory, set up as the contract suite wants it. `scripts/build-vault.sh` builds one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#test/free-port.ts';
import { knownKey, startFakeSts } from '#test/vault/fake-sts.ts';
import { boundRole, makeJwtKeys, signedJwt, type VaultWorld } from '#test/vault/vault-world.ts';

const program =
  process.env.KUBELOOM_VAULT ?? join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'bin', 'vault');

type Json = Readonly<Record<string, unknown>>;

type Admin = (
  method: string,
  path: string,
  body?: Json,
  mayFail?: boolean,
) => Promise<Record<string, never> & { data?: unknown }>;

export async function startRealVault(): Promise<VaultWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-real-vault-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const listener = `listener "tcp" {\n  address = "127.0.0.1:${port}"\n  tls_disable = true\n}\n`;
  const file = join(directory, 'vault.hcl');
  await writeFile(file, `storage "inmem" {}\n${listener}disable_mlock = true\napi_addr = "${address}"\n`);
  const server = spawn(program, ['server', `-config=${file}`], { stdio: 'ignore', env: { HOME: directory } });
  const ended = once(server, 'exit');
  const sts = await startFakeSts(`${boundRole.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/session`);
  let rootToken = '';
  const admin: Admin = async (method, path, body, mayFail = false) => {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': rootToken },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && !mayFail) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  await answering(address, server);
  const { keys, root_token: token } = (await admin('PUT', 'sys/init', {
    secret_shares: 1,
    secret_threshold: 1,
  })) as unknown as {
    readonly keys: readonly string[];
    readonly root_token: string;
  };
  rootToken = token;
  const unseal = async (): Promise<void> => {
    await admin('PUT', 'sys/unseal', { key: keys[0] });
    await answering(address, server, 'sys/health?standbyok=true');
  };
  await unseal();
  const jwtKeys = makeJwtKeys();
  await setUp(admin, { jwtPem: jwtKeys.publicPem, sts: sts.url });
  return {
    address,
    unseal,
    async write(mount, path, fields) {
      const isTwo = mount !== 'one';
      await admin('POST', isTwo ? `${mount}/data/${path}` : `${mount}/${path}`, isTwo ? { data: fields } : fields);
    },
    async remove(path) {
      await admin('DELETE', `two/data/${path}`);
    },
    async seal() {
      await admin('PUT', 'sys/seal');
    },
    async endLeases() {
      const { data } = (await admin('LIST', 'auth/token/accessors')) as { data?: { keys: readonly string[] } };
      for (const accessor of data?.keys ?? []) {
        const about = await admin('POST', 'auth/token/lookup-accessor', { accessor }, true);
        const { path } = (about.data ?? {}) as { path?: string };
        if (path !== undefined && path !== 'auth/token/root')
          await admin('POST', 'auth/token/revoke-accessor', { accessor });
      }
    },
    async livingTokens() {
      const { data } = (await admin('LIST', 'auth/token/accessors')) as { data?: { keys: readonly string[] } };
      // One is that of the administrator.
      return (data?.keys.length ?? 0) - 1;
    },
    async appRole(name = 'reader') {
      const role = (await admin('GET', `auth/approle/role/${name}/role-id`)) as { data?: { role_id: string } };
      const secret = (await admin('POST', `auth/approle/role/${name}/secret-id`, {})) as {
        data?: { secret_id: string };
      };
      return { roleId: role.data?.role_id ?? '', secretId: secret.data?.secret_id ?? '' };
    },
    jwt: (expired = false) => signedJwt(jwtKeys.privateKey, expired),
    async close() {
      sts.close();
      server.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function setUp(admin: Admin, { jwtPem, sts }: { readonly jwtPem: string; readonly sts: string }): Promise<void> {
  await admin('POST', 'sys/mounts/one', { type: 'kv', options: { version: '1' } });
  for (const mount of ['two', 'deep/two']) {
    await admin('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } });
  }
  const paths = ['one/clouds/*', 'two/data/clouds/*', 'deep/two/data/clouds/*'];
  const policy = paths.map((path) => `path "${path}" {\n  capabilities = ["read"]\n}\n`).join('');
  await admin('PUT', 'sys/policies/acl/reader', { policy });
  for (const method of ['approle', 'jwt', 'aws']) await admin('POST', `sys/auth/${method}`, { type: method });
  await admin('POST', 'auth/approle/role/reader', { token_policies: ['reader'] });
  await admin('POST', 'auth/approle/role/batcher', { token_policies: ['reader'], token_type: 'batch' });
  await admin('POST', 'auth/jwt/config', { jwt_validation_pubkeys: [jwtPem] });
  await admin('POST', 'auth/jwt/role/reader', {
    role_type: 'jwt',
    bound_audiences: ['vault'],
    user_claim: 'sub',
    token_policies: ['reader'],
  });
  await admin('POST', 'auth/aws/config/client', {
    access_key: knownKey.accessKeyId,
    secret_key: knownKey.secretAccessKey,
    sts_endpoint: sts,
    sts_region: 'eu-central-1',
  });
  await admin('POST', 'auth/aws/role/reader', {
    auth_type: 'iam',
    bound_iam_principal_arn: boundRole,
    resolve_aws_unique_ids: false,
    token_policies: ['reader'],
  });
}

/** Waits until it answers; a KV engine of version 2 is made ready a moment after it is mounted. */
async function answering(address: string, server: ChildProcess, path = 'sys/seal-status'): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`vault ended with ${server.exitCode}`);
    const response = await fetch(`${address}/v1/${path}`).catch(() => undefined);
    if (response?.ok) return;
    await pause(100);
  }
  throw new Error(`vault does not answer at ${address}`);
}
