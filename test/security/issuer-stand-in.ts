/** An OIDC issuer on this machine: its discovery document, its keys, and tokens as it or someone else would make them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

interface Signing {
  /** @default RS256 with the issuer's key */
  readonly alg?: 'RS256' | 'ES256' | 'PS256' | 'EdDSA' | 'HS256';
  /** null: none. @default that of the key */
  readonly kid?: string | null;
  /** @default the issuer's */
  readonly key?: CryptoKey | Uint8Array;
}

export interface Issuer {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Whether it answers; while not, everything is 500. */
  up: boolean;
  /** With `iss`, `sub` ann, `aud` kubeloom and `exp` in an hour, unless the claims say otherwise; undefined leaves one out. */
  token(claims?: JWTPayload, signing?: Signing): Promise<string>;
  /** PEM of the public key of RS256. */
  publicKey(): Promise<string>;
  /** From now on signs with other keys, which have other names. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

const algorithms = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const;

async function makeKeys(generation: number) {
  const pairs = algorithms.map(async (alg) => ({ alg, kid: `${alg}-${generation}`, ...(await generateKeyPair(alg)) }));
  return Promise.all(pairs);
}

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** More that it serves than keys. */
export interface IssuerPages {
  /** Fields of its discovery document. */
  readonly discovery: (url: string) => object;
  /** False for a path that it does not have. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

export async function startIssuer(pages?: IssuerPages): Promise<Issuer> {
  let generation = 1;
  let keys = await makeKeys(generation);
  const asked: string[] = [];
  const state = { up: true };
  const server: LoopbackServer = await listenOnLoopback(async (request, response) => {
    if (state.up && (await pages?.serve(request, response))) return;
    if (pages) response.setHeader('access-control-allow-origin', '*');
    void answer(request.url ?? '').then((body) => {
      response.writeHead(body === undefined ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  const { url } = server;
  async function answer(path: string): Promise<object | undefined> {
    asked.push(path);
    if (!state.up) return undefined;
    if (path === '/.well-known/openid-configuration')
      return { issuer: url, jwks_uri: `${url}/keys`, ...pages?.discovery(url) };
    const published = keys.map(async ({ alg, kid, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      alg,
      kid,
      use: 'sig',
    }));
    return { keys: await Promise.all(published) };
  }
  const keyOf = (alg: string) => keys.find((one) => one.alg === alg);

  return {
    url,
    asked,
    get up() {
      return state.up;
    },
    set up(up) {
      state.up = up;
    },
    token(claims = {}, { alg = 'RS256', kid, key } = {}) {
      const own = keyOf(alg);
      const header = { alg, ...(kid !== null && { kid: kid ?? own?.kid ?? 'RS256-1' }) };
      const payload = { iss: url, sub: 'ann', aud: 'kubeloom', iat: inSeconds(0), exp: inSeconds(3600), ...claims };
      const signingKey = key ?? own?.privateKey;
      if (!signingKey) throw new Error(`the issuer has no key for ${alg}`);
      return new SignJWT(payload).setProtectedHeader(header).sign(signingKey);
    },
    publicKey: async () => {
      const key = keyOf('RS256')?.publicKey;
      return key ? exportSPKI(key) : '';
    },
    async rotate() {
      generation += 1;
      keys = await makeKeys(generation);
    },
    close: () => server.close(),
  };
}
