/** The services of a platform answer only to who signs with its access key. */
import { BatchGetBuildsCommand, CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { BatchWriteItemCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { accessKeyOf, functionKeyOf, runnerKeyOf } from '#local/access-key.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { signedBy } from './clients.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
});
afterAll(() => platform.stop());

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

    it('a build writes waypoints and checks, and deletes none', async () => {
      const remove = (tool: RunnerTool, Key: string) =>
        s3(tool).send(new DeleteObjectCommand({ Bucket: 'kubeloom', Key }));
      const Key = 'runs/default/shop/r1/w01/facts.json';
      for (const tool of runnerTools) {
        await put(tool, Key);
        await expect(remove(tool, Key), tool).rejects.toMatchObject({ name: 'AccessDenied' });
      }
      await put('terraform', 'checks/default/shop/cloud/1/result.json');
      const check = remove('terraform', 'checks/default/shop/cloud/1/result.json');
      await expect(check).rejects.toMatchObject({ name: 'AccessDenied' });
    });

    it('a build lists keys below prefixes that it reads, and those of workspaces where Terraform does', async () => {
      const list = (tool: RunnerTool, Prefix: string) =>
        s3(tool).send(new ListObjectsV2Command({ Bucket: 'kubeloom', Prefix }));
      await list('kubectl', 'runs/default/');
      await expect(list('kubectl', 'documents/')).rejects.toMatchObject({ name: 'AccessDenied' });
      await expect(list('kubeone', 'pki/')).rejects.toMatchObject({ name: 'AccessDenied' });
      for (const tool of ['terraform', 'drift'] as const) await list(tool, 'env:/');
      await expect(list('ansible', 'env:/')).rejects.toMatchObject({ name: 'AccessDenied' });
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

    it('a build of terraform sees builds of its own project, whose locks it may find, and no others', async () => {
      const look = (tool: RunnerTool, id: string) =>
        new CodeBuildClient({ ...builds(tool), endpoint: platform.endpoints.codeBuild }).send(
          new BatchGetBuildsCommand({ ids: [id] }),
        );
      await expect(look('terraform', 'kubeloom-terraform:1')).resolves.toMatchObject({ builds: [] });
      await expect(look('terraform', 'kubeloom-kubeone:1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
      await expect(look('kubectl', 'kubeloom-kubectl:1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
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
});
