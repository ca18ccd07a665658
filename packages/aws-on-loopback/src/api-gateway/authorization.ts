/** What an authorizer says about the `Authorization` header of a request. */

/** The claims of the caller. */
export type Claims = Readonly<Record<string, string>>;

export type Authorization =
  | { readonly claims: Claims }
  /** The reason, for the caller. */
  | { readonly refused: string }
  /** It cannot be decided now. */
  | { readonly unavailable: string };

export type Authorizer = (authorization: string | undefined) => Promise<Authorization>;
