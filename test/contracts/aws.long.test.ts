/** The adapters keep the promises of the ports, on local services that speak the protocols of AWS. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LocalDynamoDb, startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { openParameterStore } from 'aws-on-loopback/ssm/parameter-store.ts';
import { ssmListener } from 'aws-on-loopback/ssm/ssm-listener.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoAgentReports } from '#adapters/dynamo-agent-reports.ts';
import { DynamoBudgets } from '#adapters/dynamo-budgets.ts';
import { DynamoBuildGrants } from '#adapters/dynamo-build-grants.ts';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoDemands } from '#adapters/dynamo-demands.ts';
import { DynamoEventFeed } from '#adapters/dynamo-event-feed.ts';
import { DynamoEvents } from '#adapters/dynamo-events.ts';
import { DynamoGitSources } from '#adapters/dynamo-git-sources.ts';
import { DynamoInventory } from '#adapters/dynamo-inventory.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoNotifications } from '#adapters/dynamo-notifications.ts';
import { DynamoRepairBudget } from '#adapters/dynamo-repair-budget.ts';
import { DynamoRoleBindings } from '#adapters/dynamo-role-bindings.ts';
import { DynamoRollOuts } from '#adapters/dynamo-roll-outs.ts';
import { DynamoRuns } from '#adapters/dynamo-runs.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { DynamoTemplates } from '#adapters/dynamo-templates.ts';
import { DynamoWaitingPlans } from '#adapters/dynamo-waiting-plans.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import { SsmSecrets } from '#adapters/ssm-secrets.ts';
import { tableSchema } from '#adapters/table-keys.ts';
import { noFacts } from '#domain/cluster-state.ts';
import { ensureTable } from '#local/ensure-table.ts';
import { agentReportStoreContract } from './agent-report-store.contract.ts';
import { budgetStoreContract } from './budget-store.contract.ts';
import { aCluster, aManifest, key, minute, noon, term } from './builders.ts';
import { clusterStoreContract } from './cluster-store.contract.ts';
import { demandStoreContract } from './demand-store.contract.ts';
import { artifactsContract, secretStoreContract, templateReferenceStoreContract } from './document-stores.contract.ts';
import { eventFeedContract } from './event-feed.contract.ts';
import { gitSourceStoreContract } from './git-source-store.contract.ts';
import { eventStoreContract, runStoreContract } from './history-stores.contract.ts';
import { inventoryStoreContract } from './inventory-store.contract.ts';
import { manifestLayoutContract } from './manifest-layout.contract.ts';
import { manifestNamesContract } from './manifest-names.contract.ts';
import { manifestStoreContract } from './manifest-store.contract.ts';
import { notificationStoreContract } from './notification-store.contract.ts';
import {
  forgetSent,
  notCalled,
  recordedArtifacts,
  recordedClient,
  recordedPort,
  sentAndAllowed,
} from './recorded-actions.ts';
import { repairBudgetContract } from './repair-budget.contract.ts';
import { rollOutStoreContract } from './roll-out-store.contract.ts';
import { waitingPlanStoreContract } from './waiting-plan-store.contract.ts';

const buckets = ['store-0', 'store-1', 'store-2', 'store-3', 'store-4'];
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
let directory: string;
let dynamo: LocalDynamoDb;
let servers: LoopbackServer[];
let table: DynamoDBDocumentClient;
let s3: S3Client;
let ssm: SSMClient;
let count = 0;

const tables = Array.from({ length: 250 }, (_, n) => `table-${n}`);

beforeAll(forgetSent);
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
  table = recordedClient(
    'dynamodb',
    DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  );
  s3 = recordedClient('s3', new S3Client({ endpoint: s3Server.url, region: 'eu-central-1', credentials }));
  ssm = recordedClient('ssm', new SSMClient({ endpoint: ssmServer.url, region: 'eu-central-1', credentials }));
});

afterAll(async () => {
  for (const client of [table, s3, ssm]) client.destroy();
  await Promise.all([...servers.map((server) => server.close()), dynamo.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** A table, bucket or path that no other test has. */
const fresh = (): number => count++;
const freshTable = (): DynamoTable => new DynamoTable(table, tables[fresh()] ?? 'too few tables');
const documents = (): LargeDocuments => new LargeDocuments(recordedArtifacts());
let bucket = 0;

