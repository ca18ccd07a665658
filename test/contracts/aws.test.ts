/** The adapters keep the promises of the ports, on local services that speak the protocols of AWS. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
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
import { ensureTable } from '#local/dynamodb/ensure-table.ts';
import { type LocalDynamoDb, startDynamoDb } from '#local/dynamodb/start-dynamodb.ts';
import { silentLogger } from '#local/logger.ts';
import { type LoopbackServer, listenOnLoopback } from '#local/loopback-server.ts';
import { openS3 } from '#local/s3/s3-listener.ts';
import { openParameterStore } from '#local/ssm/parameter-store.ts';
import { ssmListener } from '#local/ssm/ssm-listener.ts';
import { InMemoryArtifacts } from '#test/fakes/in-memory-artifacts.ts';
import { clusterStoreContract } from './cluster-store.contract.ts';
import { artifactsContract, secretStoreContract, templateReferenceStoreContract } from './document-stores.contract.ts';
import { eventStoreContract, runStoreContract } from './history-stores.contract.ts';
import { manifestStoreContract } from './manifest-store.contract.ts';

const buckets = ['store-0', 'store-1', 'store-2', 'store-3', 'store-4'];
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
let directory: string;
let dynamo: LocalDynamoDb;
let servers: LoopbackServer[];
let table: DynamoDBDocumentClient;
let s3: S3Client;
let ssm: SSMClient;
let count = 0;

const tables = Array.from({ length: 60 }, (_, n) => `table-${n}`);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeloom-contracts-'));
  dynamo = await startDynamoDb({ directory: undefined, port: 0 });
  await Promise.all(tables.map((name) => ensureTable(dynamo.url, name, tableSchema)));
  const s3Store = await openS3({ directory: join(directory, 's3'), buckets, flush: false, logger: silentLogger });
  const s3Server = await listenOnLoopback(s3Store.listener);
  const parameters = await openParameterStore(join(directory, 'ssm'));
  const ssmServer = await listenOnLoopback(ssmListener(parameters, silentLogger));
  servers = [s3Server, ssmServer];
  const client = new DynamoDBClient({ endpoint: dynamo.url, region: 'eu-central-1', credentials });
  table = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  s3 = new S3Client({ endpoint: s3Server.url, region: 'eu-central-1', credentials });
  ssm = new SSMClient({ endpoint: ssmServer.url, region: 'eu-central-1', credentials });
});

afterAll(async () => {
  for (const client of [table, s3, ssm]) client.destroy();
  await Promise.all([...servers.map((server) => server.close()), dynamo.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** A table, bucket or path that no other test has. */
const fresh = (): number => count++;
const freshTable = (): DynamoTable => new DynamoTable(table, tables[fresh()] ?? 'too few tables');
const documents = (): LargeDocuments => new LargeDocuments(new InMemoryArtifacts());
let bucket = 0;

manifestStoreContract('DynamoDB', () => new DynamoManifests(freshTable(), documents()));
clusterStoreContract('DynamoDB', () => new DynamoClusters(freshTable(), documents()));
runStoreContract('DynamoDB', () => new DynamoRuns(freshTable()));
eventStoreContract('DynamoDB', () => new DynamoEvents(freshTable()));
templateReferenceStoreContract('DynamoDB', () => new DynamoTemplates(freshTable()));
artifactsContract('S3', () => new S3Artifacts(s3, buckets[bucket++] ?? 'too few buckets'));
secretStoreContract('SSM', () => new SsmSecrets(ssm, `/kubeloom-${fresh()}`));
