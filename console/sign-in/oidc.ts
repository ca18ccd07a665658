/**
 * Sign-in at an OIDC issuer: authorization code with PKCE. Tokens are in memory alone; a reload signs in again without a page while the
 * issuer knows who one is. What waits in the tab's storage for the way back (state, nonce, verifier) is no token and is used once.
 */
import type { ConsoleSettings } from '#contracts/console-page.ts';
import { handOverDrafts, reloadPage } from '../drafts.ts';
import { checkIdToken, discover, type Issuer, IssuerRefused, requestTokens, type Tokens } from './issuer.ts';
import { errorText, fieldText, type SignInStart, type WayIn } from './way-in.ts';

type Settings = Extract<ConsoleSettings, { readonly signIn: 'oidc' }>;

const waiting = 'kubeloom-console-sign-in';
const signedOut = 'kubeloom-console-signed-out';
/** A token is renewed so long before its end. */
const renewMs = 60_000;
/** A refusal by the API within this time is not about a session that has ended. */
const freshMs = 30_000;

export function oidcSignIn(settings: Settings, now: () => number = Date.now): WayIn {
  const session = new OidcSession(settings, now);
  return {
    begin: () => session.begin(),
    headers: () => session.headers(),
    refused: () => session.refused(),
    signOut: () => session.signOut(),
    async toSignIn() {
      sessionStorage.removeItem(signedOut);
      await session.leave(false);
    },
  };
}

type Session = Tokens & { readonly subject: string; readonly since: number };

class OidcSession {
  readonly #settings: Settings;
  readonly #now: () => number;
  readonly #redirect = `${location.origin}/console/`;
  readonly #tabs = new BroadcastChannel('kubeloom-console');
  #reason: string | undefined;
  #tokens: Session | undefined;
  #renewing: Promise<void> | undefined;
  #found: Promise<Issuer> | undefined;

