/** Least privilege, both ways: what handlers, adapters and state machines call is allowed, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { functionBounds } from '#functions/rights/function-rights.ts';
import { runnerBounds, runnerTools, toolUses } from '#functions/rights/runner-rights.ts';
import { kebabCase, stateMachineNames, stateMachineText } from '../../cdk/asl-files.ts';
import { deriveUses } from '../../cdk/rights/derive-uses.ts';
import {
  actionsOf,
  installation,
  installationOf,
  type Resource,
  resourcesOf,
  roleId,
  runnersOf,
  type Statement,
  statementsOf,
  templateOf,
} from './synthesised.ts';

const { pipeline, api } = installation;
const derived = await deriveUses();
const neededBy = (uses: readonly string[]): string[] => [...new Set(uses.flatMap((use) => derived.actions[use] ?? []))];

/** What comes with running at all. */
const ofFunctions = ['logs:CreateLogStream', 'logs:PutLogEvents', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
/** A failure destination, as CDK grants it. */
const ofFailures = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'];
/** The event source of Lambda reads with the role of its function, as CDK grants it. */
const ofStreams = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];
const ofRunners = [
  ...[
    'ecr:BatchCheckLayerAvailability',
    'ecr:BatchGetImage',
    'ecr:GetAuthorizationToken',
    'ecr:GetDownloadUrlForLayer',
  ],
  ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
];
/** Logins without a key: commands of the adapter for them; who the runner is, it may ask without a right. */
function ofLogins(tool: (typeof runnerTools)[number]): readonly string[] {
  const adapter = readFileSync(new URL('../../functions/adapters/aws-identity.ts', import.meta.url), 'utf8');
  const sent = new Set([...adapter.matchAll(/new (\w+)Command\(/g)].map(([, name]) => `sts:${name}`));
  expect([...sent].sort()).toEqual(['sts:AssumeRole', 'sts:GetCallerIdentity', 'sts:GetWebIdentityToken']);
  if (!runnerBounds[tool].secretReads?.includes('user/')) return [];
  // Roles of other accounts are what Terraform's providers become; other tools only prove who they are.
  return ['terraform', 'drift'].includes(tool) ? ['sts:AssumeRole', 'sts:GetWebIdentityToken'] : [];
}
const ofMachines = [
  ...['logs:CreateLogDelivery', 'logs:DeleteLogDelivery', 'logs:DescribeLogGroups', 'logs:DescribeResourcePolicies'],
  ...['logs:GetLogDelivery', 'logs:ListLogDeliveries', 'logs:PutResourcePolicy', 'logs:UpdateLogDelivery'],
  ...['xray:GetSamplingRules', 'xray:GetSamplingTargets', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
];

/** What using encrypted things asks of their key. */
function ofKey(actions: readonly string[]): readonly string[] {
  const writes = /^dynamodb:(Put|Update|Delete|BatchWrite)|^s3:PutObject$|^ssm:PutParameter$/;
  return [
    ...(actions.some((action) => /^dynamodb:|^s3:(Get|Put)Object$/.test(action))
      ? ['kms:Decrypt', 'kms:DescribeKey']
      : []),
    ...(actions.some((action) => writes.test(action)) ? ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'] : []),
  ];
}

const lambdas = [pipeline, api].flatMap((stack) =>
  resourcesOf(stack, 'AWS::Lambda::Function').map(({ Properties }) => ({
    name: String(Properties.Description).replace('Kubeloom: ', '').replace('the HTTP API', 'router'),
    role: roleId(Properties.Role),
    statements: statementsOf(stack, roleId(Properties.Role)),
  })),
);

describe('functions', () => {
  it('the rights come from functions/rights/uses.json (`node scripts/generate-rights.ts` writes it)', () => {
    const written = JSON.parse(readFileSync(new URL('../../functions/rights/uses.json', import.meta.url), 'utf8'));
    expect(written).toEqual(derived);
  });

  it('each function has a role of its own', () => {
    expect(lambdas.map(({ name }) => name).sort()).toEqual(Object.keys(derived.functions).sort());
    expect(new Set(lambdas.map(({ role }) => role)).size).toBe(lambdas.length);
  });

  for (const { name, statements } of lambdas) {
    it(`${name} may do what it calls and no more`, () => {
      const needed = neededBy(derived.functions[name] ?? []);
      const failures = ['publish-events', 'sync-sources', 'tick'].includes(name) ? ofFailures : [];
      const streams = name === 'publish-events' ? ofStreams : [];
      const expected = [...needed, ...ofKey(needed), ...ofFunctions, ...failures, ...streams];
      expect(actionsOf(statements)).toEqual([...new Set(expected)].sort());
    });
  }

  it('no function starts builds: the API and what asks git repositories have one machine start those of questions', () => {
    const of = (action: string) =>
      lambdas.flatMap(({ name, statements }) =>
        statements.filter(({ Action }) => [Action].flat().includes(action)).map((one) => ({ name, one })),
      );
    expect(of('codebuild:StartBuild')).toEqual([]);
    const asking = of('states:StartSyncExecution');
    expect(asking.map(({ name }) => name)).toEqual(['sync-sources', 'router']);
    for (const { one } of asking)
      expect(JSON.stringify(one.Resource)).toMatch(/^\{"Fn::Join.*:stateMachine:kubeloom-ask-runner"\]\]\}$/);
  });

  it('what asks git repositories reads and stops builds of their runner alone, and the API those of the three that answer questions', () => {
    const tools = lambdas
      .filter(({ name }) => ['sync-sources', 'router'].includes(name))
      .map(({ statements }) => {
        const of = statements.filter(({ Action }) => JSON.stringify(Action).includes('codebuild:'));
        return [...JSON.stringify(of).matchAll(/Runner([a-z]+)Project/g)].map(([, tool]) => tool);
      });
    expect(tools).toEqual([['terraform'], ['ansible', 'kubectl', 'terraform']]);
  });

  it('the machine of questions starts builds of three projects, with one variable and no override, and may do nothing else to builds', () => {
    const machine = resourcesOf(pipeline, 'AWS::StepFunctions::StateMachine').find(
      ({ Properties }) => Properties.StateMachineName === 'kubeloom-ask-runner',
    );
    expect(machine?.Properties.StateMachineType).toBe('EXPRESS');
    const statements = statementsOf(pipeline, roleId(machine?.Properties.RoleArn));
    const ofBuilds = statements.filter(({ Action }) => JSON.stringify(Action).includes('codebuild:'));
    expect(ofBuilds.map(({ Action }) => Action)).toEqual(['codebuild:StartBuild']);
    // Terraform checks credentials and fetches repositories, kubectl has certificates of people signed, Ansible lets their keys in.
    const projects = [...JSON.stringify(ofBuilds[0]?.Resource).matchAll(/Runner([a-z]+)Project/g)].map(
      ([, tool]) => tool,
    );
    expect(projects).toEqual(['ansible', 'kubectl', 'terraform']);
    expect(ofBuilds[0]?.Condition).toEqual({
      'ForAllValues:StringEquals': {
        'codebuild:environment.environmentVariables.name': ['KUBELOOM_JOB'],
      },
      Null: {
        ...{ 'codebuild:source.buildspec': 'true', 'codebuild:source.location': 'true' },
        ...{ 'codebuild:environment.image': 'true', 'codebuild:serviceRole': 'true' },
      },
    });
  });

  it('what submits for GitSources changes no roles, Secrets, inventories or roll-outs, stops no run and removes nothing', () => {
    const uses = derived.functions['sync-sources'] ?? [];
    const own = ['roleBindings.list', 'secrets.exists', 'inventory.get', 'gitSources.put', 'gitSources.due'];
    expect(uses).toEqual(expect.arrayContaining(own));
    const beyond =
      /^(roleBindings|secrets|inventory|rollOuts|feed)\.(?!list$|exists$|get$)|^rollOuts|^workflows\.(?!startReconcile|askRunner)/;
    expect(uses.filter((use) => beyond.test(use) || /\.(remove|removeAll|discard)$/.test(use))).toEqual([]);
  });

  for (const { name, statements } of lambdas) {
    it(`${name} may touch only the partitions, objects and Secrets of what it uses`, () => {
      const bounds = functionBounds(name);
      const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
      const of = (service: string) =>
        allowed.filter(({ Action }) => [Action].flat().some((action) => String(action).startsWith(service)));
      const tables = of('dynamodb:').filter(({ Action }) => !JSON.stringify(Action).includes('Stream'));
      for (const { Action, Condition } of tables)
        for (const action of [Action].flat().map(String)) {
          const keys = bounds.byAction?.[action]?.map((key) => `${key}*`);
          expect(Condition, action).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } });
        }
      for (const { Condition } of of('s3:ListBucket')) {
        const listed = bounds.byAction?.['s3:ListBucket']?.map((prefix) => `${prefix}*`) ?? [];
        expect(listed).not.toEqual([]);
        expect(Condition).toEqual({ StringLikeIfExists: { 's3:prefix': listed } });
      }
      const prefixes = [...JSON.stringify(of('s3:').map(({ Resource }) => Resource)).matchAll(/"\/([^"]*)\*"/g)];
      expect(
        [...new Set(prefixes.map(([, prefix]) => prefix))].filter((one) => !bounds.objects.includes(`${one}`)),
      ).toEqual([]);
    });
  }

  it('only the API and what submits for GitSources read who has which role, and only the API writes it', () => {
    const reaching = lambdas.filter(({ statements }) => JSON.stringify(statements).includes('"ROLES*"'));
    expect(reaching.map(({ name }) => name)).toEqual(['sync-sources', 'router']);
    const writing = lambdas.filter(({ statements }) =>
      statements.some(
        (one) =>
          JSON.stringify(one).includes('"ROLES*"') && /PutItem|UpdateItem|DeleteItem|Write/.test(JSON.stringify(one)),
      ),
    );
    expect(writing.map(({ name }) => name)).toEqual(['router']);
  });

  it('no function can read secrets or Terraform states, whatever else is allowed', () => {
    for (const { statements } of lambdas) {
      const denied = statements.filter(({ Effect }) => Effect === 'Deny');
      expect(denied.map(({ Action }) => Action)).toEqual([
        'kms:Decrypt',
        ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      ]);
      expect(JSON.stringify(denied[0]?.Condition)).toContain('ssm.');
      expect(JSON.stringify(denied[1]?.Resource)).toContain('/terraform/*');
      const keys = statements.filter(
        ({ Effect, Action }) => Effect === 'Allow' && JSON.stringify(Action).includes('kms:Decrypt'),
      );
      expect(JSON.stringify(keys.map(({ Condition }) => Condition))).not.toContain('ssm.');
    }
  });
});

