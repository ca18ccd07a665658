/**
 * An OIDC issuer with a page on which one signs in, for public clients: authorization code with PKCE, rotating refresh tokens, sign-out. It
 * refuses what real ones refuse, and can be made to answer what an attacker would.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Issuer, inSeconds, startIssuer } from '../../security/issuer-stand-in.ts';

export const clientId = 'kubeloom-console';
export const audience = 'kubeloom';

export interface SignInIssuer extends Pick<Issuer, 'url' | 'close'> {
  /** Addresses to which answers may lead, exactly. */
  readonly redirects: Set<string>;
  /** What was asked for: `grant authorization_code`, `page`, `silent`, `end`. */
  readonly events: string[];
  /** Fields of the answer that are wrong on purpose. @default none */
  tamper?: 'state' | 'nonce' | 'issuer' | 'audience' | 'client' | undefined;
  /** Lifetime of an access token in seconds. @default 3600 */
  seconds: number;
  /** Whether refresh tokens are still good. */
  refreshes: boolean;
  /** Whether a refresh token also gives an ID token: some issuers give one at sign-in alone. @default true */
  renewsId: boolean;
}

interface Asked {
  readonly redirect: string;
  readonly challenge: string;
  readonly nonce: string;
}

interface Page {
  readonly status: number;
  readonly text?: string;
  readonly location?: string;
}

const secret = (): string => randomBytes(24).toString('base64url');

export async function startSignInIssuer(): Promise<SignInIssuer> {
  const codes = new Map<string, Asked & { used: boolean }>();
  const refreshTokens = new Map<string, boolean>();
  const people = new Set<string>();
  const state = { seconds: 3600, refreshes: true, renewsId: true, tamper: undefined as SignInIssuer['tamper'] };
  const events: string[] = [];
  const redirects = new Set<string>();

  const tokens = async (nonce: string | undefined): Promise<object> => {
    const refresh = secret();
    refreshTokens.set(refresh, true);
    const id = {
      aud: state.tamper === 'client' ? 'another-client' : clientId,
      ...(nonce !== undefined && { nonce: state.tamper === 'nonce' ? 'another' : nonce }),
      ...(state.tamper === 'issuer' && { iss: 'https://evil.example' }),
    };
    return {
      token_type: 'Bearer',
      expires_in: state.seconds,
      refresh_token: refresh,
      access_token: await issuer.token({
        aud: state.tamper === 'audience' ? 'another-api' : audience,
        exp: inSeconds(7200),
      }),
      ...((nonce !== undefined || state.renewsId) && { id_token: await issuer.token(id) }),
    };
  };
  /** As RFC 6749 names them. */
  const refused = (error: string, description: string) => ({
    status: 400,
    body: { error, error_description: description },
  });

  const grant = async (form: URLSearchParams): Promise<{ readonly status: number; readonly body: object }> => {
    const text = (name: string): string => form.get(name) ?? '';
    events.push(`grant ${text('grant_type')}`);
    if (text('client_id') !== clientId) return refused('invalid_client', 'there is no such client');
    if (text('grant_type') === 'refresh_token') {
      const isGood = refreshTokens.get(text('refresh_token'));
      refreshTokens.set(text('refresh_token'), false);
      if (!isGood || !state.refreshes) return refused('invalid_grant', 'the refresh token was used or revoked');
      return { status: 200, body: await tokens(undefined) };
    }
    if (text('grant_type') !== 'authorization_code') return refused('unsupported_grant_type', 'only codes');
    const asked = codes.get(text('code'));
    if (!asked || asked.used) return refused('invalid_grant', 'the code was used or is not known');
    asked.used = true;
    if (asked.redirect !== text('redirect_uri'))
      return refused('invalid_grant', 'the redirect URI is not the registered one');
    const challenge = createHash('sha256').update(text('code_verifier')).digest('base64url');
    if (challenge !== asked.challenge) return refused('invalid_grant', 'the code verifier does not fit the challenge');
    return { status: 200, body: await tokens(asked.nonce) };
  };

  const authorize = (cookie: string, asked: URLSearchParams): Page => {
    const text = (name: string): string => asked.get(name) ?? '';
    const redirect = text('redirect_uri');
    // Not to an address that is not known: the author of this request would get the answer.
    if (text('client_id') !== clientId || !redirects.has(redirect))
      return { status: 400, text: 'this client, or this redirect URI, is not registered' };
    const back = new URL(redirect);
    back.searchParams.set('state', state.tamper === 'state' ? 'another' : text('state'));
    const lead = (answer: Readonly<Record<string, string>>): Page => {
      for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
      return { status: 302, location: back.href };
    };
    if (text('response_type') !== 'code' || text('code_challenge_method') !== 'S256' || text('code_challenge') === '')
      return lead({ error: 'invalid_request', error_description: 'a code with PKCE (S256) has to be asked for' });
    if (!text('scope').split(' ').includes('openid')) return lead({ error: 'invalid_scope' });
    const silent = text('prompt') === 'none';
    events.push(silent ? 'silent' : 'page');
    const person = /(?:^|; )person=([\w-]+)/.exec(cookie)?.[1] ?? '';
    if (people.has(person)) {
      const code = secret();
      codes.set(code, { redirect, challenge: text('code_challenge'), nonce: text('nonce'), used: false });
      return lead({ code });
    }
    if (silent) return lead({ error: 'login_required' });
    const html = `<!doctype html><title>Issuer</title><form method="post" action="/sign-in">
      <input type="hidden" name="back" value="${encodeURIComponent(asked.toString())}"><button>I am ann</button></form>`;
    return { status: 200, text: html };
  };

  const issuer = await startIssuer({
    discovery: (url) => ({
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      end_session_endpoint: `${url}/end`,
      code_challenge_methods_supported: ['S256'],
    }),
    async serve(request, response) {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      let body = '';
      for await (const piece of request) body += String(piece);
      if (url.pathname === '/authorize') {
        const { status, text = '', location } = authorize(request.headers.cookie ?? '', url.searchParams);
        const headers = { 'content-type': 'text/html', 'cache-control': 'no-store', ...(location && { location }) };
        response.writeHead(status, headers).end(text);
      } else if (url.pathname === '/sign-in') {
        const person = secret();
        people.add(person);
        const back = decodeURIComponent(new URLSearchParams(body).get('back') ?? '');
        response
          .writeHead(303, { 'set-cookie': `person=${person}; HttpOnly; Path=/`, location: `/authorize?${back}` })
          .end();
      } else if (url.pathname === '/token') {
        const { status, body: json } = await grant(new URLSearchParams(body));
        response.writeHead(status, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
          // To the page that the client registered, as real ones do.
          'access-control-allow-origin': new URL([...redirects][0] ?? 'http://127.0.0.1').origin,
        });
        response.end(JSON.stringify(json));
      } else if (url.pathname === '/end') {
        events.push('end');
        people.clear();
        const back = url.searchParams.get('post_logout_redirect_uri') ?? '';
        response.writeHead(302, { location: redirects.has(back) ? back : '/' }).end();
      } else return false;
      return true;
    },
  });
  return Object.assign(state, { url: issuer.url, close: issuer.close, redirects, events });
}
