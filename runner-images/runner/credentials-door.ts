/** Gives the credentials of the build to the parts of this process, and the tools, that find them in the environment: the SDK, Terraform's backend. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CredentialSource } from './build-credentials.ts';

/** What tools may not inherit: the identity of the runner. Each driver gives its tool what that needs. */
const ofIdentity = /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|CONTAINER_.*|WEB_IDENTITY_.*|ROLE_.*|PROFILE)$/;
/** Nor what leads kubectl to another cluster or another file of preferences. */
const ofKubectl = /^(KUBECONFIG$|KUBERC$|KUBECTL_)/;

/**
 * Serves them on 127.0.0.1, in the protocol of containers, to whom shows a token, and names place and token in `environment`, in place of
 * the identity that the build started with.
 */
export async function openCredentialsDoor(
  source: CredentialSource,
  environment: Record<string, string | undefined>,
): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    request.resume();
    if (!same(request.headers.authorization ?? '', token)) return void response.writeHead(403).end();
    source().then(
      ({ accessKeyId, secretAccessKey, sessionToken, expiresAt }) => {
        const answer = {
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey,
          Token: sessionToken,
          Expiration: expiresAt,
        };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      },
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  for (const name of Object.keys(environment)) if (ofIdentity.test(name)) delete environment[name];
  environment.AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  environment.AWS_CONTAINER_AUTHORIZATION_TOKEN = token;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment without the identity of the runner, in AWS and in clusters. */
export function withoutIdentity(environment: Environment): Environment {
  const isKept = (name: string): boolean => !ofIdentity.test(name) && !ofKubectl.test(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}

/** The identity of the runner, for a tool that needs it. */
export function identityIn(environment: Environment): Readonly<Record<string, string>> {
  const pairs = Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(pairs.filter(([name]) => ofIdentity.test(name)));
}

function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
