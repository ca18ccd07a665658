/** The services of a platform answer only to who signs with its access key. */
import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { wire } from '#functions/wire.ts';
import { accessKeyOf, functionKeyOf, runnerKeyOf } from '#local/access-key.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { asFunction } from '#local/rights/function-at-work.ts';

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
  it('the services refuse requests that are not signed with the access key', async () => {
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

  it('the services answer requests that are signed with the access key', async () => {
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

  describe('a build within its role', () => {
    const builds = (tool: RunnerTool) => signedBy(runnerKeyOf(accessKeyOf(platform.token), tool));
    const s3 = (tool: RunnerTool) =>
      new S3Client({ ...builds(tool), endpoint: platform.endpoints.s3, forcePathStyle: true });
    const put = (tool: RunnerTool, Key: string) =>
      s3(tool).send(new PutObjectCommand({ Bucket: 'kubeloom', Key, Body: 'x' }));

    it('a build writes its own objects and no others', async () => {
      await put('terraform', 'terraform/default/shop/state');
      await expect(put('kubectl', 'terraform/default/shop/state')).rejects.toMatchObject({
        name: 'AccessDenied',
        message: expect.stringContaining(
          'the runner kubectl is not authorized to perform: s3:PutObject on resource: terraform/',
        ),
      });
    });

    it('a build of terraform deletes no kubeconfig', async () => {
      const Key = 'kubeconfigs/default/shop/web';
      await put('kubeone', Key);
      const removed = s3('terraform').send(new DeleteObjectCommand({ Bucket: 'kubeloom', Key }));
      await expect(removed).rejects.toMatchObject({ name: 'AccessDenied' });
      await s3('kubeone').send(new DeleteObjectCommand({ Bucket: 'kubeloom', Key }));
    });

    it('a backup of a certificate authority is written and deleted, and no build reads one', async () => {
      const Key = 'pki/default/shop/web.tar.gz';
      await put('kubeone', Key);
      for (const tool of runnerTools) {
        const read = s3(tool).send(new GetObjectCommand({ Bucket: 'kubeloom', Key }));
        await expect(read, tool).rejects.toMatchObject({ name: 'AccessDenied' });
      }
      await s3('kubeone').send(new DeleteObjectCommand({ Bucket: 'kubeloom', Key }));
    });

    it('a build reads Secrets of users and does not write them', async () => {
      const ssm = new SSMClient({ ...builds('terraform'), endpoint: platform.endpoints.ssm });
      const Name = '/kubeloom/user/default/hetzner';
      await expect(ssm.send(new GetParameterCommand({ Name }))).rejects.toMatchObject({ name: 'ParameterNotFound' });
      const written = ssm.send(new PutParameterCommand({ Name, Value: 'x', Type: 'SecureString' }));
      await expect(written).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });

    it('a build of terraform creates keys of pools, and replaces and deletes none', async () => {
      const ssm = new SSMClient({ ...builds('terraform'), endpoint: platform.endpoints.ssm });
      const put = (Overwrite: boolean) =>
        ssm.send(
          new PutParameterCommand({ Name: '/kubeloom/ssh/default/pool', Value: 'x', Type: 'SecureString', Overwrite }),
        );
      await put(false);
      await expect(put(true)).rejects.toMatchObject({ name: 'AccessDeniedException' });
      await expect(put(false)).rejects.toMatchObject({ name: 'ParameterAlreadyExists' });
      const Name = '/kubeloom/ssh/default/pool';
      const removed = ssm.send(new DeleteParameterCommand({ Name }));
      await expect(removed).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const remover = { ...signedBy(functionKeyOf(accessKeyOf(platform.token), 'commit-waypoint')) };
      await new SSMClient({ ...remover, endpoint: platform.endpoints.ssm }).send(new DeleteParameterCommand({ Name }));
    });

    it('a build appends events and touches no other item', async () => {
      const table = new DynamoDBClient({ ...builds('ansible'), endpoint: platform.endpoints.dynamodb });
      const write = (pk: string) =>
        table.send(
          new BatchWriteItemCommand({
            RequestItems: { kubeloom: [{ PutRequest: { Item: { pk: { S: pk }, sk: { S: '1' } } } }] },
          }),
        );
      await write('EVENTS#default#shop');
      await expect(write('ROLES')).rejects.toMatchObject({ name: 'AccessDeniedException' });
      await expect(table.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });

    it('a build neither starts builds nor executions', async () => {
      const { codeBuild, stepFunctions } = platform.endpoints;
      const started = new CodeBuildClient({ ...builds('drift'), endpoint: codeBuild }).send(
        new StartBuildCommand({ projectName: 'sim' }),
      );
      await expect(started).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const listed = new SFNClient({ ...builds('drift'), endpoint: stepFunctions }).send(
        new ListStateMachinesCommand({}),
      );
      await expect(listed).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });
  });

  describe('a function within its role', () => {
    const signed = (name: string) => signedBy(functionKeyOf(accessKeyOf(platform.token), name));
    const s3 = (name: string) =>
      new S3Client({ ...signed(name), endpoint: platform.endpoints.s3, forcePathStyle: true });
    const table = (name: string) => new DynamoDBClient({ ...signed(name), endpoint: platform.endpoints.dynamodb });
    const put = (name: string, Key: string) =>
      s3(name).send(new PutObjectCommand({ Bucket: 'kubeloom', Key, Body: 'x' }));
    const denied = { name: 'AccessDenied' };
    const deniedException = { name: 'AccessDeniedException' };

    it('a function writes its own objects and no others', async () => {
      await put('plan-cluster', 'runs/default/shop/r1/w01/waypoint.json');
      await expect(put('plan-cluster', 'kubeconfigs/default/shop/web')).rejects.toMatchObject({
        ...denied,
        message: expect.stringContaining('the function plan-cluster is not authorized to perform: s3:PutObject'),
      });
    });

    it('a function lists keys below its own prefixes, and asks whether an object exists', async () => {
      const list = (Prefix: string) =>
        s3('plan-cluster').send(new ListObjectsV2Command({ Bucket: 'kubeloom', Prefix }));
      await list('runs/default/');
      await expect(list('kubeconfigs/')).rejects.toMatchObject(denied);
      const missing = s3('plan-cluster').send(new GetObjectCommand({ Bucket: 'kubeloom', Key: 'runs/none' }));
      await expect(missing).rejects.toMatchObject({ name: 'NoSuchKey' });
    });

    it('a function that deletes many objects at once deletes those within its bounds, and the others remain', async () => {
      const [own, other] = ['runs/default/shop/old', 'rollouts/default/one'];
      await put('router', own);
      await put('router', other);
      const Delete = { Objects: [{ Key: own }, { Key: other }], Quiet: true };
      const { Errors } = await s3('settle-manifest').send(new DeleteObjectsCommand({ Bucket: 'kubeloom', Delete }));
      expect(Errors).toMatchObject([
        { Key: own, Code: 'AccessDenied' },
        { Key: other, Code: 'AccessDenied' },
      ]);
      expect(platform.objects('rollouts/default/one')).toEqual([other]);
    });

    it('a function uses partitions of its stores and no others, whatever the operation', async () => {
      const TableName = 'kubeloom';
      const item = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } });
      const query = (name: string, partition: string) =>
        table(name).send(
          new QueryCommand({
            ...{ TableName, KeyConditionExpression: '#pk = :partition', ExpressionAttributeNames: { '#pk': 'pk' } },
            ExpressionAttributeValues: { ':partition': { S: partition } },
          }),
        );
      await query('router', 'ROLES');
      await expect(query('plan-manifest', 'ROLES')).rejects.toMatchObject(deniedException);
      const written = table('plan-cluster').send(new PutItemCommand({ TableName, Item: item('ROLES') }));
      await expect(written).rejects.toMatchObject(deniedException);
      const read = table('tick').send(
        new BatchGetItemCommand({ RequestItems: { kubeloom: { Keys: [item('MANIFESTS'), item('ROLES')] } } }),
      );
      await expect(read).rejects.toMatchObject(deniedException);
    });

    it('a transaction of a function needs the right to each of its writes', async () => {
      const [TableName, Key] = ['kubeloom', { pk: { S: 'MANIFESTS' }, sk: { S: 'none#none' } }];
      const ConditionExpression = 'attribute_exists(pk)';
      const transact = (name: string, ...TransactItems: readonly TransactWriteItem[]) =>
        table(name).send(new TransactWriteItemsCommand({ TransactItems: [...TransactItems] }));
      const removal = { Delete: { TableName, Key, ConditionExpression } };
      const put = (pk: string) => ({ Put: { TableName, Item: { pk: { S: pk }, sk: { S: '1' } } } });
      await expect(transact('take-lease', removal)).rejects.toMatchObject({
        ...deniedException,
        message: expect.stringContaining('dynamodb:DeleteItem'),
      });
      await expect(transact('router', removal, put('MANIFEST#a#b'))).rejects.toMatchObject({
        name: 'TransactionCanceledException',
      });
      await expect(transact('plan-cluster', put('MANIFEST#a#b'), put('ROLES'))).rejects.toMatchObject(deniedException);
    });

    it('a function that leases manifests reads and writes their heads, and none of the documents and clusters next to them', async () => {
      const TableName = 'kubeloom';
      const wholeItem = (pk: string) => new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: 'a#b' } } });
      const documents = 'MANIFEST#a#b';
      await expect(table('take-lease').send(wholeItem('MANIFESTS'))).resolves.toMatchObject({ $metadata: {} });
      await expect(table('take-lease').send(wholeItem(documents))).rejects.toMatchObject(deniedException);
      const change = new UpdateItemCommand({ TableName, Key: { pk: { S: documents }, sk: { S: 'DOCUMENT#1' } } });
      for (const name of ['take-lease', 'settle-manifest'])
        await expect(table(name).send(change), name).rejects.toMatchObject(deniedException);
      await expect(table('settle-manifest').send(wholeItem(documents))).resolves.toMatchObject({ $metadata: {} });
    });

    it('a function stores a Secret and learns that it exists, and never sees its value', async () => {
      const ssm = new SSMClient({ ...signed('router'), endpoint: platform.endpoints.ssm });
      const Name = '/kubeloom/user/default/hetzner';
      await ssm.send(new PutParameterCommand({ Name, Value: 'x', Type: 'SecureString', Overwrite: true }));
      expect((await ssm.send(new GetParameterCommand({ Name }))).Parameter?.Value).not.toBe('x');
      await expect(ssm.send(new GetParameterCommand({ Name, WithDecryption: true }))).rejects.toMatchObject({
        ...deniedException,
        message: expect.stringContaining('kms:Decrypt'),
      });
    });

    it('a function that starts no builds and no executions is refused both', async () => {
      const { codeBuild, stepFunctions } = platform.endpoints;
      const started = new CodeBuildClient({ ...signed('take-lease'), endpoint: codeBuild }).send(
        new StartBuildCommand({ projectName: 'sim' }),
      );
      await expect(started).rejects.toMatchObject(deniedException);
      const workflows = new SFNClient({ ...signed('take-lease'), endpoint: stepFunctions });
      const run = { stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:reconcile-manifest' };
      await expect(workflows.send(new StartExecutionCommand(run))).rejects.toMatchObject(deniedException);
    });

    it('the API starts no build: it asks a question, and the machine of questions starts that build alone', async () => {
      const started = new CodeBuildClient({ ...signed('router'), endpoint: platform.endpoints.codeBuild }).send(
        new StartBuildCommand({ projectName: 'sim' }),
      );
      await expect(started).rejects.toMatchObject(deniedException);
      const ask = (name: string, job: string) =>
        asFunction(name, () => wire().workflows.askRunner({ kind: 'credentials', job }));
      const build = await ask('router', 'checks/default/shop/cloud/1');
      expect(await asFunction('router', () => wire().builds.status(build))).toMatch(/running|ended/);
      await expect(ask('router', 'runs/default/shop/r/shop/w00/infrastructure/do/1')).rejects.toMatchObject({
        name: 'InternalFault',
        message: expect.stringContaining('no question'),
      });
      await expect(ask('tick', 'checks/default/shop/cloud/2')).rejects.toMatchObject(deniedException);
    });

    it('whatever a function of the platform calls is signed as that function, and what the platform calls is not bounded', async () => {
      await expect(asFunction('tick', () => wire().roleBindings.list())).rejects.toMatchObject(deniedException);
      await expect(asFunction('router', () => wire().roleBindings.list())).resolves.toEqual([]);
      const { artifacts } = wire();
      const read = (name: string) => asFunction(name, () => artifacts.getText('kubeconfigs/default/shop/none'));
      await expect(read('commit-waypoint')).rejects.toMatchObject(denied);
      await expect(read('router')).resolves.toBeUndefined();
      await expect(wire().roleBindings.list()).resolves.toEqual([]);
    });
  });
});
