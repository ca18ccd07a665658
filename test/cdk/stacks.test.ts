/** What would be deployed: the same pipeline, complete, with no right that nobody needs; made without network or account. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { Config } from '#contracts/config.ts';
import { routes } from '#functions/api/routes.ts';
import { placeholdersOf, stateMachineNames, stateMachineText } from '../../cdk/asl-files.ts';
import { cloudProviderTypes } from '../../cdk/settings.ts';
import { startsRuns, stopsBuilds } from '../../cdk/stacks/pipeline-stack.ts';
import { addStacks, type Installation } from '../../cdk/stacks.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

let installation: Installation;
const templates = new Map<Stack, Template>();
const templateOf = (stack: Stack): Template => {
  const made = templates.get(stack) ?? Template.fromStack(stack);
  templates.set(stack, made);
  return made;
};
const resourcesOf = (stack: Stack, type: string): Resource[] =>
  Object.values(templateOf(stack).findResources(type)) as Resource[];

beforeAll(() => {
  installation = addStacks(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), { installation: 'kubeloom' });
});

/**
 * Hashes of assets change with every line of code, definitions are files of their own, provider types follow the
 * modules there are: none of it belongs into a snapshot.
 */
function normalised(stack: Stack): unknown {
  const types = cloudProviderTypes.join(',');
  const text = JSON.stringify(templateOf(stack).toJSON(), (name, value: unknown) => {
    if (name === 'DefinitionString') return '(the text of the file)';
    return value === types ? '(provider types)' : value;
  });
  return JSON.parse(text.replaceAll(/[0-9a-f]{64}/g, '(hash)'));
}

describe('snapshots', () => {
  for (const name of ['storage', 'pipeline', 'api'] as const) {
    it(`of the stack ${name}`, () => {
      expect(normalised(installation[name])).toMatchSnapshot();
    });
  }
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

  it('may start, watch and stop builds and children where they say .sync', () => {
    const actions = (machine: string): string[] =>
      Object.entries(templateOf(installation.pipeline).findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.replaceAll('-', '').startsWith(`StateMachine${machine}Machine`))
        .flatMap(([, policy]) => statementsOf(policy as Resource).flatMap(({ Action }) => [Action].flat()));
    expect(actions('runstage')).toEqual(
      expect.arrayContaining([
        'codebuild:StartBuild',
        'codebuild:StopBuild',
        'codebuild:BatchGetBuilds',
        'events:PutRule',
      ]),
    );
    expect(actions('reconcilecluster')).toEqual(
      expect.arrayContaining([
        'states:StartExecution',
        'states:DescribeExecution',
        'states:StopExecution',
        'events:PutRule',
      ]),
    );
    expect(actions('finishrun').filter((action) => action.startsWith('codebuild'))).toEqual([]);
  });

  it('are finished when they are cut off, and looked after by the schedule', () => {
    templateOf(installation.pipeline).hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({
        source: ['aws.states'],
        detail: Match.objectLike({ status: ['FAILED', 'TIMED_OUT', 'ABORTED'] }),
      }),
    });
    templateOf(installation.pipeline).hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(5 minutes)',
    });
  });
});

describe('the API', () => {
  it('has every route; only health answers without a signature', () => {
    const made = resourcesOf(installation.api, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType,
    ]);
    const wanted = routes.map((route) => [`${route.method} ${route.path}`, 'anonymous' in route ? 'NONE' : 'AWS_IAM']);
    expect(made.sort()).toEqual(wanted.sort());
  });
});

