/**
 * What a build of one namespace may do to the things of another one, on a platform that holds it to the session that it was given:
 * for each runner and each kind of question. The sessions are those that the function hands out to running builds.
 */
import { BatchWriteItemCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Job, jobOf, questionKeys } from '#contracts/job.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { sessionOf } from '#test/fakes/session-of.ts';
import { inSession } from '#test/local/clients.ts';
import { prefix } from '#test/runner/stage-world.ts';
import { buildCases, fixedDocuments, foreignThings, ownIn, ownThings } from './build-cases.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
  const { s3, ssm } = clientsOf(inPlatform());
  for (const Key of [...ownThings.objects, ...foreignThings.objects, ...fixedDocuments])
    await s3.send(new PutObjectCommand({ Bucket: 'kubeloom', Key, Body: 'as it was' }));
  for (const Name of [...ownThings.secrets, ...foreignThings.secrets].map((path) => `/kubeloom/${path}`))
    await ssm.send(new PutParameterCommand({ Name, Value: 'secret', Type: 'SecureString' }));
});
afterAll(() => platform.stop());

const inPlatform = () => ({
  region: 'us-east-1',
  credentials: { accessKeyId: accessKeyOf(platform.token), secretAccessKey: 'x' },
});

function clientsOf(config: ReturnType<typeof inPlatform>) {
  const { s3, ssm, dynamodb } = platform.endpoints;
  const common = { ...config, maxAttempts: 1 };
  return {
    s3: new S3Client({ ...common, endpoint: s3, forcePathStyle: true }),
    ssm: new SSMClient({ ...common, endpoint: ssm }),
    table: new DynamoDBClient({ ...common, endpoint: dynamodb }),
  };
}

const denied = { name: expect.stringMatching(/^AccessDenied(Exception)?$/) };

describe.each(buildCases)('$what of one cluster', ({ job: reference, document, reads, writes, secrets }) => {
  const job: Job = jobOf({ KUBELOOM_JOB: reference });
  const clients = () => clientsOf(inSession(accessKeyOf(platform.token), sessionOf(job, document)));
  const get = (Key: string) => clients().s3.send(new GetObjectCommand({ Bucket: 'kubeloom', Key }));
  const put = (Key: string) => clients().s3.send(new PutObjectCommand({ Bucket: 'kubeloom', Key, Body: 'mine' }));
  const remove = (Key: string) => clients().s3.send(new DeleteObjectCommand({ Bucket: 'kubeloom', Key }));
  const secret = (path: string) =>
    clients().ssm.send(new GetParameterCommand({ Name: `/kubeloom/${path}`, WithDecryption: true }));
  const event = (pk: string) =>
    clients().table.send(
      new BatchWriteItemCommand({
        RequestItems: { kubeloom: [{ PutRequest: { Item: { pk: { S: pk }, sk: { S: '1' } } } }] },
      }),
    );

  it('it does its own work', async () => {
    for (const folder of reads) await get(ownIn(folder));
    for (const folder of writes) await put(ownIn(folder));
    for (const path of secrets) await secret(path);
    const prefixOfResult =
      job.kind === 'question' ? job.prefix : waypointKeys.attempt(prefix, ...workOf(job), job.attempt);
    await put(`${prefixOfResult}/result.json`);
    await put(`${prefixOfResult}/log.txt`);
    await get(job.kind === 'question' ? questionKeys.request(job.prefix) : waypointKeys.document(prefix));
  });

  it('it reads no object of another cluster, manifest or namespace, changes none and deletes none', async () => {
    for (const key of foreignThings.objects) {
      await expect(get(key), key).rejects.toMatchObject(denied);
      await expect(remove(key), key).rejects.toMatchObject(denied);
      // A copy that was accepted is kept under its checksum, which readers compare.
      if (!key.startsWith('checks/_copies/')) await expect(put(key), key).rejects.toMatchObject(denied);
    }
  });

  it('it reads no Secret or SSH key of another cluster, and none that its job does not name', async () => {
    for (const path of [...foreignThings.secrets, ...ownThings.secrets.filter((path) => !secrets.includes(path))])
      await expect(secret(path), path).rejects.toMatchObject(denied);
  });

  it('it does not change what builds are asked, nor the results of others', async () => {
    for (const key of fixedDocuments) await expect(put(key), key).rejects.toMatchObject(denied);
    for (const key of fixedDocuments) await expect(remove(key), key).rejects.toMatchObject(denied);
  });

  it('it writes events of its own manifest only, and touches nothing else of the table', async () => {
    for (const pk of ['EVENTS#others#bank', 'EVENTS#team#bank', 'EVENTS#team#shop2', 'ROLES', 'BUILD#x', 'MANIFESTS'])
      await expect(event(pk), pk).rejects.toMatchObject(denied);
    if (/_|checks/.test(reference)) await expect(event('EVENTS#team#shop')).rejects.toMatchObject(denied);
    else await event('EVENTS#team#shop');
    const read = clients().table.send(
      new GetItemCommand({ TableName: 'kubeloom', Key: { pk: { S: 'ROLES' }, sk: { S: 'x' } } }),
    );
    await expect(read).rejects.toMatchObject(denied);
  });

  it('it lists no keys below folders of others', async () => {
    for (const Prefix of [
      'terraform/others/',
      'runs/',
      'kubeconfigs/',
      'pki/',
      'ssh/',
      'checks/_copies/',
      'terraform/team/shop/shop-7654321/',
    ])
      await expect(
        clients().s3.send(new ListObjectsV2Command({ Bucket: 'kubeloom', Prefix })),
        Prefix,
      ).rejects.toMatchObject(denied);
  });
});

function workOf(
  job: Exclude<Job, { kind: 'question' }>,
): Parameters<typeof waypointKeys.attempt> extends [string, ...infer Work, number] ? Work : never {
  return job.kind === 'drift' ? ['drift', 'do'] : [job.stage, job.mode];
}
