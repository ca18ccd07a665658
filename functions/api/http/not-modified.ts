/** Answers 304 when nothing has changed. */
import { createHash } from 'node:crypto';
import { tagAllowed } from '../../http.ts';

interface Tagged {
  readonly headers: { readonly etag: string };
}

/** The answer with a tag of all that it shows; without it for a caller that has just that. */
export function unlessSeen<Json>(
  headers: Readonly<Record<string, string>>,
  json: Json,
): (Tagged & { readonly status: 200; readonly json: Json }) | (Tagged & { readonly status: 304 }) {
  const etag = `"${createHash('sha256').update(JSON.stringify(json)).digest('base64url').slice(0, 20)}"`;
  const seen = headers['if-none-match'];
  if (seen !== undefined && tagAllowed(seen, etag)) return { status: 304, headers: { etag } };
  return { status: 200, json, headers: { etag } };
}
