/** What an OIDC issuer is asked, and what its answers have to be: discovery, a code or a refresh token for tokens, the ID token's claims. */
import { fieldText } from './way-in.ts';

export interface Issuer {
  readonly authorize: string;
  readonly token: string;
  readonly endSession: string | undefined;
  /** It names itself in each answer to the browser (RFC 9207). */
  readonly namesItself: boolean;
}

export interface Client {
  readonly issuer: string;
  readonly clientId: string;
}

export interface Tokens {
  readonly access: string;
  readonly id: string;
  readonly refresh: string | undefined;
  /** In ms, by the clock of this browser. */
  readonly until: number;
}

/** The issuer refused; it will do so again. */
export class IssuerRefused extends Error {}

const leewayMs = 60_000;
/** An issuer that answers nothing within this time is one that does not answer. */
const patienceMs = 10_000;

/** Where the issuer's pages are. Throws a sentence. */
export async function discover({ issuer }: Pick<Client, 'issuer'>): Promise<Issuer> {
  const document = await jsonOf(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (fieldText(document, 'issuer') !== issuer)
    throw new Error(`the server at ${issuer} says that it is a different issuer`);
  const methods = listOf(document, 'code_challenge_methods_supported');
  if (methods && !methods.includes('S256')) throw new Error(`${issuer} does not support PKCE with S256`);
  const secure = (name: string): string | undefined => {
    const url = fieldText(document, name);
    if (url === undefined || URL.parse(url)?.protocol === 'https:' || issuer.startsWith('http://127.0.0.1:'))
      return url;
    throw new Error(`the ${name} of ${issuer} is not https`);
  };
  const [authorize, token] = [secure('authorization_endpoint'), secure('token_endpoint')];
  if (authorize === undefined || token === undefined) throw new Error(`${issuer} does not say where one signs in`);
  const namesItself = field(document, 'authorization_response_iss_parameter_supported') === true;
  return { authorize, token, endSession: secure('end_session_endpoint'), namesItself };
}

/** The tokens for a code, or for a refresh token: `form` says which. Throws `IssuerRefused`, or a sentence where it does not answer. */
export async function requestTokens(
  { token }: Pick<Issuer, 'token'>,
  form: Readonly<Record<string, string>>,
  now: number,
): Promise<Omit<Tokens, 'id'> & { readonly id: string | undefined }> {
  const answer = await jsonOf(token, { method: 'POST', body: new URLSearchParams(form) });
  const access = fieldText(answer, 'access_token');
  if (access === undefined || fieldText(answer, 'token_type')?.toLowerCase() !== 'bearer')
    throw new IssuerRefused('the issuer answered without a token');
  const seconds = Number(field(answer, 'expires_in') ?? 300);
  const [id, refresh] = [fieldText(answer, 'id_token'), fieldText(answer, 'refresh_token')];
  return { access, id, refresh, until: now + seconds * 1000 };
}

/**
 * Throws `IssuerRefused` for an ID token that is not the answer to what this tab asked. It came from the issuer itself over TLS, so its
 * signature is not checked here (OpenID Connect Core, 3.1.3.7); the API checks that of the token it is shown.
 */
export function checkIdToken(
  id: string | undefined,
  expected: Client & { readonly nonce?: string; readonly subject?: string; readonly now: number },
): { readonly subject: string; readonly until: number } {
  const claims = claimsOf(id);
  const wrong = (what: string): never => {
    throw new IssuerRefused(`the ID token has another ${what} than this console asked for: sign in again`);
  };
  if (fieldText(claims, 'iss') !== expected.issuer) wrong('issuer');
  const audience = listOf(claims, 'aud') ?? [fieldText(claims, 'aud')];
  const party = fieldText(claims, 'azp');
  if (!audience.includes(expected.clientId) || (party ?? expected.clientId) !== expected.clientId) wrong('audience');
  if (audience.length > 1 && party === undefined) wrong('audience');
  if (expected.nonce !== undefined && fieldText(claims, 'nonce') !== expected.nonce) wrong('nonce');
  const until = Number(field(claims, 'exp')) * 1000;
  if (!(until + leewayMs > expected.now))
    throw new IssuerRefused('the ID token has expired: check the clock of this computer');
  const subject = fieldText(claims, 'sub') ?? wrong('subject');
  if (expected.subject !== undefined && subject !== expected.subject) wrong('subject');
  return { subject, until };
}

function claimsOf(token = ''): unknown {
  const [, payload = ''] = token.split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new IssuerRefused('the issuer answered without an ID token: does the scope have "openid"?');
  }
}

async function jsonOf(url: string, sent: RequestInit = {}): Promise<unknown> {
  const { origin } = new URL(url);
  // Neither cookies nor an address of this page, and never to where a redirect leads: what is sent opens a session.
  const options: RequestInit = {
    signal: AbortSignal.timeout(patienceMs),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  };
  const response = await fetch(url, { ...options, ...sent }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'TimeoutError')
      throw new Error(`${origin} did not answer within ${patienceMs / 1000} seconds`, { cause });
    const hint =
      "it has to allow this origin (CORS), and consoleSignInOrigins has to name it if it is not the issuer's";
    throw new Error(`${origin} does not answer this page: ${hint}`, { cause });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const said = fieldText(answer, 'error_description') ?? fieldText(answer, 'error') ?? `HTTP ${response.status}`;
  const sentence = `the issuer refused: ${said}`;
  throw response.status >= 500 || response.status === 429 ? new Error(sentence) : new IssuerRefused(sentence);
}

const field = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Object.getOwnPropertyDescriptor(of, name)?.value : undefined;

function listOf(of: unknown, name: string): readonly unknown[] | undefined {
  const value = field(of, name);
  return Array.isArray(value) ? value : undefined;
}
