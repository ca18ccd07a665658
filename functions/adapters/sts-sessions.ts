/** `BuildSessions` by STS. */
import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import type { BuildCredentials } from '#contracts/build-credentials.ts';
import type { BuildSessions } from '../build-ports.ts';

export class StsSessions implements BuildSessions {
  readonly #client: STSClient;

  constructor(client: STSClient) {
    this.#client = client;
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: STSClientConfig): StsSessions {
    return new StsSessions(new STSClient(options));
  }

  async open({ role, name, tags, policy, seconds }: Parameters<BuildSessions['open']>[0]): Promise<BuildCredentials> {
    const command = new AssumeRoleCommand({
      RoleArn: role,
      RoleSessionName: name,
      DurationSeconds: seconds,
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      Policy: policy,
    });
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } =
      (await this.#client.send(command)).Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('STS gave no credentials');
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiresAt: Expiration.toISOString(),
    };
  }
}
