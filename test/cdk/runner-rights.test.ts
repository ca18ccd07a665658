/** Least privilege of runners, both ways: what tools call is allowed, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type JobPlace, jobRights, noPlace } from '#functions/rights/job-rights.ts';
import { prefixesOf, runnerBounds, runnerTools, toolUses } from '#functions/rights/runner-rights.ts';
import { derivedUses, neededBy, ofKey } from './needed-rights.ts';
import {
  actionsOf,
  installation,
  installationOf,
  type Resource,
  resourcesOf,
  roleId,
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

const roleNamed = (description: string, stack = pipeline): string => {
  const roles = Object.entries(templateOf(stack).findResources('AWS::IAM::Role'));
  const [found] = roles.filter(([, { Properties }]) => Properties.Description === description);
  if (found === undefined) throw new Error(`there is no role ${description}`);
  return found[0];
};

/** The role that builds of each tool work in, and the one that they start with. */
const runners = runnerTools.map((tool) => {
  const [role, buildRole] = [roleNamed(`Kubeloom runner: ${tool}`), roleNamed(`Kubeloom builds: ${tool}`)];
  return { tool, role, buildRole, statements: statementsOf(pipeline, role) };
});

/** The place of a session's job, as a policy names it. */
const placeInTags = Object.fromEntries(
  Object.keys(noPlace).map((part) => [part, `\${aws:PrincipalTag/${part}}`]),
) as unknown as JobPlace;

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
      const projects = runnerTools.map((tool) => {
        const asking = statementsOf(stack, roleNamed(`Kubeloom runner: ${tool}`, stack)).filter(
          ({ Effect, Action }) => {
            return Effect === 'Allow' && [Action].flat().includes('sts:GetWebIdentityToken');
          },
        );
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

  for (const { tool, role, buildRole, statements } of runners) {
    it(`${tool} may do what it calls and no more`, () => {
      const needed = neededBy([...(derivedUses.runners[tool] ?? []), ...toolUses[tool]]);
      expect(actionsOf(statements)).toEqual([...new Set([...needed, ...ofKey(needed), ...ofLogins(tool)])].sort());
    });

    it(`${tool} touches what its session is for, and a session without tags nothing`, () => {
      const rights = jobRights(tool, placeInTags);
      const of = (action: string): readonly Statement[] =>
        statements.filter(({ Effect, Action }) => Effect === 'Allow' && [Action].flat().includes(action));
      const leading = of('dynamodb:BatchWriteItem').map(({ Condition }) => Condition);
      expect(leading).toEqual([
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': rights['dynamodb:BatchWriteItem'] } },
      ]);
      const listing = of('s3:ListBucket').map(({ Condition }) => Condition);
      expect(listing).toEqual([{ StringLikeIfExists: { 's3:prefix': rights['s3:ListBucket'] } }]);
      const actions = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 'ssm:GetParameter', 'ssm:PutParameter'];
      for (const action of actions) {
        const arns = of(action).flatMap(({ Resource }) => [Resource].flat().map((arn) => JSON.stringify(arn)));
        const given = arns.map((arn) => /(?:parameter\/kubeloom\/|"\/)([^"]+)"\]\]\}$/.exec(arn)?.[1] ?? arn);
        expect(given.toSorted(), action).toEqual((rights[action] ?? []).toSorted());
      }
    });

    it(`${tool} has a policy that fits`, () => {
      const [policy] = resourcesOf(pipeline, 'AWS::IAM::Policy').filter(({ Properties }) =>
        JSON.stringify(Properties.Roles).includes(`"${role}"`),
      );
      // Inline policies of a role together, as IAM counts them; names of buckets and keys take the place of references.
      expect(JSON.stringify(policy?.Properties.PolicyDocument).length).toBeLessThan(10_240);
    });

    it(`${tool} starts with a role that may ask for credentials and do nothing else, and no other may become the one of its sessions`, () => {
      const starts = statementsOf(pipeline, buildRole);
      expect(actionsOf(starts)).toEqual([...ofRunners, 'execute-api:Invoke'].sort());
      const [asking] = starts.filter(({ Action }) => [Action].flat().includes('execute-api:Invoke'));
      expect(JSON.stringify(asking?.Resource)).toContain('/*/POST/v1/builds/credentials"');
      const trusted = (id: string) => Object(resourcesById()[id]?.Properties.AssumeRolePolicyDocument).Statement;
      const broker = { 'Fn::GetAtt': [roleNamed('Kubeloom: build-credentials'), 'Arn'] };
      const trust = trusted(role) as readonly { readonly Action: unknown; readonly Principal: unknown }[];
      expect(trust.map(({ Principal }) => Principal)).toEqual(trust.map(() => ({ AWS: broker })));
      expect(trust.flatMap(({ Action }) => Action).sort()).toEqual(['sts:AssumeRole', 'sts:TagSession']);
      expect(trusted(buildRole)).toMatchObject([{ Principal: { Service: 'codebuild.amazonaws.com' } }]);
      const projects = resourcesOf(pipeline, 'AWS::CodeBuild::Project');
      const own = projects.filter(({ Properties }) =>
        String(Properties.Description).startsWith(`Kubeloom runner: ${tool}`),
      );
      expect(new Set(own.map(({ Properties }) => roleId(Properties.ServiceRole)))).toEqual(new Set([buildRole]));
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
      const all = runners.flatMap((runner) =>
        [runner.statements, statementsOf(pipeline, runner.buildRole)].flatMap((some) => actionsOf(some)),
      );
      expect(most).toEqual(expect.arrayContaining([...actionsOf(statements)]));
      expect(most.filter((action) => !all.includes(action))).toEqual([]);
      for (const [action, patterns] of Object.entries(jobRights(tool, placeInTags)))
        for (const pattern of patterns)
          expect(
            prefixesOf(action, runnerBounds[tool]).some((prefix) => pattern.startsWith(prefix)),
            `${action} ${pattern}`,
          ).toBe(true);
      const ofTable = bounds.filter(({ Action }) => [Action].flat().some((one) => one.startsWith('dynamodb:')));
      expect(ofTable.map(({ Condition }) => Condition)).toEqual([
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['EVENTS#*'] } },
      ]);
      for (const id of [role, buildRole])
        expect(JSON.stringify(resourcesById()[id]?.Properties.PermissionsBoundary)).toContain('RunnerBoundary');
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