const runners = runnerTools.map((tool) => {
  const project = runnersOf(pipeline).find(({ Properties }) => Properties.Description === `Kubeloom runner: ${tool}`);
  return { tool, statements: statementsOf(pipeline, roleId(project?.Properties.ServiceRole)) };
});

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

describe('runners', () => {
  it('runners get tokens only for clouds that are offered and Vaults of the options', () => {
    const audiencesOf = (context: Record<string, unknown>) => {
      const { pipeline: stack } = installationOf(context);
      const projects = runnersOf(stack).map(({ Properties }) => {
        const tool = String(Properties.Description).replace('Kubeloom runner: ', '');
        const asking = statementsOf(stack, roleId(Properties.ServiceRole)).filter(({ Effect, Action }) => {
          return Effect === 'Allow' && [Action].flat().includes('sts:GetWebIdentityToken');
        });
        return [tool, asking.map(({ Condition }) => Condition?.['ForAllValues:StringLike'])] as const;
      });
      return Object.fromEntries(projects);
    };
    const clouds = ['api://AzureADTokenExchange', 'https://iam.googleapis.com/*'];
    const only = (...audiences: string[]) => [{ 'sts:IdentityTokenAudience': audiences }];
    expect(audiencesOf({ vaultAudiences: 'vault' })).toEqual({
      ...{ terraform: only(...clouds, 'vault'), drift: only(...clouds, 'vault') },
      ...{ ansible: only('vault'), kubeone: only('vault'), kubectl: only('vault') },
    });
    expect(audiencesOf({ providers: 'aws,azure' }).terraform).toEqual(only('api://AzureADTokenExchange'));
    expect(audiencesOf({})).toEqual({
      ...{ terraform: only(...clouds), drift: only(...clouds), ansible: [], kubeone: [], kubectl: [] },
    });
  });

  for (const { tool, statements } of runners) {
    it(`${tool} may do what it calls and no more`, () => {
      const needed = neededBy([...(derived.runners[tool] ?? []), ...toolUses[tool]]);
      expect(actionsOf(statements)).toEqual(
        [...new Set([...needed, ...ofKey(needed), ...ofRunners, ...ofLogins(tool)])].sort(),
      );
    });

    it(`${tool} touches its own prefixes of bucket, table and secrets`, () => {
      const bounds = runnerBounds[tool];
      const of = (service: string): Statement[] =>
        statements.filter(
          ({ Effect, Action }) => Effect === 'Allow' && [Action].flat().some((one) => one.startsWith(service)),
        );
      for (const statement of of('dynamodb:')) {
        expect(statement.Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['EVENTS#*'] } });
      }
      const endings = (service: string): string[] =>
        of(service)
          .filter(({ Action }) => Action !== 's3:ListBucket')
          .flatMap(({ Resource }) => [Resource].flat().map((arn) => JSON.stringify(arn)))
          .map((arn) => /[:/]((?:[\w-]+\/)+)\*"/.exec(arn)?.[1] ?? arn);
      expect(unique(endings('s3:'))).toEqual(
        [...bounds.objects, ...(bounds.reads ?? []), ...(bounds.keeps ?? []), ...(bounds.writes ?? [])].sort(),
      );
      const writes = of('s3:').filter(({ Action }) => [Action].flat().some((one) => /Put|Delete/.test(one)));
      for (const prefix of bounds.reads ?? []) expect(JSON.stringify(writes)).not.toContain(`/${prefix}*`);
      const deletions = of('s3:').filter(({ Action }) => [Action].flat().includes('s3:DeleteObject'));
      for (const prefix of bounds.keeps ?? []) expect(JSON.stringify(deletions)).not.toContain(`/${prefix}*`);
      const reads = of('s3:').filter(({ Action }) => [Action].flat().includes('s3:GetObject'));
      for (const prefix of bounds.writes ?? []) expect(JSON.stringify(reads)).not.toContain(`/${prefix}*`);
      const secrets = (paths: readonly string[]): readonly string[] =>
        paths.map((path) => `parameter/kubeloom/${path}`).sort();
      expect(unique(endings('ssm:'))).toEqual(secrets([...bounds.secrets, ...(bounds.secretReads ?? [])]));
      const changes = of('ssm:').filter(({ Action }) => [Action].flat().some((one) => /Put|Delete/.test(one)));
      for (const path of secrets(bounds.secretReads ?? [])) expect(JSON.stringify(changes)).not.toContain(`${path}*`);
    });

    it(`${tool} has a permissions boundary, which allows what it does and nothing that it does not`, () => {
      const [boundary, ...others] = resourcesOf(pipeline, 'AWS::IAM::ManagedPolicy');
      expect(others).toEqual([]);
      const { Statement: bounds } = Object(boundary?.Properties.PolicyDocument) as { Statement: Statement[] };
      const most = actionsOf(bounds);
      expect(most).toEqual(expect.arrayContaining([...actionsOf(statements)]));
      const all = runners.flatMap((runner) => actionsOf(runner.statements));
      expect(most.filter((action) => !all.includes(action))).toEqual([]);
      const onStored = ['s3:DeleteObject', 's3:GetObject', 's3:PutObject', 'ssm:GetParameter', 'ssm:PutParameter'];
      for (const action of onStored) {
        const resourcesOfAction = (some: readonly Statement[]): readonly string[] => [
          ...new Set(
            some
              .filter(({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes(action))
              .flatMap(({ Resource }) => [Resource].flat().map((arn) => JSON.stringify(arn))),
          ),
        ];
        const given = runners.flatMap((runner) => resourcesOfAction(runner.statements));
        expect(resourcesOfAction(bounds).toSorted(), action).toEqual([...new Set(given)].toSorted());
      }
      const ofTable = bounds.filter(({ Action }) => [Action].flat().some((one) => one.startsWith('dynamodb:')));
      expect(ofTable.map(({ Condition }) => Condition)).toEqual([
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['EVENTS#*'] } },
      ]);
      const project = runnersOf(pipeline).find(
        ({ Properties }) => Properties.Description === `Kubeloom runner: ${tool}`,
      );
      const role = resourcesById()[roleId(project?.Properties.ServiceRole)];
      expect(JSON.stringify(role?.Properties.PermissionsBoundary)).toContain('RunnerBoundary');
    });

    it(`${tool} replaces no Secrets, and asks for roles of other accounts only with an ExternalId of this installation`, () => {
      const of = (action: string) =>
        statements.filter(({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes(action));
      for (const { Condition } of of('ssm:PutParameter'))
        expect(Condition).toEqual({ StringEquals: { 'ssm:Overwrite': 'false' } });
      for (const { Condition } of of('sts:AssumeRole'))
        expect(Condition).toEqual({ StringLike: { 'sts:ExternalId': 'kubeloom/*' } });
    });

    it(`${tool} cannot touch the stacks that started it, nor take another role of the account`, () => {
      const denied = actionsOf(statements, 'Deny');
      const services = ['cloudformation', 'events', 'iam', 'lambda', 'scheduler', 'sqs', 'states'];
      const changes = ['Create', 'Delete', 'Import', 'Invalidate', 'List', 'Put', 'Retry', 'Start', 'Stop', 'Update'];
      const ofBuilds = tool === 'terraform' ? changes.map((verb) => `codebuild:${verb}*`) : ['codebuild:*'];
      expect(denied).toEqual([...services.map((service) => `${service}:*`), ...ofBuilds, 'sts:AssumeRole'].sort());
      const resources = statements
        .filter(({ Effect }) => Effect === 'Allow')
        .map(({ Resource }) => JSON.stringify(Resource));
      const own = Object.entries(resourcesById()).filter(
        ([, { Type }]) => !/^AWS::(Logs::LogGroup|CodeBuild::Project)$/.test(Type),
      );
      for (const [id] of own) expect(resources.filter((text) => text.includes(`"${id}"`))).toEqual([]);
    });
  }
});

function resourcesById(): Readonly<Record<string, Resource>> {
  return templateOf(pipeline).toJSON().Resources as Record<string, Resource>;
}

describe('state machines', () => {
  for (const name of stateMachineNames()) {
    it(`${name} may call what its file names and no more`, () => {
      const machine = resourcesOf(pipeline, 'AWS::StepFunctions::StateMachine').find(
        ({ Properties }) => Properties.StateMachineName === `kubeloom-${name}`,
      );
      const statements = statementsOf(pipeline, roleId(machine?.Properties.RoleArn));
      const called = calls(JSON.parse(stateMachineText(name)));
      expect(actionsOf(statements)).toEqual([...new Set([...called.actions, ...ofMachines])].sort());
      const invoked = statements
        .filter(({ Action }) => Action === 'lambda:InvokeFunction')
        .map(({ Resource }) => JSON.stringify(Resource));
      for (const task of called.functions)
        expect(invoked.join()).toContain(`Function${task.replaceAll('-', '')}Function`);
      expect(invoked.join().match(/Fn::GetAtt/g)?.length ?? 0).toBe(called.functions.length);
    });
  }
});

const integrations: Readonly<Record<string, readonly string[]>> = {
  'arn:aws:states:::codebuild:startBuild': ['codebuild:StartBuild'],
  'arn:aws:states:::codebuild:startBuild.sync': [
    ...['codebuild:StartBuild', 'codebuild:StopBuild', 'codebuild:BatchGetBuilds'],
    ...['events:PutRule', 'events:PutTargets', 'events:DescribeRule'],
  ],
  'arn:aws:states:::states:startExecution.sync:2': [
    ...['states:StartExecution', 'states:DescribeExecution', 'states:StopExecution'],
    ...['events:PutRule', 'events:PutTargets', 'events:DescribeRule'],
  ],
};

/** Every `Resource` of every Task, however deep. */
function calls(value: unknown): { readonly actions: readonly string[]; readonly functions: readonly string[] } {
  const resources = new Set<string>();
  const visit = (inner: unknown): void => {
    if (typeof inner !== 'object' || inner === null) return;
    if ('Type' in inner && inner.Type === 'Task' && 'Resource' in inner) resources.add(String(inner.Resource));
    for (const one of Object.values(inner)) visit(one);
  };
  visit(value);
  const functions = [...resources].flatMap((resource) => {
    const placeholder = /^\$\{(\w+)\}$/.exec(resource)?.[1];
    return placeholder === undefined ? [] : [kebabCase(placeholder)];
  });
  const others = [...resources].filter((resource) => !resource.startsWith('${'));
  const actions = others.flatMap((resource) => {
    const needed = integrations[resource];
    if (!needed) throw new Error(`this test does not know what ${resource} needs`);
    return needed;
  });
  return { functions, actions: functions.length > 0 ? [...actions, 'lambda:InvokeFunction'] : actions };
}

describe('all roles', () => {
  /** Services that know no resource for these. */
  const global =
    /^(xray:Put|xray:Get|logs:(Create|Get|Update|Delete|List)LogDeliver(y|ies)|logs:(Put|Describe)ResourcePolic|logs:DescribeLogGroups|ecr:GetAuthorizationToken|sts:GetWebIdentityToken)/;

  it('no role is for every action, or for every resource where others exist', () => {
    const allowed = [pipeline, api].flatMap((stack) =>
      resourcesOf(stack, 'AWS::IAM::Policy')
        .flatMap(({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement)
        .filter(({ Effect }) => Effect === 'Allow'),
    );
    const wide = allowed.filter(({ Resource }) => [Resource].flat().includes('*'));
    expect(actionsOf(wide).filter((action) => !global.test(action))).toEqual([]);
    expect(actionsOf(allowed).filter((action) => /^\*$|:\*$/.test(action))).toEqual([]);
  });
});
