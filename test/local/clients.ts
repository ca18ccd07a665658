/** Real AWS SDK clients for local endpoints, a directory that goes with its test, and small state machines. */
import { accessKeyOf, sessionKeyOf } from '#local/rights/access-key.ts';
import { type SealedIdentity, sealIdentity } from '#local/rights/session-token.ts';

export { listening, refusal, temporaryDirectory } from '../../packages/aws-on-loopback/test/clients.ts';

/** Client configuration for one endpoint (of the platform with that API token, if any); no retries, so that a test sees the first answer. */
export const at = (endpoint: string, token?: string) => ({
  endpoint,
  region: 'us-east-1',
  maxAttempts: 1,
  disableHostPrefix: true,
  credentials: { accessKeyId: token === undefined ? 'test' : accessKeyOf(token), secretAccessKey: 'test' },
});

/** Credentials of a client that signs with that key. */
export const signedBy = (accessKeyId: string) => ({
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId, secretAccessKey: 'anything' },
});

/** Credentials of a client that works in that session of a platform with this access key. */
export function inSession(accessKey: string, identity: SealedIdentity) {
  const sessionToken = sealIdentity(accessKey, identity);
  const credentials = { accessKeyId: sessionKeyOf(sessionToken), secretAccessKey: 'anything', sessionToken };
  return { region: 'us-east-1', maxAttempts: 1, credentials };
}
