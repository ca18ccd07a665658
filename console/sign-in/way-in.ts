/** How this browser is signed in, whichever way the installation has: what pages and the client of the API know about it. */

export interface WayIn {
  /** At the start of the page: uses what the address brought, and removes it from there. */
  begin(): Promise<SignInStart>;
  /** Headers that identify the caller to the API; empty without a session. Throws if it cannot be found out now. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The API did not accept them; the reason if it is not simply that the session has ended. */
  refused?(): string | undefined;
  signOut(): Promise<void>;
  /** Context of the command line, for commands that pages show. @default the one that is in use */
  readonly context?: string | undefined;
  /** Leads to the page where one signs in, and from there back to this place; absent where a command does. */
  readonly toSignIn?: () => Promise<void>;
}

export type SignInStart =
  /** There may be a session: the API will say. */
  | { readonly kind: 'open' }
  /** What the address brought is not accepted, as a sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The address signs in someone else than who is. */
  | { readonly kind: 'asks'; readonly replace: () => Promise<void> };

let way: WayIn | undefined;

export function setWayIn(chosen: WayIn): void {
  way = chosen;
}

export function wayIn(): WayIn {
  if (!way) throw new Error('setWayIn was not called yet');
  return way;
}

/** The message of what was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A field of an answer, where it is a text. */
export function fieldText(answer: unknown, name: string): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(answer, name)?.value;
  return typeof value === 'string' ? value : undefined;
}
