/** The services of a platform answer only to who signs with its access key. */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { DescribeParametersCommand, GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessKeyOf } from '#local/access-key.ts';
import { type Platform, startPlatform } from '#local/platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
});
afterAll(() => platform.stop());

const signedBy = (accessKeyId: string) => ({
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId, secretAccessKey: 'anything' },
});

describe('the services of a platform', () => {
  it('refuse whoever does not sign with its access key', async () => {
    const { dynamodb, s3, ssm } = platform.endpoints;
    const stranger = signedBy('local');
    await expect(
      new DynamoDBClient({ ...stranger, endpoint: dynamodb }).send(new ListTablesCommand({})),
    ).rejects.toThrow();
    await expect(
      new S3Client({ ...stranger, endpoint: s3 }).send(new ListObjectsV2Command({ Bucket: 'kubeloom' })),
    ).rejects.toThrow();
    await expect(
      new SSMClient({ ...stranger, endpoint: ssm }).send(new DescribeParametersCommand({})),
    ).rejects.toThrow();
  });

  it.each(['dynamodb', 's3', 'ssm', 'stepFunctions', 'codeBuild'] as const)(
    '%s answers an unsigned request with 403',
    async (name) => {
      const response = await fetch(platform.endpoints[name], { method: 'POST', body: '{}' });
      expect(response.status).toBe(403);
    },
  );

  it('answer to who does', async () => {
    const own = signedBy(accessKeyOf(platform.token));
    const { TableNames } = await new DynamoDBClient({ ...own, endpoint: platform.endpoints.dynamodb }).send(
      new ListTablesCommand({}),
    );
    expect(TableNames).toEqual(['kubeloom']);
    const missing = new SSMClient({ ...own, endpoint: platform.endpoints.ssm }).send(
      new GetParameterCommand({ Name: '/x' }),
    );
    await expect(missing).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });
});
