/** A login to one Vault, used for every secret that a stage needs from it; repeated once when it has expired early. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { AccessToken, CloudWord } from '#domain/observed/cloud-texts.ts';
import type { VaultSecret } from '#domain/secret-locator.ts';
import { StageFailure } from '../stage-failure.ts';
import type { VaultConnection } from './vault-connection.ts';
import { loginRefused, nothingThere, oddAnswer, outOfService, readForbidden } from './vault-failure.ts';
import { type LoginWords, loginWords } from './vault-login.ts';
import { type VaultAnswer, vaultRequest } from './vault-request.ts';

export const VaultLoginAnswer = z.object({
  auth: z.object({ client_token: AccessToken, token_type: CloudWord.optional() }),
});
export const VaultMount = z.object({
  data: z.object({
    options: z
      .object({ version: closedText(10, /^\d+$/) })
      .partial()
      .nullish(),
  }),
});
/** Values of Secrets may be anything: they are masked before anything else sees them, and their readers judge them by their fields. */
const Fields = z.record(closedText(512, /^[^\p{C}]+$/u), z.json());
export const VaultVersionOne = z.object({ data: Fields });
export const VaultVersionTwo = z.object({ data: z.object({ data: Fields.nullable() }) });

export class VaultSession {
  readonly #connection: VaultConnection;
  readonly #words: LoginWords;
  readonly #mask: (values: readonly string[]) => void;
  #token: Promise<string> | undefined;
  /** Tokens of logins that can be revoked: a batch token cannot, it expires. */
  readonly #revocable = new Set<string>();

  /** `mask` gets every value before any other code. */
  constructor(connection: VaultConnection, mask: (values: readonly string[]) => void, words: LoginWords = loginWords) {
    this.#connection = connection;
    this.#mask = mask;
    this.#words = words;
  }

  /** The fields of a secret, renamed as in the reference. Throws `StageFailure`. */
  async read({ mount, path, kvVersion, keys }: VaultSecret): Promise<Readonly<Record<string, string>>> {
    const version = kvVersion ?? (await this.#versionOf(mount, path));
    const place = version === 2 ? `${mount}/data/${path}` : `${mount}/${path}`;
    const answer = await this.#get(place);
    if (answer.status === 404) {
      const left = VaultVersionTwo.safeParse(answer.body);
      throw nothingThere(this.#connection, place, left.success && left.data.data.data === null);
    }
    const fields =
      version === 2
        ? VaultVersionTwo.safeParse(answer.body).data?.data.data
        : VaultVersionOne.safeParse(answer.body).data?.data;
    if (answer.status !== 200 || !fields) throw oddAnswer(this.#connection, place, answer.status);
    const texts = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, textOf(value)]));
    this.#mask(Object.values(texts));
    return renamed(texts, keys);
  }

  /** Revokes the tokens of logins. Never throws: returns failures as sentences for the log. */
  async leave(patienceMs = 5_000): Promise<readonly string[]> {
    const tokens = [...this.#revocable];
    this.#revocable.clear();
    this.#token = undefined;
    const complaints = await Promise.all(tokens.map((token) => this.#revoke(token, patienceMs)));
    return complaints.filter((complaint) => complaint !== undefined);
  }

  async #revoke(token: string, patienceMs: number): Promise<string | undefined> {
    const path = 'auth/token/revoke-self';
    const why = await vaultRequest(this.#connection, { method: 'POST', path, token, patienceMs }).then(
      ({ status }) => (status < 300 ? undefined : `HTTP ${status}`),
      (error: unknown) => (error instanceof StageFailure ? error.error.code : 'unknown cause'),
    );
    if (why === undefined) return undefined;
    const end =
      why === 'HTTP 403'
        ? `it has expired already, or none of its policies allows ${path}`
        : 'it expires with its lease';
    return `A token of the Vault ${this.#connection.address} could not be revoked (${why}): ${end}.`;
  }

  /** As Vault's own command line does: the mount shows it to any login that may read something below it. */
  async #versionOf(mount: string, path: string): Promise<1 | 2> {
    const place = `sys/internal/ui/mounts/${mount}`;
    const answer = await this.#get(place, `${mount}/data/${path} (KV v1: ${mount}/${path})`);
    const found = VaultMount.safeParse(answer.body);
    if (answer.status !== 200 || !found.success) throw oddAnswer(this.#connection, place, answer.status);
    return found.data.data.options?.version === '2' ? 2 : 1;
  }

  /** A token may have ended between two reads, its lease or its number of uses: then one new login is worth a try. */
  async #get(path: string, wanted = path): Promise<VaultAnswer> {
    const isNew = this.#token === undefined;
    const first = await this.#ask(path);
    if (first.status !== 403) return first;
    if (isNew) throw readForbidden(this.#connection, wanted);
    this.#token = undefined;
    const second = await this.#ask(path);
    if (second.status === 403) throw readForbidden(this.#connection, wanted);
    return second;
  }

  async #ask(path: string): Promise<VaultAnswer> {
    this.#token ??= this.#logIn();
    const answer = await vaultRequest(this.#connection, {
      method: 'GET',
      path: escaped(path),
      token: await this.#token,
    });
    const broken = outOfService(this.#connection, answer);
    if (broken !== undefined) throw broken;
    return answer;
  }

  async #logIn(): Promise<string> {
    try {
      const body = await this.#words(this.#connection.login, this.#mask);
      const path = `auth/${escaped(this.#connection.authMount)}/login`;
      const answer = await vaultRequest(this.#connection, { method: 'POST', path, body });
      const broken = outOfService(this.#connection, answer);
      if (broken !== undefined) throw broken;
      const login = VaultLoginAnswer.safeParse(answer.body);
      if (answer.status !== 200 || !login.success) throw loginRefused(this.#connection, answer.status);
      const { client_token: token, token_type: kind } = login.data.auth;
      this.#mask([token]);
      if (kind !== 'batch') this.#revocable.add(token);
      return token;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }
}

function escaped(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Values that are not texts are written as people would write them; a service account key may be stored as JSON. */
function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).trim();
}

function renamed(
  texts: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const taken = new Set(Object.values(keys));
  const others = Object.entries(texts).filter(([key]) => !taken.has(key));
  const wanted = Object.entries(keys).flatMap(([field, key]) => {
    const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
    return text === undefined ? [] : [[field, text] as const];
  });
  return Object.fromEntries([...others, ...wanted]);
}
