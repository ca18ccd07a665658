/** Tokens that AWS issues for the runner's own role: other clouds and Vaults that trust the account accept them as a login. */
import type { WebIdentityToken } from '#adapters/aws-identity.ts';
import { StageFailure } from './stage-failure.ts';

/** Asks STS. Throws `RunnerHasNoIdentity` or `WebIdentityRefused`. */
export async function webIdentityToken(
  audience: string,
  mask: (values: readonly string[]) => void,
): Promise<WebIdentityToken> {
  // Few stages need it, and loading the SDK takes time.
  const { issueWebIdentity } = await import('#adapters/aws-identity.ts');
  const issued = await issueWebIdentity(audience).catch((cause: unknown) => Promise.reject(refusal(cause)));
  mask([issued.token]);
  return issued;
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
