/** An API with a gateway that accepts requests signed with SigV4 only, and answers as API Gateway does to all others. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { listening } from '#test/local/clients.ts';
import { signatureOf } from '../doctor/signature.ts';

export interface SignedApi {
  readonly url: string;
  /** The requests that reached the API. */
  readonly seen: { readonly route: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  /** Refusals of the gateway. */
  readonly refusals: string[];
  /** Secrets by access key id; a session token is the key id's digest. */
  readonly secrets: Map<string, string>;
  /** Access keys whose credentials have ended. */
  readonly expired: Set<string>;
}

export const region = 'eu-central-1';
export const sessionTokenOf = (key: string): string => createHash('sha256').update(key).digest('hex');

export interface ApiAnswer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `answer`: the answer of the API to requests that the gateway accepts. */
export async function startSignedApi(answer: (route: string) => ApiAnswer): Promise<SignedApi> {
  const api = { seen: [], refusals: [], secrets: new Map(), expired: new Set() } as unknown as Omit<SignedApi, 'url'>;
  const refusal = (request: IncomingMessage, body: string): string | undefined => {
    const { authorization = '', 'x-amz-security-token': session } = request.headers;
    const [, key = '', scope = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=(\w+)\/([^,]+), SignedHeaders=\S+, Signature=([0-9a-f]{64})$/.exec(authorization) ??
      [];
    const secret = api.secrets.get(key);
    if (signature === undefined) return 'Missing Authentication Token';
    if (secret === undefined) return 'The security token included in the request is invalid.';
    if (api.expired.has(key)) return 'The security token included in the request is expired';
    if (session !== undefined && session !== sessionTokenOf(key))
      return 'The security token included in the request is invalid.';
    const isOurs = scope.endsWith(`/${region}/execute-api/aws4_request`);
    if (!isOurs || signature !== signatureOf(request, body, secret))
      return 'The request signature we calculated does not match the signature you provided.';
    return undefined;
  };
  const { url } = await listening(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const refused = refusal(request, body);
    if (refused !== undefined) {
      api.refusals.push(refused);
      response.writeHead(403, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ message: refused }));
    }
    const route = `${request.method} ${request.url}`;
    api.seen.push({ route, headers: request.headers, body });
    const { status, body: json, headers } = answer(route);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(json && JSON.stringify(json));
  });
  return { ...api, url };
}
