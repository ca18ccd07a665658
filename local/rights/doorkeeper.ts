/** Accepts clients that a platform knows, and holds them to their roles. */
import type { IncomingMessage } from 'node:http';
import { callerOf, type Doorkeeper, keyDigest, type ServiceCaller, unbounded } from 'aws-on-loopback/server/callers.ts';
import { type Principal, principalByKey, principalInSession } from './access-key.ts';
import { denial, denialOf } from './request-rights.ts';

class BoundedCaller implements ServiceCaller {
  readonly principal: Principal;

  constructor(principal: Principal) {
    this.principal = principal;
  }

  denial(action: string, keys: readonly string[]): string | undefined {
    return denial(this.principal, action, keys);
  }

  denialOf(service: string, operation: string, input: unknown): string | undefined {
    return denialOf(this.principal, service, operation, input);
  }
}

/** Clients that sign with the access key of the platform, of a function or of a build's session. Threads load this file by its URL. */
export function doorkeeperOf(accessKey: string): Doorkeeper {
  // By digest: how long a look-up takes says nothing about the keys.
  const known = new Map([...principalByKey(accessKey)].map(([key, principal]) => [keyDigest(key), principal]));
  return (signer) => {
    const session = principalInSession(accessKey, signer);
    const key = keyDigest(signer.accessKeyId);
    if (session === undefined && !known.has(key)) return undefined;
    const principal = session ?? known.get(key);
    return principal === undefined ? unbounded : new BoundedCaller(principal);
  };
}

/** Who signed the request; undefined for the platform itself, which may do everything. */
export function principalOf(request: IncomingMessage): Principal | undefined {
  const caller = callerOf(request);
  return caller instanceof BoundedCaller ? caller.principal : undefined;
}
