/**
 * Credentials for the job of this build. The role that a build starts with may ask for them and nothing else; who asks with another token than
 * this process gets none, so nothing that runs in the build later can.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SignatureV4 } from '@smithy/signature-v4';
import { Problem } from '#contracts/api-bodies.ts';
import { BuildCredentials } from '#contracts/build-credentials.ts';
import { NodeHash } from '#contracts/node-hash.ts';
import { buildIdentity } from './build-identity.ts';

/** Credentials as they are now: renewed before they end, for as long as the build runs. */
export type CredentialSource = () => Promise<BuildCredentials>;

/** The build got no credentials; the message is a sentence for people that says why. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

/** Renewed when they are valid for less than this. */
const renewBeforeMs = 5 * 60_000;
/** Between tries: 15.5 s in all. */
const pausesMs = [500, 1000, 2000, 4000, 8000];
const answerMs = 10_000;

type Answer = { readonly credentials: BuildCredentials } | { readonly fault: string; readonly retry: boolean };

/** Asks at `url`, with the identity that `environment` leads to. Throws `NoCredentials` when the first call gets none. */
export async function openCredentials(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
  pauses: readonly number[] = pausesMs,
): Promise<CredentialSource> {
  const token = randomBytes(32).toString('base64url');
  // The process changes its own.
  const around = { ...environment };
  const fetchOnce = (): Promise<BuildCredentials> => retried(() => ask(url, token, around), pauses);
  let known = await fetchOnce();
  let renewal: Promise<void> | undefined;
  const leftMs = (): number => Date.parse(known.expiresAt) - Date.now();
  const renew = async (): Promise<void> => {
    try {
      known = await fetchOnce();
    } catch (error) {
      // What is still valid is used; the next call tries again.
      if (leftMs() <= 0) throw error;
    } finally {
      renewal = undefined;
    }
  };
  return async () => {
    if (leftMs() < renewBeforeMs) {
      renewal ??= renew();
      await renewal;
    }
    return known;
  };
}

async function retried(work: () => Promise<Answer>, pauses: readonly number[]): Promise<BuildCredentials> {
  for (let tries = 0; ; tries++) {
    const answer = await work();
    if ('credentials' in answer) return answer.credentials;
    const next = answer.retry ? pauses[tries] : undefined;
    if (next === undefined) throw new NoCredentials(`Kubeloom gave this build no credentials: ${answer.fault}`);
    await pause(next);
  }
}

async function ask(
  url: string,
  token: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  try {
    return await sent(url, JSON.stringify({ token }), environment);
  } catch (error) {
    return { fault: `${url} did not answer: ${error instanceof Error ? error.message : String(error)}`, retry: true };
  }
}

async function sent(
  url: string,
  body: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  const { hostname, host, port, protocol, pathname } = new URL(url);
  const credentials = await buildIdentity(environment);
  const region = environment.AWS_REGION ?? 'us-east-1';
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: NodeHash });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol,
    hostname,
    path: pathname,
    query: {},
    body,
    ...(port === '' ? {} : { port: Number(port) }),
    headers: { host, 'content-type': 'application/json' },
  });
  const { host: _, ...signed } = headers;
  const signal = AbortSignal.timeout(answerMs);
  const response = await fetch(url, { method: 'POST', headers: signed, body, signal, redirect: 'error' });
  const text = await response.text();
  if (response.ok) return { credentials: BuildCredentials.parse(JSON.parse(text)) };
  return { fault: `${response.status} ${reasonIn(text)}`, retry: response.status === 429 || response.status >= 500 };
}

/** A problem, or what API Gateway says: `{"message":"Forbidden"}`. */
function reasonIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const problem = Problem.pick({ detail: true }).safeParse(parsed);
    return problem.success ? problem.data.detail : String(Object(parsed).message ?? '');
  } catch {
    return text.slice(0, 200);
  }
}
