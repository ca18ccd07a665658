/** Least privilege of runners, both ways: what tools call is allowed, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runnerBounds, runnerTools, toolUses } from '#functions/rights/runner-rights.ts';
import { derivedUses, neededBy, ofKey } from './needed-rights.ts';
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

const { pipeline } = installation;

/** What comes with running at all. */
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

const runners = runnerTools.map((tool) => {
  const project = runnersOf(pipeline).find(({ Properties }) => Properties.Description === `Kubeloom runner: ${tool}`);
  return { tool, statements: statementsOf(pipeline, roleId(project?.Properties.ServiceRole)) };
});

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

describe('the permissions boundary of runners', () => {
  const boundaryOf = (stack: typeof pipeline): readonly Statement[] => {
    const [boundary] = resourcesOf(stack, 'AWS::IAM::ManagedPolicy');
    return (Object(boundary?.Properties.PolicyDocument) as { Statement: Statement[] }).Statement;
  };
  const about = (action: string, effect: string, stack = pipeline): readonly Statement[] =>
    boundaryOf(stack).filter(({ Effect, Action }) => Effect === effect && [Action].flat().includes(action));

  it('the boundary lets runners assume roles of other accounts with an ExternalId of this installation, and no role of their own', () => {
    const allowed = about('sts:AssumeRole', 'Allow');
    expect(allowed.map(({ Condition }) => Condition)).toEqual([{ StringLike: { 'sts:ExternalId': 'kubeloom/*' } }]);
    const denied = about('sts:AssumeRole', 'Deny');
    expect(denied).toHaveLength(1);
    expect(JSON.stringify(denied[0]?.Resource)).toContain('{"Ref":"AWS::AccountId"},":role/*"');
  });

  it('the boundary lets runners list keys below the prefixes that one of them reads', () => {
    const [listing] = about('s3:ListBucket', 'Allow');
    const { StringLikeIfExists: below } = Object(listing?.Condition);
    expect(below['s3:prefix']).toEqual(expect.arrayContaining(['runs/*', 'terraform/*', 'kubeconfigs/*', 'env:/*']));
    expect(below['s3:prefix'].join()).not.toMatch(/pki|documents|(^|,)\*/);
  });

  it('the boundary lets runners have tokens for clouds that are offered and Vaults of the options, and for no one else', () => {
    const audiences = (context: Record<string, unknown>) =>
      about('sts:GetWebIdentityToken', 'Allow', installationOf(context).pipeline).map(({ Condition }) => Condition);
    const only = (...names: string[]) => [
      {
        'ForAllValues:StringLike': { 'sts:IdentityTokenAudience': names },
        Null: { 'sts:IdentityTokenAudience': 'false' },
      },
    ];
    const clouds = ['api://AzureADTokenExchange', 'https://iam.googleapis.com/*'];
    expect(audiences({ vaultAudiences: 'vault' })).toEqual(only(...clouds, 'vault'));
    expect(audiences({ providers: 'hetzner', vaultAudiences: 'vault' })).toEqual(only('vault'));
    expect(audiences({ providers: 'hetzner' })).toEqual([]);
  });
});

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
      terraform: only(...clouds, 'vault'),
      drift: only(...clouds, 'vault'),
      ansible: only('vault'),
      kubeone: only('vault'),
      kubectl: only('vault'),
    });
    expect(audiencesOf({ providers: 'aws,azure' }).terraform).toEqual(only('api://AzureADTokenExchange'));
    expect(audiencesOf({})).toEqual({
      terraform: only(...clouds),
      drift: only(...clouds),
      ansible: [],
      kubeone: [],
      kubectl: [],
    });
  });

  for (const { tool, statements } of runners) {
    it(`${tool} may do what it calls and no more`, () => {
      const needed = neededBy([...(derivedUses.runners[tool] ?? []), ...toolUses[tool]]);
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
      const [listing, ...more] = of('s3:').filter(({ Action }) => [Action].flat().includes('s3:ListBucket'));
      expect(more).toEqual([]);
      const listed = [...bounds.objects, ...(bounds.reads ?? []), ...(bounds.keeps ?? []), ...(bounds.lists ?? [])];
      expect(listing?.Condition).toEqual({
        StringLikeIfExists: { 's3:prefix': listed.map((prefix) => `${prefix}*`) },
      });
      const secrets = (paths: readonly string[]): readonly string[] =>
        paths.map((path) => `parameter/kubeloom/${path}`).sort();
      expect(unique(endings('ssm:'))).toEqual(secrets([...bounds.secrets, ...(bounds.secretReads ?? [])]));
      const changes = of('ssm:').filter(({ Action }) => [Action].flat().some((one) => /Put|Delete/.test(one)));
      for (const path of secrets(bounds.secretReads ?? [])) expect(JSON.stringify(changes)).not.toContain(`${path}*`);
    });

    it(`${tool} deletes no waypoints, results and logs of runs and checks`, () => {
      const deleting = statements.filter(
        ({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes('s3:DeleteObject'),
      );
      expect(JSON.stringify(deleting.map(({ Resource }) => Resource))).not.toMatch(/runs\/|checks\//);
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
