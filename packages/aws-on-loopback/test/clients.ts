/** Real AWS SDK clients for endpoints on this machine, and a directory that goes with its test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LoopbackServer, listenOnLoopback } from '../src/server/loopback-server.ts';

/** Client configuration for one endpoint; no retries, so that a test sees the first answer. */
export const at = (endpoint: string, accessKeyId = 'test') => ({
  endpoint,
  region: 'us-east-1',
  maxAttempts: 1,
  disableHostPrefix: true,
  credentials: { accessKeyId, secretAccessKey: 'test' },
});

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'aws-on-loopback-'));
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
