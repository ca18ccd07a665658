/** What would be deployed: the same pipeline, complete, with no right that no one needs; made without network or account. */
import { readdirSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { tableSchema } from '#adapters/table-keys.ts';
import { Config } from '#contracts/config.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { placeholdersOf, stateMachineNames, stateMachineText } from '../../cdk/asl-files.ts';
import { reviewText } from './review-text.ts';
import { installation, installationOf, resourcesOf, runnersOf, templateOf } from './synthesised.ts';

describe('what a reviewer reads: resources, and who may do what', () => {
  for (const name of ['storage', 'pipeline', 'api', 'observability'] as const) {
    it(`the resources and rights of the stack ${name} are in __snapshots__/${name}.txt`, async () => {
      await expect(reviewText(installation[name])).toMatchFileSnapshot(`./__snapshots__/${name}.txt`);
    });
  }
});

describe('the order of the stacks', () => {
  it('the API comes last: in 0.1.0 the alarms import from its stack what it does not export any more', () => {
    // What stacks import from each other is known once they are synthesised.
    templateOf(installation.api);
    const dependenciesOf = (stack: Stack) => stack.dependencies.map(({ stackName }) => stackName);
    expect(dependenciesOf(installation.api)).toEqual(
      expect.arrayContaining(['kubeloom-pipeline', 'kubeloom-observability']),
    );
    for (const stack of [installation.storage, installation.pipeline, installation.observability])
      expect(dependenciesOf(stack)).not.toContain('kubeloom-api');
  });
});

describe('the state machines', () => {
  for (const name of stateMachineNames()) {
    it(`${name} is the file, word for word, with every placeholder filled in and no other`, () => {
      const machines = resourcesOf(installation.pipeline, 'AWS::StepFunctions::StateMachine');
      const machine = machines.find(({ Properties }) => Properties.StateMachineName === `kubeloom-${name}`);
      expect(machine?.Properties.DefinitionString).toBe(stateMachineText(name));
      const filled = Object.keys(machine?.Properties.DefinitionSubstitutions ?? {}).sort();
      expect(filled).toEqual(placeholdersOf(name).map(({ placeholder }) => placeholder));
      const wanted = new Set([...stateMachineText(name).matchAll(/\$\{(\w+)\}/g)].map((match) => match[1]));
      expect(filled).toEqual([...wanted].sort());
    });
  }

  it('executions that are interrupted are finished by a rule, and the schedule runs the tick', () => {
    templateOf(installation.pipeline).hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({
        source: ['aws.states'],
        detail: Match.objectLike({ status: ['FAILED', 'TIMED_OUT', 'ABORTED'] }),
      }),
    });
    templateOf(installation.pipeline).hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(5 minutes)',
    });
    // Calls that were throttled are not made up for all at once, hours later: the next tick does their work.
    templateOf(installation.pipeline).hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumEventAgeInSeconds: 300,
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: Match.anyValue() },
    });
  });
});

describe('the API', () => {
  it('the API has every route, and only health and the routes of agents answer without a signature', () => {
    const made = resourcesOf(installation.api, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType,
    ]);
    const wanted = operationList.map(({ method, path, access }) => [
      `${method} ${path}`,
      access === 'anonymous' || access === 'agent' ? 'NONE' : 'AWS_IAM',
    ]);
    expect(made.sort()).toEqual(wanted.sort());
  });
});

describe('outputs for the doctor', () => {
  it('the stacks say who is an admin from the start, and from where machines are reached', () => {
    const { api, pipeline } = installationOf({ admins: 'user:ann,user:bob', runnerCidrs: '192.0.2.0/24' });
    templateOf(api).hasOutput('Admins', { Value: 'user:ann,user:bob' });
    templateOf(pipeline).hasOutput('RunnerCidrs', { Value: '192.0.2.0/24' });
  });
});

describe('the functions of the API', () => {
  it('each has one permission for all routes: its policy is limited to 20 KB', () => {
    const permissions = resourcesOf(installation.api, 'AWS::Lambda::Permission');
    expect(permissions).toHaveLength(2);
    for (const { Properties } of permissions)
      expect(JSON.stringify(Properties.SourceArn)).toMatch(/\{"Fn::ImportValue":"[\w:-]+RefApi\w+"\},"\/\*\/\*\/\*"/);
  });

  it('routes of agents have a throttle and a function of their own, which is not traced: they delay no person', () => {
    const [stage] = resourcesOf(installation.api, 'AWS::ApiGatewayV2::Stage');
    const routes = Object.keys(stage?.Properties.RouteSettings ?? {});
    expect(routes.sort()).toEqual([
      'GET /v1/agent/groups',
      'POST /v1/agent/groups/{pool}/size',
      'POST /v1/agent/health',
    ]);
    const tracing = resourcesOf(installation.api, 'AWS::Lambda::Function').map(({ Properties }) => [
      Properties.Description,
      (Properties.TracingConfig as { Mode?: string } | undefined)?.Mode,
    ]);
    expect(Object.fromEntries(tracing)).toMatchObject({ 'Kubeloom: the HTTP API': 'Active' });
    expect(Object.fromEntries(tracing)['Kubeloom: agents']).not.toBe('Active');
  });
});

