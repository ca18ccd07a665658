/** Least privilege of functions and of all roles, both ways: what handlers and adapters call is allowed, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { functionBounds } from '#functions/rights/function-rights.ts';
import { derivedUses, neededBy, ofKey } from './needed-rights.ts';
import { actionsOf, installation, resourcesOf, roleId, type Statement, statementsOf } from './synthesised.ts';

const { pipeline, api } = installation;

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
    expect(written).toEqual(derivedUses);
  });

  it('each function has a role of its own', () => {
    expect(lambdas.map(({ name }) => name).sort()).toEqual(Object.keys(derivedUses.functions).sort());
    expect(new Set(lambdas.map(({ role }) => role)).size).toBe(lambdas.length);
  });

  for (const { name, statements } of lambdas) {
    it(`${name} may do what it calls and no more`, () => {
      const needed = neededBy(derivedUses.functions[name] ?? []);
      const failures = ['publish-events', 'send-notifications', 'sync-sources', 'tick'].includes(name)
        ? ofFailures
        : [];
      const streams = name === 'publish-events' ? ofStreams : [];
      const expected = [...needed, ...ofKey(needed), ...ofFunctions, ...failures, ...streams];
      // It asks for ever and is not traced.
      const untraced = (action: string): boolean => name === 'agents' && action.startsWith('xray:');
      expect(actionsOf(statements)).toEqual([...new Set(expected.filter((one) => !untraced(one)))].sort());
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

  it('the function that reads git repositories may only read and stop builds of its runner, the API only those of the four runners for questions', () => {
    const tools = lambdas
      .filter(({ name }) => ['sync-sources', 'router'].includes(name))
      .map(({ statements }) => {
        const of = statements.filter(({ Action }) => JSON.stringify(Action).includes('codebuild:'));
        return [...JSON.stringify(of).matchAll(/Runner([a-z]+)Project/g)].map(([, tool]) => tool);
      });
    expect(tools).toEqual([['terraform'], ['ansible', 'drift', 'kubectl', 'terraform']]);
  });

  it('the machine of questions starts builds of four projects, with one variable and no override, and may do nothing else to builds', () => {
    const machine = resourcesOf(pipeline, 'AWS::StepFunctions::StateMachine').find(
      ({ Properties }) => Properties.StateMachineName === 'kubeloom-ask-runner',
    );
    expect(machine?.Properties.StateMachineType).toBe('EXPRESS');
    const statements = statementsOf(pipeline, roleId(machine?.Properties.RoleArn));
    const ofBuilds = statements.filter(({ Action }) => JSON.stringify(Action).includes('codebuild:'));
    expect(ofBuilds.map(({ Action }) => Action)).toEqual(['codebuild:StartBuild']);
    // Terraform checks credentials and fetches repositories, drift reads states, kubectl has certificates of people signed, Ansible lets their keys in.
    const projects = [...JSON.stringify(ofBuilds[0]?.Resource).matchAll(/Runner([a-z]+)(?:Lambda)?Project/g)].map(
      ([, tool]) => tool,
    );
    expect(projects).toEqual(['ansible', 'drift', 'kubectl', 'terraform']);
    expect(ofBuilds[0]?.Condition).toEqual({
      'ForAllValues:StringEquals': {
        'codebuild:environment.environmentVariables.name': ['KUBELOOM_JOB'],
      },
      Null: {
        'codebuild:source.buildspec': 'true',
        'codebuild:source.location': 'true',
        'codebuild:environment.image': 'true',
        'codebuild:serviceRole': 'true',
      },
    });
  });

  it('the function that submits for GitSources cannot change roles, Secrets, inventories or roll-outs, stop runs or remove anything', () => {
    const uses = derivedUses.functions['sync-sources'] ?? [];
    const own = ['roleBindings.list', 'secrets.exists', 'inventory.get', 'gitSources.put', 'gitSources.due'];
    expect(uses).toEqual(expect.arrayContaining(own));
    const beyond =
      /^(roleBindings|secrets|inventory|rollOuts|feed)\.(?!list$|halted$|exists$|get$)|^rollOuts\.(?!get$|halted$)|^budgets\.acceptRollOut|^workflows\.(?!startReconcile|askRunner)/;
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

  it('only the API, what submits for GitSources and what sends notifications for their makers read who has which role, and only the API writes it', () => {
    const reaching = lambdas.filter(({ statements }) => JSON.stringify(statements).includes('"ROLES*"'));
    expect(reaching.map(({ name }) => name)).toEqual(['sync-sources', 'send-notifications', 'router']);
    const writing = lambdas.filter(({ statements }) =>
      statements.some(
        (one) =>
          JSON.stringify(one).includes('"ROLES*"') && /PutItem|UpdateItem|DeleteItem|Write/.test(JSON.stringify(one)),
      ),
    );
    expect(writing.map(({ name }) => name)).toEqual(['router']);
  });

  it('what sends notifications uses topics of Notifications by e-mail only, the API deletes them, and no other function uses SNS', () => {
    const ofSns = lambdas.flatMap(({ name, statements }) =>
      statements
        .filter(({ Action }) => JSON.stringify(Action).includes('"sns:'))
        .map(({ Action, Resource, Condition }) => {
          expect(JSON.stringify(Resource)).toMatch(/^[^*]*:kubeloom-notification_\*"[^*]*$/);
          return [name, [Action].flat(), Condition];
        }),
    );
    expect(ofSns).toEqual([
      [
        'send-notifications',
        ['sns:CreateTopic', 'sns:DeleteTopic', 'sns:ListSubscriptionsByTopic', 'sns:Publish'],
        undefined,
      ],
      ['send-notifications', ['sns:Subscribe'], { StringEquals: { 'sns:Protocol': 'email' } }],
      ['router', ['sns:DeleteTopic'], undefined],
    ]);
  });

  it('no function can read secrets or Terraform states, whatever else is allowed, but for Secrets of notifications', () => {
    for (const { name, statements } of lambdas) {
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
      const sends = name === 'send-notifications';
      expect(JSON.stringify(keys.map(({ Condition }) => Condition)).includes('ssm.'), name).toBe(sends);
      const { StringNotLike: but = {} } = (denied[0]?.Condition ?? {}) as { readonly StringNotLike?: object };
      const exceptions = Object.values(but).flat();
      expect(exceptions, name).toHaveLength(sends ? 1 : 0);
      for (const one of exceptions) expect(JSON.stringify(one)).toMatch(/\/user\/\*\/notification-\*"/);
    }
  });
});

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
