/** The composition root: the only place that joins ports with adapters. Once for each process. */
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CodeBuildBuilds } from '#adapters/codebuild-builds.ts';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoDemands } from '#adapters/dynamo-demands.ts';
import { DynamoEvents } from '#adapters/dynamo-events.ts';
import { DynamoInventory } from '#adapters/dynamo-inventory.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoRepairBudget } from '#adapters/dynamo-repair-budget.ts';
import { DynamoRoleBindings } from '#adapters/dynamo-role-bindings.ts';
import { DynamoRuns } from '#adapters/dynamo-runs.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { DynamoTemplates } from '#adapters/dynamo-templates.ts';
import { GitReferences, recordedTemplateSources } from '#adapters/git-references.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import { SfnWorkflows } from '#adapters/sfn-workflows.ts';
import { SsmSecrets } from '#adapters/ssm-secrets.ts';
import { randomIds, systemClock } from '#adapters/system-clock.ts';
import { parseConfig } from '#contracts/config.ts';
import type { Deps } from './ports.ts';

let wired: Deps | undefined;

/** The ports of this process, made from its environment on first use. */
export function wire(): Deps {
  wired ??= join(process.env);
  return wired;
}

/** Uses these ports from now on (undefined: those of the environment): for tests. */
export function useDeps(deps: Deps | undefined): void {
  wired = deps;
}

/** Endpoints, region and credentials come from the SDK's own variables. */
function join(environment: Readonly<Record<string, string | undefined>>): Deps {
  const config = parseConfig(environment);
  const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient(), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const table = new DynamoTable(documentClient, config.KUBELOOM_TABLE);
  const artifacts = new S3Artifacts(new S3Client(), config.KUBELOOM_BUCKET);
  const documents = new LargeDocuments(artifacts);
  return {
    manifests: new DynamoManifests(table, documents),
    clusters: new DynamoClusters(table, documents),
    demands: new DynamoDemands(table),
    repairBudget: new DynamoRepairBudget(table),
    runs: new DynamoRuns(table),
    events: new DynamoEvents(table),
    templateReferences: new DynamoTemplates(table),
    inventory: new DynamoInventory(table),
    roleBindings: new DynamoRoleBindings(table),
    templateSources:
      config.KUBELOOM_TEMPLATE_SOURCES === 'recorded'
        ? recordedTemplateSources
        : new GitReferences({ privateHosts: config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS }),
    artifacts,
    workflows: new SfnWorkflows(new SFNClient(), config.KUBELOOM_RECONCILE_ARN),
    builds: new CodeBuildBuilds(new CodeBuildClient(), Object.values(config.KUBELOOM_RUNNER_PROJECTS)),
    secrets: new SsmSecrets(new SSMClient(), config.KUBELOOM_SECRET_PREFIX, config.KUBELOOM_SECRET_KEY),
    clock: systemClock,
    ids: randomIds,
    config,
  };
}
