/** The identity that a build starts with: the role of its project. Read as the SDK does, from the environment as it was, whenever it is needed: it is renewed. */
import { z } from 'zod';
import type { AwsKeys } from '#adapters/aws-identity.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As containers get it, at an address of the machine that runs them. */
const containerAddress = 'http://169.254.170.2';
const answerMs = 5_000;

const ContainerKeys = z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), Token: z.string().optional() });

/** Throws when the environment has none, or the machine does not answer. */
export async function buildIdentity(environment: Environment): Promise<AwsKeys> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (accessKeyId && secretAccessKey) return keysOf(accessKeyId, secretAccessKey, environment.AWS_SESSION_TOKEN);
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: whole } = environment;
  const url = path === undefined ? whole : `${containerAddress}${path}`;
  if (url === undefined) throw new Error('neither keys nor a place for them are in the environment');
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN: authorization } = environment;
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(answerMs) });
  if (!response.ok) throw new Error(`the place of its keys answered ${response.status}`);
  const { AccessKeyId, SecretAccessKey, Token } = ContainerKeys.parse(await response.json());
  return keysOf(AccessKeyId, SecretAccessKey, Token);
}

function keysOf(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): AwsKeys {
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