  constructor(settings: Settings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
    // Another tab signed out: what this one shows is of someone who has left.
    this.#tabs.onmessage = () => {
      this.#endHere();
      reloadPage();
    };
  }

  async begin(): Promise<SignInStart> {
    const answer = new URLSearchParams(location.search);
    const asked = parsed(sessionStorage.getItem(waiting));
    sessionStorage.removeItem(waiting);
    try {
      if (answer.has('state') || answer.has('code') || answer.has('error')) {
        history.replaceState(null, '', `${location.pathname}${fieldText(asked, 'place') || '#/'}`);
        await this.#arrive(answer, asked);
      } else if (sessionStorage.getItem(signedOut) === null) await this.leave(true);
    } catch (error) {
      return { kind: 'refused', reason: errorText(error) };
    }
    return { kind: 'open' };
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.#tokens && this.#tokens.until - this.#now() < renewMs) {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
      await this.#renewing;
    }
    if (this.#tokens && this.#tokens.until <= this.#now()) this.#tokens = undefined;
    const shown = this.#tokens?.[this.#settings.token];
    return shown === undefined ? {} : { authorization: `Bearer ${shown}` };
  }

  refused(): string | undefined {
    if (this.#tokens) this.#reason = this.#now() - this.#tokens.since < freshMs ? notAccepted : undefined;
    this.#tokens = undefined;
    return this.#reason;
  }

  async signOut(): Promise<void> {
    this.#endHere();
    this.#tabs.postMessage('signed out');
    // What it shows is of someone who has left, whether or not the issuer answers.
    const { endSession } = await this.#issuer().catch(() => ({ endSession: undefined }));
    // Without the ID token: it would be in an address.
    const away = endSession === undefined ? undefined : new URL(endSession);
    away?.searchParams.set('client_id', this.#settings.clientId);
    away?.searchParams.set('post_logout_redirect_uri', this.#redirect);
    if (away) {
      handOverDrafts();
      location.assign(away.href);
    } else reloadPage();
  }

  async leave(silently: boolean): Promise<void> {
    const { authorize } = await this.#issuer();
    const [state, nonce, verifier] = [secret(), secret(), secret()];
    const challenge = encoded(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
    const page = new URL(authorize);
    const asked = {
      response_type: 'code',
      client_id: this.#settings.clientId,
      redirect_uri: this.#redirect,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(silently && { prompt: 'none' }),
    };
    for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value);
    const mode = silently ? 'silent' : 'asked';
    sessionStorage.setItem(waiting, JSON.stringify({ state, nonce, verifier, mode, place: location.hash }));
    // As it was when it was left, this page would wait for ever.
    window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
    handOverDrafts();
    location.assign(page.href);
    await new Promise(() => {});
  }

  #issuer(): Promise<Issuer> {
    this.#found ??= discover(this.#settings).catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  /** With the answer of the issuer that the address brought. Throws with the reason. */
  async #arrive(answer: URLSearchParams, asked: unknown): Promise<void> {
    const settings = this.#settings;
    const [state, nonce, verifier] = ['state', 'nonce', 'verifier'].map((name) => fieldText(asked, name));
    if (state === undefined || answer.get('state') !== state || nonce === undefined || verifier === undefined)
      throw new IssuerRefused('this answer of the issuer is not for a sign-in that this tab began: sign in again');
    const { token, namesItself } = await this.#issuer();
    if ((answer.get('iss') ?? (namesItself ? '' : settings.issuer)) !== settings.issuer)
      throw new IssuerRefused('this answer is from another issuer: sign in again');
    const error = answer.get('error');
    if (error !== null && fieldText(asked, 'mode') === 'silent' && silentRefusals.includes(error)) return;
    if (error !== null) throw new IssuerRefused(`the issuer refused: ${answer.get('error_description') ?? error}`);
    const form = { grant_type: 'authorization_code', code: answer.get('code') ?? '', redirect_uri: this.#redirect };
    const given = await requestTokens(
      { token },
      { ...form, client_id: settings.clientId, code_verifier: verifier },
      this.#now(),
    );
    const { subject, until } = checkIdToken(given.id, { ...settings, nonce, now: this.#now() });
    const ends = this.#usesId ? until : given.until;
    this.#tokens = { ...given, id: given.id ?? '', until: ends, subject, since: this.#now() };
  }

  /** In place of a token that ends soon. One that the issuer refuses ends the session; while it does not answer, the old one is used to its end. */
  async #renew(): Promise<void> {
    const before = this.#tokens;
    if (before?.refresh === undefined) return;
    try {
      const renewed = await this.#renewed({ ...before, refresh: before.refresh });
      if (this.#tokens === before) this.#tokens = renewed;
    } catch (error) {
      if (error instanceof IssuerRefused && this.#tokens === before) this.#tokens = undefined;
      else if (before.until <= this.#now()) throw error;
    }
  }

  async #renewed(before: Session & { readonly refresh: string }): Promise<Session> {
    const settings = this.#settings;
    const form = { grant_type: 'refresh_token', refresh_token: before.refresh, client_id: settings.clientId };
    const answer = await requestTokens(await this.#issuer(), form, this.#now());
    const { id, refresh = before.refresh, ...given } = answer;
    // Not every issuer gives another ID token; the one before is still that of the sign-in, and is as old as it is.
    const checked =
      id === undefined ? before : checkIdToken(id, { ...settings, subject: before.subject, now: this.#now() });
    // Where the ID token is what the API knows, nothing was renewed: it ends when it ends.
    if (this.#usesId && id === undefined) return { ...before, refresh: undefined };
    const until = this.#usesId ? checked.until : given.until;
    return { ...before, ...given, id: id ?? before.id, refresh, until, since: this.#now() };
  }

  get #usesId(): boolean {
    return this.#settings.token === 'id';
  }

  #endHere(): void {
    this.#tokens = undefined;
    sessionStorage.setItem(signedOut, 'yes');
  }
}

const notAccepted =
  'the issuer let you in, but the API does not accept its token: the options jwtIssuer, jwtAudience and consoleToken of the installation have to fit it';

/** The issuer would have to show a page first. */
const silentRefusals = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

const secret = (): string => encoded(crypto.getRandomValues(new Uint8Array(32)).buffer);

/** In the letters of addresses. */
const encoded = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
