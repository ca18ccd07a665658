/** Who may use the services: keys, doorkeepers, and what they deny. */
import { CodeBuildClient, StopBuildCommand } from '@aws-sdk/client-codebuild';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDynamoDb } from '../src/dynamodb/start-dynamodb.ts';
import { silentLogger } from '../src/logger.ts';
import { openS3 } from '../src/s3/s3-listener.ts';
import { type Doorkeeper, guarded, withKey } from '../src/server/callers.ts';
import { openParameterStore } from '../src/ssm/parameter-store.ts';
import { ssmListener } from '../src/ssm/ssm-listener.ts';
import { parseSessionPolicy, policyAllows } from '../src/sts/session-policy.ts';
import { type AskedSession, stsListener } from '../src/sts/sts-listener.ts';
import { at, listening, temporaryDirectory } from './clients.ts';

async function objects(doorkeeper: Doorkeeper) {
  const directory = await temporaryDirectory();
  const { listener } = await openS3({ directory, buckets: ['photos'], flush: false, logger: silentLogger });
  const { url } = await listening(guarded(listener, doorkeeper));
  const client = (key: string) => new S3Client({ ...at(url, key), forcePathStyle: true });
  const put = (key: string, Key: string) =>
    client(key).send(new PutObjectCommand({ Bucket: 'photos', Key, Body: 'x' }));
  return { client, put };
}

/** Who signs with `cats` may do everything to objects of cats. */
const catsAlone: Doorkeeper = ({ accessKeyId }) => {
  if (accessKeyId !== 'cats') return undefined;
  const denial = (action: string, keys: readonly string[]) =>
    keys.every((key) => key.startsWith('cats/')) ? undefined : `cats is not authorized to perform: ${action}`;
  return { denial, denialOf: (service, operation) => denial(`${service.toLowerCase()}:${operation}`, ['all']) };
};

describe('services with a key', () => {
  it('only who signs with the key is answered', async () => {
    const { put } = await objects(withKey('secret'));
    await put('secret', 'a');
    await expect(put('other', 'a')).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  });

  it('the table answers only who signs with its key', async () => {
    const server = await startDynamoDb({ directory: undefined, port: 0, accessKey: 'secret' });
    onTestFinished(() => server.close());
    const list = (key: string) => new DynamoDBClient(at(server.url, key)).send(new ListTablesCommand({}));
    expect((await list('secret')).TableNames).toEqual([]);
    await expect(list('other')).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
  });

  it('the table asks the doorkeeper of a module', async () => {
    const doorkeeperModule = new URL('./no-tables-doorkeeper.ts', import.meta.url).href;
    const server = await startDynamoDb({ directory: undefined, port: 0, accessKey: 'secret', doorkeeperModule });
    onTestFinished(() => server.close());
    const list = (key: string) => new DynamoDBClient(at(server.url, key)).send(new ListTablesCommand({}));
    await expect(list('secret')).rejects.toMatchObject({ name: 'AccessDeniedException', message: 'no ListTables' });
    await expect(list('other')).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
  });
});

describe('what a doorkeeper denies', () => {
  it('an object that a caller may not use is neither read, written nor deleted', async () => {
    const { client, put } = await objects(catsAlone);
    await put('cats', 'cats/one');
    const denied = { name: 'AccessDenied', message: 'cats is not authorized to perform: s3:PutObject' };
    await expect(put('cats', 'dogs/one')).rejects.toMatchObject(denied);
    const get = new GetObjectCommand({ Bucket: 'photos', Key: 'dogs/one' });
    await expect(client('cats').send(get)).rejects.toMatchObject({ name: 'AccessDenied' });
    const Delete = { Objects: [{ Key: 'cats/one' }, { Key: 'dogs/one' }] };
    const { Deleted, Errors } = await client('cats').send(new DeleteObjectsCommand({ Bucket: 'photos', Delete }));
    expect([Deleted, Errors]).toMatchObject([[{ Key: 'cats/one' }], [{ Key: 'dogs/one', Code: 'AccessDenied' }]]);
  });

  it('an operation that a caller may not use is refused before it does anything', async () => {
    const store = await openParameterStore(await temporaryDirectory());
    await store.put('/a', 'String', 'x');
    const { url } = await listening(guarded(ssmListener(store, silentLogger), catsAlone));
    const read = new SSMClient(at(url, 'cats')).send(new GetParameterCommand({ Name: '/a' }));
    await expect(read).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: 'cats is not authorized to perform: ssm:GetParameter',
    });
  });

  it('an operation that is not emulated is refused without a doorkeeper, too', async () => {
    const store = await openParameterStore(await temporaryDirectory());
    const { url } = await listening(ssmListener(store, silentLogger));
    const stopped = new CodeBuildClient(at(url)).send(new StopBuildCommand({ id: 'a:1' }));
    await expect(stopped).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });
});

describe('sessions', () => {
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ['s3:Get*'], Resource: 'arn:aws:s3:::photos/cats/*' }],
  });

  it('a role becomes a session with the tags and the policy that were asked for', async () => {
    const asked: AskedSession[] = [];
    const open = (session: AskedSession) => {
      asked.push(session);
      return { accessKeyId: 'ASIA', sessionToken: 'sealed' };
    };
    const { url } = await listening(stsListener(open, silentLogger));
    const { Credentials } = await new STSClient(at(url)).send(
      new AssumeRoleCommand({
        RoleArn: 'arn:aws:iam::000000000000:role/reader',
        RoleSessionName: 'mine',
        DurationSeconds: 900,
        Policy: policy,
        Tags: [{ Key: 'team', Value: 'cats' }],
      }),
    );
    expect(Credentials).toMatchObject({ AccessKeyId: 'ASIA', SessionToken: 'sealed' });
    expect(asked).toMatchObject([
      { name: 'mine', tags: { team: 'cats' }, policy, roleArn: expect.stringMatching(/reader$/) },
    ]);
    expect(Credentials?.Expiration?.getTime()).toBe(asked[0]?.until);
  });

  it('a role that does not exist, and a session that is too long, are refused with the reason', async () => {
    const open = (): never => {
      throw new Error('there is no such role');
    };
    const { url } = await listening(stsListener(open, silentLogger));
    const become = (DurationSeconds: number) =>
      new STSClient(at(url)).send(
        new AssumeRoleCommand({ RoleArn: 'x', RoleSessionName: 'mine', DurationSeconds, Policy: policy }),
      );
    await expect(become(900)).rejects.toMatchObject({ name: 'ValidationError', message: 'there is no such role' });
    await expect(become(7200)).rejects.toMatchObject({ message: expect.stringContaining('DurationSeconds') });
  });

  it('a policy of a session allows what it names and nothing else, and one with other elements is not read', () => {
    const read = parseSessionPolicy(policy);
    expect(policyAllows(read, 's3:GetObject', 'arn:aws:s3:::photos/cats/a')).toBe(true);
    expect(policyAllows(read, 's3:PutObject', 'arn:aws:s3:::photos/cats/a')).toBe(false);
    expect(policyAllows(read, 's3:GetObject', 'arn:aws:s3:::photos/dogs/a')).toBe(false);
    expect(() => parseSessionPolicy(policy.replace('"Allow"', '"Deny"'))).toThrow();
  });
});
