/** Identity in AWS, by STS: that of the program, tokens that AWS issues for it, roles of others that trust it. */
import {
  AssumeRoleCommand,
  GetCallerIdentityCommand,
  GetWebIdentityTokenCommand,
  STSClient,
} from '@aws-sdk/client-sts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface WebIdentityToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Whom to ask, and as whom; both have defaults: AWS, and the identity of this program. */
export interface StsPlace {
  readonly keys?: AwsKeys;
  readonly endpoint?: string;
}

/** Not longer than the least that a role's own session may have left. */
const lifeSeconds = 900;

/** A token for `audience`. Throws what STS says, by its name. */
export async function issueWebIdentity(audience: string): Promise<WebIdentityToken> {
  const command = new GetWebIdentityTokenCommand({
    Audience: [audience],
    SigningAlgorithm: 'RS256',
    DurationSeconds: lifeSeconds,
  });
  const { WebIdentityToken: token, Expiration: expiresAt } = await new STSClient({}).send(command);
  if (token === undefined || expiresAt === undefined) throw new Error('STS gave no token');
  return { token, expiresAt };
}

/** Keys and region of this program. Throws `CredentialsProviderError` where it has none. */
export async function ownIdentity(): Promise<{ readonly keys: AwsKeys; readonly region: string }> {
  const { config } = new STSClient({});
  const region = await config.region().catch(() => 'us-east-1');
  return { keys: await config.credentials(), region };
}

/** ARN and account of the principal that has the keys. */
export async function callerIdentity(place: StsPlace): Promise<{ readonly arn: string; readonly account: string }> {
  const { Arn: arn = '', Account: account = '' } = await client(place).send(new GetCallerIdentityCommand({}));
  return { arn, account };
}

/** Keys of a role, for a quarter of an hour. */
export async function assumeRole(role: string, externalId: string | undefined, place: StsPlace): Promise<AwsKeys> {
  const command = new AssumeRoleCommand({
    RoleArn: role,
    RoleSessionName: 'kubeloom-check',
    DurationSeconds: lifeSeconds,
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  });
  const { AccessKeyId, SecretAccessKey, SessionToken } = (await client(place).send(command)).Credentials ?? {};
  if (AccessKeyId === undefined || SecretAccessKey === undefined) throw new Error('STS gave no keys');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(SessionToken === undefined ? {} : { sessionToken: SessionToken }),
  };
}

function client({ keys, endpoint }: StsPlace): STSClient {
  return new STSClient({
    region: 'us-east-1',
    maxAttempts: 2,
    ...(keys === undefined ? {} : { credentials: keys }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}
