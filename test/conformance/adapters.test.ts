/** The adapters keep the promises of the ports on moto's DynamoDB, S3 and Parameter Store too. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoEvents } from '#adapters/dynamo-events.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoRuns } from '#adapters/dynamo-runs.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { DynamoTemplates } from '#adapters/dynamo-templates.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import { SsmSecrets } from '#adapters/ssm-secrets.ts';
import { tableSchema } from '#adapters/table-keys.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { clusterStoreContract } from '#test/contracts/cluster-store.contract.ts';
import {
  artifactsContract,
  secretStoreContract,
  templateReferenceStoreContract,
} from '#test/contracts/document-stores.contract.ts';
import { eventStoreContract, runStoreContract } from '#test/contracts/history-stores.contract.ts';
import { manifestStoreContract } from '#test/contracts/manifest-store.contract.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { type MotoServer, startMoto } from './moto-server.ts';

const tables = Array.from({ length: 80 }, (_, n) => `table-${n}`);
const buckets = Array.from({ length: 8 }, (_, n) => `store-${n}`);
let moto: MotoServer;
let table: DynamoDBDocumentClient;
let s3: S3Client;
let ssm: SSMClient;
let count = 0;

beforeAll(async () => {
  moto = await startMoto();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const at = { endpoint: moto.url, region: 'us-east-1', credentials };
  table = DynamoDBDocumentClient.from(new DynamoDBClient(at), { marshallOptions: { removeUndefinedValues: true } });
  s3 = new S3Client(at);
  ssm = new SSMClient(at);
  await Promise.all(tables.map((name) => ensureTable(moto.url, name, tableSchema)));
  for (const Bucket of buckets) await s3.send(new CreateBucketCommand({ Bucket }));
});

afterAll(async () => {
  for (const client of [table, s3, ssm]) client.destroy();
  await moto.close();
});

/** A table, bucket or path that no other test has. */
const fresh = (): number => count++;
const freshTable = (): DynamoTable => new DynamoTable(table, tables[fresh()] ?? 'too few tables');
const documents = (): LargeDocuments => new LargeDocuments(new InMemoryArtifacts());
let bucket = 0;

manifestStoreContract('DynamoDB of moto', () => new DynamoManifests(freshTable(), documents()));
clusterStoreContract('DynamoDB of moto', () => new DynamoClusters(freshTable(), documents()));
runStoreContract('DynamoDB of moto', () => new DynamoRuns(freshTable()));
eventStoreContract('DynamoDB of moto', () => new DynamoEvents(freshTable()));
templateReferenceStoreContract('DynamoDB of moto', () => new DynamoTemplates(freshTable()));
artifactsContract('S3 of moto', () => new S3Artifacts(s3, buckets[bucket++] ?? 'too few buckets'));
secretStoreContract('SSM of moto', () => new SsmSecrets(ssm, `/kubeloom-${fresh()}`));
