/** Who may use the services: the program that starts them decides it, and each service asks before it does anything. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';

/** Who signed a request, and what they may do. */
export interface ServiceCaller {
  /** The message of AWS for an action (`s3:GetObject`) that is not allowed; undefined when it is. `keys`: what it uses; none for what has no key. */
  denial(action: string, keys: readonly string[]): string | undefined;
  /** The same for an operation (`PutItem`) of a service that speaks JSON (`DynamoDB`), with what it requests in addition to its keys. */
  denialOf(service: string, operation: string, input: unknown): string | undefined;
}

/** How a client identifies itself. Signatures are not checked: the id of the key is the secret. */
export interface SigningClient {
  /** Empty for a request that is not signed. */
  readonly accessKeyId: string;
  readonly sessionToken: string | undefined;
}

/** Finds the caller; undefined for one that is not known. */
export type Doorkeeper = (signer: SigningClient) => ServiceCaller | undefined;

/** Who may do everything. */
export const unbounded: ServiceCaller = { denial: () => undefined, denialOf: () => undefined };

/** Accepts those who sign with this access key, for everything, and no one else. */
export function withKey(accessKey: string): Doorkeeper {
  const known = keyDigest(accessKey);
  return ({ accessKeyId }) => (keyDigest(accessKeyId) === known ? unbounded : undefined);
}

/** For look-ups by key: how long they take says nothing about the keys. */
export const keyDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

const callers = new WeakMap<IncomingMessage, ServiceCaller>();

/** Who signed the request; without a doorkeeper everyone may do everything. */
export const callerOf = (request: IncomingMessage): ServiceCaller => callers.get(request) ?? unbounded;

/** Passes on requests that are signed (SigV4 header) by someone whom the doorkeeper knows; answers all others with 403. */
export function guarded(listener: RequestListener, doorkeeper: Doorkeeper): RequestListener {
  return (request, response) => {
    const { authorization = '', 'x-amz-security-token': token } = request.headers;
    const accessKeyId = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(authorization)?.[1] ?? '';
    const caller = doorkeeper({ accessKeyId, sessionToken: typeof token === 'string' ? token : undefined });
    if (caller !== undefined) {
      callers.set(request, caller);
      listener(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"UnrecognizedClientException","message":"sign with the access key of this platform"}');
  };
}
