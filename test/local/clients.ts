/** Real AWS SDK clients for local endpoints, a directory that goes with its test, and small state machines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { onTestFinished } from 'vitest';
import { accessKeyOf, sessionKeyOf } from '#local/rights/access-key.ts';
import { type SealedIdentity, sealIdentity } from '#local/rights/session-token.ts';

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

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function listening(listener: Parameters<typeof listenOnLoopback>[0]): Promise<LoopbackServer> {
  const server = await listenOnLoopback(listener);
  onTestFinished(() => server.close());
  return server;
}

/** The error that a promise is rejected with; fails the test when it is not. */
export async function refusal(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => new Error('nothing was refused'),
    (error: unknown) => error,
  );
  return outcome instanceof Error ? outcome : new Error(String(outcome));
}
