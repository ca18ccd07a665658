/** Tokens that AWS issues for the runner's own role: other clouds and Vaults that trust the account take them for a login. */
import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts';
import { StageFailure } from './stage-failure.ts';

export interface WebIdentityToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Not longer than the least that a role's own session may have left. */
const lifeSeconds = 900;

/** Asks STS. Throws `RunnerHasNoIdentity` or `WebIdentityRefused`. */
export async function webIdentityToken(
  audience: string,
  mask: (values: readonly string[]) => void,
  client = new STSClient({}),
): Promise<WebIdentityToken> {
  const command = new GetWebIdentityTokenCommand({
    ...{ Audience: [audience], SigningAlgorithm: 'RS256', DurationSeconds: lifeSeconds },
  });
  const answer = await client.send(command).catch((cause: unknown) => Promise.reject(refusal(cause)));
  const { WebIdentityToken: token, Expiration: expiresAt } = answer;
  if (token === undefined || expiresAt === undefined) throw refusal(new Error('STS gave no token'));
  mask([token]);
  return { token, expiresAt };
}

/** The runner works outside of AWS, or without a role. */
export function runnerIdentityFailure(cause: unknown): StageFailure {
  return new StageFailure(
    {
      class: 'credentials',
      code: 'RunnerHasNoIdentity',
      message: 'The runner has no identity in AWS, so it cannot log in without a key.',
      hint: 'Use a Secret with keys, or an installation in AWS (docs/secrets.md).',
    },
    { cause },
  );
}

function refusal(cause: unknown): StageFailure {
  const name = cause instanceof Error ? cause.name : 'unknown';
  if (name === 'CredentialsProviderError') return runnerIdentityFailure(cause);
  const isOff = name.startsWith('OutboundWebIdentityFederationDisabled');
  return new StageFailure(
    {
      class: /Throttl|Timeout|ECONN|ENOTFOUND|ServiceUnavailable|InternalFailure/.test(name)
        ? 'transient'
        : 'credentials',
      code: 'WebIdentityRefused',
      message: isOff
        ? 'AWS issues no web identity tokens in this account: outbound identity federation is not enabled.'
        : `AWS refuses a web identity token to the runner (${name}).`,
      hint: isOff
        ? 'Enable it once in the account: aws iam enable-outbound-web-identity-federation.'
        : 'The role of the terraform runner needs sts:GetWebIdentityToken (docs/secrets.md).',
    },
    { cause },
  );
}