describe('functions and runners', () => {
  it('all functions run Node 24 on arm64', () => {
    const functions = [installation.pipeline, installation.api].flatMap((stack) =>
      resourcesOf(stack, 'AWS::Lambda::Function'),
    );
    expect(functions.length).toBeGreaterThan(10);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    }
  });

  it('the settings of functions are all known to the configuration, and none is missing', () => {
    const [first] = resourcesOf(installation.api, 'AWS::Lambda::Function');
    const { Variables } = (first?.Properties.Environment ?? {}) as { Variables: Record<string, unknown> };
    const names = Object.keys(Variables).filter((name) => name.startsWith('KUBELOOM_'));
    expect(names.filter((name) => !(name in Config.shape))).toEqual([]);
    const demanded = Object.entries(Config.shape).filter(([, shape]) => !shape.safeParse(undefined).success);
    expect(names).toEqual(expect.arrayContaining(demanded.map(([name]) => name)));
  });

  it('the provider types are those with modules, without the local one', () => {
    const [first] = resourcesOf(installation.api, 'AWS::Lambda::Function');
    const { Variables } = (first?.Properties.Environment ?? {}) as { Variables: Record<string, string> };
    const types = (Variables.KUBELOOM_PROVIDER_TYPES ?? '').split(',');
    const modules = readdirSync(new URL('../../templates/terraform/', import.meta.url));
    expect(types).toContain('sim');
    expect(types.filter((type) => type !== 'sim' && !modules.includes(type))).toEqual([]);
    expect(types).not.toContain('local');
  });

  it('each tool has one project that builds are started of, and checks have a spare one for the other compute', () => {
    expect(runnersOf(installation.pipeline)).toHaveLength(5);
    templateOf(installation.pipeline).resourceCountIs('AWS::CodeBuild::Project', 5 + 1);
  });
});

describe('retention', () => {
  it('table, bucket and key remain when the stack is deleted, and not when its first deployment fails', () => {
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket']) {
      templateOf(installation.storage).hasResource(type, kept);
    }
    templateOf(installation.storage).hasResource('AWS::KMS::Key', kept);
    expect(installation.storage.terminationProtection).toBe(true);
  });

  it('table and bucket are encrypted with our rotating key, and the table has backups', () => {
    const key = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Key'), 'Arn'] };
    templateOf(installation.storage).hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    templateOf(installation.storage).hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [
        Match.objectLike({
          SSESpecification: { KMSMasterKeyId: key },
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
    templateOf(installation.storage).hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { KMSMasterKeyID: key, SSEAlgorithm: 'aws:kms' } },
        ],
      },
    });
  });

  it('old versions and runs are deleted after the days of the options, versions of logs after a day', () => {
    const logVersions = { NoncurrentVersionExpiration: { NoncurrentDays: 1 }, Status: 'Enabled' };
    const { storage } = installationOf({ oldVersionDays: 40, runDays: 50 });
    templateOf(storage).hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ NoncurrentVersionExpiration: { NoncurrentDays: 40 }, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'runs/', ExpirationInDays: 50, ...logVersions }),
          Match.objectLike({ Prefix: 'checks/', ExpirationInDays: 50, ...logVersions }),
          Match.objectLike({ Prefix: 'plans/', ExpirationInDays: 30, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'kept-states/', ExpirationInDays: 90, Status: 'Enabled' }),
          Match.objectLike({ Prefix: 'access/', ExpirationInDays: 1, Status: 'Enabled' }),
          Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 }, Status: 'Enabled' }),
        ],
      },
    });
  });

  it('the table has the keys, the index and the time to live that the adapters use', () => {
    const { partitionKey, sortKey, dueIndex, timeToLive } = tableSchema;
    const keys = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    templateOf(installation.storage).hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: keys(partitionKey, sortKey),
      GlobalSecondaryIndexes: [
        Match.objectLike({ IndexName: dueIndex.name, KeySchema: keys(dueIndex.partitionKey, dueIndex.sortKey) }),
      ],
      TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
    });
  });
});