manifestStoreContract('DynamoDB', () => recordedPort('manifests', new DynamoManifests(freshTable(), documents())));
manifestNamesContract('DynamoDB', () => recordedPort('manifests', new DynamoManifests(freshTable(), documents())));
manifestLayoutContract(() => ({
  client: table,
  freshName: () => tables[fresh()] ?? 'too few tables',
  recorded: (store) => recordedPort('manifests', store),
}));
clusterStoreContract('DynamoDB', () => recordedPort('clusters', new DynamoClusters(freshTable(), documents())));
agentReportStoreContract('DynamoDB', () => recordedPort('agentReports', new DynamoAgentReports(freshTable())));
demandStoreContract('DynamoDB', () => recordedPort('demands', new DynamoDemands(freshTable())));
repairBudgetContract('DynamoDB', () => recordedPort('repairBudget', new DynamoRepairBudget(freshTable())));
runStoreContract('DynamoDB', () => recordedPort('runs', new DynamoRuns(freshTable())));
eventStoreContract('DynamoDB', () => recordedPort('events', new DynamoEvents(freshTable())));
eventFeedContract('DynamoDB', (count) => {
  const own = freshTable();
  return Array.from({ length: count }, () => recordedPort('feed', new DynamoEventFeed(own)));
});
templateReferenceStoreContract('DynamoDB', () => recordedPort('templateReferences', new DynamoTemplates(freshTable())));
notificationStoreContract('DynamoDB', () => recordedPort('notifications', new DynamoNotifications(freshTable())));
gitSourceStoreContract('DynamoDB', () => recordedPort('gitSources', new DynamoGitSources(freshTable())));
waitingPlanStoreContract('DynamoDB', () => recordedPort('waitingPlans', new DynamoWaitingPlans(freshTable())));
inventoryStoreContract('DynamoDB', () => recordedPort('inventory', new DynamoInventory(freshTable())));
rollOutStoreContract('DynamoDB', () => recordedPort('rollOuts', new DynamoRollOuts(freshTable())));
budgetStoreContract('DynamoDB', () => {
  const own = freshTable();
  const manifests = new DynamoManifests(own, documents());
  const budgets = recordedPort('budgets', new DynamoBudgets(own, manifests));
  return { manifests, rollOuts: new DynamoRollOuts(own), budgets };
});
artifactsContract('S3', () => recordedPort('artifacts', new S3Artifacts(s3, buckets[bucket++] ?? 'too few buckets')));
secretStoreContract('SSM', () => recordedPort('secrets', new SsmSecrets(ssm, `/kubeloom-${fresh()}`)));

const binding = {
  apiVersion: 'kubeloom.dev/v1' as const,
  kind: 'RoleBinding' as const,
  metadata: { name: 'viewers' },
  spec: { role: 'viewer' as const, namespaces: ['*'], subjects: [{ user: 'local:ann' }] },
};

describe('RoleBindingStore on DynamoDB', () => {
  it('role bindings are stored, listed and removed', async () => {
    const bindings = recordedPort('roleBindings', new DynamoRoleBindings(freshTable()));
    await bindings.put(binding);
    expect(await bindings.list()).toEqual([binding]);
    await bindings.remove('viewers');
    expect(await bindings.list()).toEqual([]);
  });
});

describe('BuildGrants on DynamoDB', () => {
  it('the first digest of a build has it, again and again, and no other one does', async () => {
    const grants = recordedPort('buildGrants', new DynamoBuildGrants(freshTable()));
    const take = (digest: string, build = 'terraform:1') => grants.take({ build, digest, at: noon });
    const first = await Promise.all(['a', 'b', 'c'].map((digest) => take(digest)));
    expect(first.filter(Boolean)).toHaveLength(1);
    const winner = ['a', 'b', 'c'][first.indexOf(true)] ?? '';
    expect(await take(winner)).toBe(true);
    expect(await take('d')).toBe(false);
    expect(await take('d', 'terraform:2')).toBe(true);
  });
});

describe('documents too large for a table', () => {
  const large = { document: { kind: 'InputManifest', text: 'x'.repeat(200_000) } };

  it('a large document is returned by every method that answers a manifest, and discarded with it', async () => {
    const [table, artifacts] = [freshTable(), recordedArtifacts()];
    const cold = () => recordedPort('manifests', new DynamoManifests(table, new LargeDocuments(artifacts)));
    await cold().create(aManifest({ ...large, dueAt: minute(1) }));
    await cold().replace(aManifest({ ...large, generation: 2, dueAt: minute(1) }), { generation: 1, attempt: 1 });
    expect((await cold().ownersOf(['k8s.example.com'])).size).toBe(0);
    const taken = await cold().takeLease(key, 'someone', term(0));
    const answers = [
      await cold().get(key),
      await cold().begin(key, taken?.lease.fence ?? 0, noon),
      ...(await cold().list('team', 10)).items,
      ...(await cold().generations(key)),
    ];
    expect(answers).toHaveLength(5);
    for (const answer of answers) expect(answer).toMatchObject(large);
    expect(await cold().remainsOf(key)).toBeUndefined();
    await cold().discard(key);
    expect(await cold().get(key)).toBeUndefined();
  });

  it('a large document is returned with its cluster, and all clusters of a manifest are discarded', async () => {
    const [table, artifacts] = [freshTable(), recordedArtifacts()];
    const cold = () => recordedPort('clusters', new DynamoClusters(table, new LargeDocuments(artifacts)));
    const record = aCluster({ facts: { ...noFacts, simulated: ['x'.repeat(200_000)] } });
    await cold().put(record);
    expect((await cold().get(key, record.cluster))?.facts.simulated).toHaveLength(1);
    expect(await cold().list(key)).toHaveLength(1);
    expect(await Array.fromAsync(cold().each(key))).toHaveLength(1);
    await cold().discard(key);
    expect(await cold().list(key)).toEqual([]);
  });
});

describe('IAM rights', () => {
  const ports = [
    'manifests',
    'clusters',
    'agentReports',
    'demands',
    'repairBudget',
    'runs',
    'events',
    'feed',
    'templateReferences',
    'gitSources',
    'notifications',
    'waitingPlans',
    'inventory',
    'rollOuts',
    'budgets',
    'roleBindings',
    'artifacts',
    'secrets',
    'buildGrants',
  ];

  it('the rights of each method are what its adapter sends in the suites above, no more and no less', () => {
    const { sent, allowed } = sentAndAllowed();
    expect(notCalled(...ports)).toEqual([]);
    expect(allowed).toEqual(sent);
  });
});
