/**
 * A Vault as far as a runner meets it: logins by AppRole, JWT and AWS IAM, KV of both versions, policies, seal, leases.
 * It passes the contract suite that the real one passes.
 */
import { createVerify, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isSigned } from './fake-sts.ts';
import { makeJwtKeys, signedJwt, type VaultWorld } from './vault-world.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const mounts = { one: '1', two: '2', 'deep/two': '2' } as const;
const refused = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });

export interface FakeVault extends VaultWorld {
  /** Paths in the order they were asked for. */
  readonly asked: string[];
  /** Answers every request so, until it is undefined again. */
  broken: Answer | undefined;
  /** Takes requests and never answers. */
  silent: boolean;
}

/** `namespace`: requests that do not name it are refused, as everything is outside of one's namespace. */
export async function startFakeVault(
  options: { readonly tls?: { readonly key: string; readonly cert: string }; readonly namespace?: string } = {},
): Promise<FakeVault> {
  const jwtKeys = makeJwtKeys();
  const logins = {
    reader: { roleId: randomUUID(), secretId: randomUUID() },
    batcher: { roleId: randomUUID(), secretId: randomUUID() },
  };
  const secrets = new Map<string, readonly (Readonly<Record<string, unknown>> | null)[]>();
  /** Token to its kind. */
  const tokens = new Map<string, 'service' | 'batch'>();
  const state = { sealed: false };
  const asked: string[] = [];

  const logIn = (method: string, body: Readonly<Record<string, string>>): Answer => {
    const loggedIn = (kind: 'service' | 'batch' = 'service'): Answer => {
      const token = `${kind === 'batch' ? 'hvb' : 'hvs'}.${randomUUID()}`;
      tokens.set(token, kind);
      return { status: 200, body: { auth: { client_token: token, token_type: kind, lease_duration: 3600 } } };
    };
    if (method === 'approle') {
      const is = (role: keyof typeof logins) =>
        body.role_id === logins[role].roleId && body.secret_id === logins[role].secretId;
      if (is('batcher')) return loggedIn('batch');
      return is('reader') ? loggedIn() : refused(400, 'invalid role or secret ID');
    }
    if (method === 'jwt')
      return body.role === 'reader' && accepts(body.jwt ?? '') ? loggedIn() : refused(400, 'error validating token');
    if (method !== 'aws') return refused(403, 'permission denied');
    const plain = (name: string) => Buffer.from(body[name] ?? '', 'base64').toString();
    const headers = JSON.parse(plain('iam_request_headers')) as Record<string, string>;
    const isRight = body.role === 'reader' && isSigned({ headers, body: plain('iam_request_body') });
    return isRight ? loggedIn() : refused(400, 'error making upstream request');
  };

  const accepts = (jwt: string): boolean => {
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const isOurs = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(jwtKeys.publicPem, signature, 'base64url');
    return isOurs && JSON.parse(Buffer.from(claims, 'base64url').toString()).exp > Date.now() / 1000 - 60;
  };

  const revoke = (token: string): Answer => {
    if (tokens.get(token) === 'batch') return refused(400, 'batch tokens cannot be revoked');
    tokens.delete(token);
    return { status: 204, body: undefined };
  };

  const read = (path: string): Answer => {
    const preflight = /^sys\/internal\/ui\/mounts\/(.+)$/.exec(path)?.[1];
    if (preflight !== undefined) {
      const mount = mountOf(preflight);
      if (mount === undefined) return refused(403, 'preflight capability check returned 403');
      return { status: 200, body: { data: { path: `${mount}/`, type: 'kv', options: { version: mounts[mount] } } } };
    }
    const mount = mountOf(path);
    const rest = mount === undefined ? '' : path.slice(mount.length + 1);
    const isTwo = mount !== undefined && mounts[mount] === '2';
    const name = isTwo ? rest.replace(/^data\//, '') : rest;
    // What a policy does not name is refused, whether it is there or not.
    if (mount === undefined || (isTwo && !rest.startsWith('data/')) || !name.startsWith('clouds/')) {
      return refused(403, '1 error occurred:\n\t* permission denied\n\n');
    }
    const newest = secrets.get(`${mount}/${name}`)?.at(-1);
    if (newest === undefined) return refused(404);
    if (!isTwo) return { status: 200, body: { data: newest } };
    const metadata = { deletion_time: newest === null ? new Date().toISOString() : '' };
    return { status: newest === null ? 404 : 200, body: { data: { data: newest, metadata } } };
  };

  const vault: FakeVault = {
    asked,
    broken: undefined,
    silent: false,
    address: '',
    async write(mount, path, fields) {
      secrets.set(`${mount}/${path}`, [...(secrets.get(`${mount}/${path}`) ?? []), fields]);
    },
    async remove(path) {
      secrets.set(`two/${path}`, [...(secrets.get(`two/${path}`) ?? []), null]);
    },
    async seal() {
      state.sealed = true;
    },
    async unseal() {
      state.sealed = false;
    },
    async endLeases() {
      tokens.clear();
    },
    livingTokens: async () => [...tokens.values()].filter((kind) => kind === 'service').length,
    appRole: async (role = 'reader') => logins[role],
    jwt: (expired = false) => signedJwt(jwtKeys.privateKey, expired),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };

  const listener: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const path = decodeURIComponent((request.url ?? '').replace(/^\/v1\//, ''));
    asked.push(path);
    if (vault.silent) return;
    const answer = ((): Answer => {
      if (vault.broken !== undefined) return vault.broken;
      if (state.sealed) return refused(503, 'Vault is sealed');
      if (options.namespace !== undefined && request.headers['x-vault-namespace'] !== options.namespace) {
        return refused(403, 'permission denied');
      }
      const method = /^auth\/(.+)\/login$/.exec(path)?.[1];
      if (method !== undefined) return logIn(method, JSON.parse(Buffer.concat(parts).toString()));
      const token = String(request.headers['x-vault-token']);
      if (!tokens.has(token)) return refused(403, 'permission denied');
      return path === 'auth/token/revoke-self' ? revoke(token) : read(path);
    })();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scheme = options.tls === undefined ? 'http' : 'https';
  return Object.assign(vault, { address: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function mountOf(path: string): keyof typeof mounts | undefined {
  const all = Object.keys(mounts) as (keyof typeof mounts)[];
  return all
    .sort((one, other) => other.length - one.length)
    .find((mount) => path === mount || path.startsWith(`${mount}/`));
}