describe('functions and runners', () => {
  it('are all of Node 24 on arm64', () => {
    const functions = [installation.pipeline, installation.api].flatMap((stack) =>
      resourcesOf(stack, 'AWS::Lambda::Function'),
    );
    expect(functions.length).toBeGreaterThan(10);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    }
  });

  it('are given only settings that the configuration knows, and all that it demands', () => {
    const [first] = resourcesOf(installation.api, 'AWS::Lambda::Function');
    const { Variables } = (first?.Properties.Environment ?? {}) as { Variables: Record<string, unknown> };
    const names = Object.keys(Variables).filter((name) => name.startsWith('KUBELOOM_'));
    expect(names.filter((name) => !(name in Config.shape))).toEqual([]);
    const demanded = Object.entries(Config.shape).filter(([, shape]) => !shape.safeParse(undefined).success);
    expect(names).toEqual(expect.arrayContaining(demanded.map(([name]) => name)));
  });

  it('build what there are modules for, never on the computer they run on', () => {
    const [first] = resourcesOf(installation.api, 'AWS::Lambda::Function');
    const { Variables } = (first?.Properties.Environment ?? {}) as { Variables: Record<string, string> };
    const types = (Variables.KUBELOOM_PROVIDER_TYPES ?? '').split(',');
    const modules = readdirSync(new URL('../../templates/terraform/', import.meta.url));
    expect(types).toContain('sim');
    expect(types.filter((type) => type !== 'sim' && !modules.includes(type))).toEqual([]);
    expect(types).not.toContain('local');
  });

  it('have one project for each tool', () => {
    templateOf(installation.pipeline).resourceCountIs('AWS::CodeBuild::Project', 4);
  });
});

describe('what must not be lost', () => {
  it('stays when its stack is deleted', () => {
    for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket']) {
      templateOf(installation.storage).hasResource(type, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
    expect(installation.storage.terminationProtection).toBe(true);
  });
});

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

function statementsOf({ Properties }: Resource): Statement[] {
  return (Properties.PolicyDocument as { Statement: Statement[] }).Statement;
}

describe('rights', () => {
  /** Services that know no resource for these. */
  const global =
    /^(xray:Put|xray:Get|logs:(Create|Get|Update|Delete|List)LogDeliver(y|ies)|logs:(Put|Describe)ResourcePolic|logs:DescribeLogGroups|ecr:GetAuthorizationToken)/;

  it('are never for every action, and for every resource only where there are no others', () => {
    const wide = [installation.pipeline, installation.api].flatMap((stack) =>
      resourcesOf(stack, 'AWS::IAM::Policy')
        .flatMap(statementsOf)
        .filter(({ Resource: on }) => [on].flat().includes('*'))
        .flatMap(({ Action }) => [Action].flat().filter((action) => !global.test(action))),
    );
    expect(wide).toEqual([]);
    const all = [installation.pipeline, installation.api].flatMap((stack) =>
      resourcesOf(stack, 'AWS::IAM::Policy')
        .flatMap(statementsOf)
        .flatMap(({ Action }) => [Action].flat()),
    );
    expect(all.filter((action) => /^\*$|:\*$/.test(action))).toEqual([]);
  });

  it('to start runs and stop builds belong to the tasks that use these ports, directly or through a file they import', () => {
    const tasks = readdirSync(new URL('../../functions/tasks/', import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    const using = (port: RegExp): string[] => tasks.filter((task) => port.test(sourceOf(`functions/tasks/${task}.ts`)));
    expect([...startsRuns].sort()).toEqual(using(/\bworkflows\.(startReconcile|status|stop)\(/));
    expect([...stopsBuilds].sort()).toEqual(using(/\bbuilds\.(running|stop)\(/));
    expect(using(/\bsecrets\.(get|exists|put|list|remove)\(/)).toEqual([]);
  });

  it('to read the values of secrets belong to runners alone', () => {
    const decrypting = resourcesOf(installation.api, 'AWS::IAM::Policy')
      .flatMap(statementsOf)
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')));
    expect(decrypting.map(({ Effect }) => Effect)).toEqual(['Deny']);
  });
});

/** The text of a file with that of every file of functions/ it imports. */
function sourceOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map((match) => join(dirname(file), String(match[1])));
  const ours = imported.filter((path) => /^functions\/(tasks|pipeline|api)\//.test(path));
  return [text, ...ours.map((path) => sourceOf(path, seen))].join('\n');
}
