/** A function of a platform signs with a key of its own, and the services hold it to its role. */
import { BatchGetBuildsCommand, CodeBuildClient, StartBuildCommand, StopBuildCommand } from '@aws-sdk/client-codebuild';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wire } from '#functions/wire.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { accessKeyOf, functionKeyOf } from '#local/rights/access-key.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { signedBy } from './clients.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
});
afterAll(() => platform.stop());

describe('the services of a platform', () => {
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
      const [own, other] = ['documents/default/shop/old', 'rollouts/default/one'];
      await put('router', own);
      await put('router', other);
      const Delete = { Objects: [{ Key: own }, { Key: other }], Quiet: true };
      const { Errors } = await s3('settle-manifest').send(new DeleteObjectsCommand({ Bucket: 'kubeloom', Delete }));
      expect(Errors).toMatchObject([{ Key: other, Code: 'AccessDenied' }]);
      expect(platform.objects('documents/default/shop/')).toEqual([]);
      expect(platform.objects('rollouts/default/one')).toEqual([other]);
    });

    it('a function uses partitions of its stores and no others, whatever the operation', async () => {
      const TableName = 'kubeloom';
      const item = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } });
      const query = (name: string, partition: string) =>
        table(name).send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: '#pk = :partition',
            ExpressionAttributeNames: { '#pk': 'pk' },
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

    it('a function sees builds of the runners that it works with, and no others', async () => {
      const { codeBuild } = platform.endpoints;
      const look = (name: string, id: string) =>
        new CodeBuildClient({ ...signed(name), endpoint: codeBuild }).send(new BatchGetBuildsCommand({ ids: [id] }));
      await expect(look('router', 'kubeloom-terraform:1')).resolves.toMatchObject({ builds: [] });
      await expect(look('router', 'kubeloom-kubeone:1')).rejects.toMatchObject(deniedException);
      await expect(look('sync-sources', 'kubeloom-kubectl:1')).rejects.toMatchObject(deniedException);
      await expect(look('tick', 'kubeloom-kubeone:1')).resolves.toMatchObject({ builds: [] });
      const stopped = new CodeBuildClient({ ...signed('router'), endpoint: codeBuild }).send(
        new StopBuildCommand({ id: 'kubeloom-kubeone:1' }),
      );
      await expect(stopped).rejects.toMatchObject(deniedException);
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
