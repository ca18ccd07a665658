/** Options of an installation: defaults, and every fault at once. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Config } from '#contracts/config.ts';
import { passesGateway } from '#contracts/operations/operation.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { leaseTerm } from '#functions/pipeline/runs/lease-term.ts';
import { overdueSeconds } from '#functions/pipeline/runs/stop-requests.ts';
import { applyGraceMs } from '#runner/terraform/terraform-cli.ts';
import { stateMachineText } from '../../cdk/asl-files.ts';
import { marginMinutes } from '../../cdk/constructs/runner-compute.ts';
import { longestBuildMinutes, longestQueueMinutes, parseOptions } from '../../cdk/options.ts';
import { pageWithOptions } from '../../scripts/generate-option-docs.ts';
import { actionsOf, installationOf, resourcesOf, roleId, runnersOf, statementsOf, templateOf } from './synthesised.ts';

function variablesOf(stack: Parameters<typeof resourcesOf>[0], type: string): Readonly<Record<string, unknown>> {
  const [first] = resourcesOf(stack, type);
  const environment = first?.Properties.Environment as { Variables: Record<string, unknown> } | undefined;
  return environment?.Variables ?? {};
}

describe('options', () => {
  it('all options have defaults, and context of the CDK itself is ignored', () => {
    expect(parseOptions({ 'aws:cdk:enable-path-metadata': true, '@aws-cdk/core:x': 1, 'cdk-migrate': false })).toEqual({
      ...{ installation: 'kubeloom', authorization: 'iam', requestsPerSecond: 50, requestBurst: 100, logDays: 90 },
      ...{ requireApproval: [], budgets: [] },
      ...{ runDays: 365, oldVersionDays: 90, tickMinutes: 5, runnerSize: 'small', runnerMinutes: 60, longRunHours: 12 },
      ...{ dashboard: false, keyRotationDays: 2560, admins: ['*'], runnerCidrs: ['0.0.0.0/0'], templateSources: 'git' },
      ...{
        templatePrivateHosts: [],
        templateUrls: [],
        lambdaRunners: ['drift'],
        lambdaCompute: true,
        vaultAudiences: [],
        providers: [],
      },
      ...{ repairsPerHour: 10, console: false, consoleScope: 'openid', consoleToken: 'access' },
      consoleSignInOrigins: [],
    });
  });

  it('healing replaces as many machines an hour as the option says', () => {
    const variables = variablesOf(installationOf({ repairsPerHour: '3' }).pipeline, 'AWS::Lambda::Function');
    expect(variables.KUBELOOM_REPAIRS_PER_HOUR).toBe('3');
    expect(() => parseOptions({ repairsPerHour: -1 })).toThrow('repairsPerHour');
  });

  it('an installation offers the types of clouds that the option names', () => {
    const typesWith = (context: Record<string, unknown>) =>
      variablesOf(installationOf(context).pipeline, 'AWS::Lambda::Function').KUBELOOM_PROVIDER_TYPES;
    expect(typesWith({ providers: 'hetzner, aws' })).toBe('aws,hetzner,sim');
    expect(typesWith({})).toContain('azure');
  });

  it('a type of cloud that does not exist is refused with those that do', () => {
    expect(() => parseOptions({ providers: 'hetzner,nowhere' })).toThrow(/providers: "nowhere" is no type .*hetzner/);
  });

  it('options of the command line are read from text', () => {
    const given = {
      logDays: '30',
      dashboard: 'true',
      authorization: 'jwt',
      jwtIssuer: 'https://id.example',
      jwtAudience: 'a, b',
      admins: 'claim:groups=platform, user:ann',
      runnerCidrs: '192.0.2.0/24,198.51.100.0/24',
    };
    expect(parseOptions(given)).toMatchObject({
      ...{ logDays: 30, dashboard: true, jwtAudience: ['a', 'b'], admins: ['claim:groups=platform', 'user:ann'] },
      runnerCidrs: ['192.0.2.0/24', '198.51.100.0/24'],
    });
  });

  it('runnerMinutes limits builds, and those that only read to half an hour', () => {
    const limits = (context: Record<string, unknown>) =>
      runnersOf(installationOf(context).pipeline).map(({ Properties }) => [
        String(Properties.Description).replace('Kubeloom runner: ', ''),
        Properties.TimeoutInMinutes,
      ]);
    expect(Object.fromEntries(limits({ runnerMinutes: 90, lambdaRunners: '' }))).toEqual({
      ...{ terraform: 90, ansible: 90, kubeone: 90, kubectl: 90, drift: 30 },
    });
    expect(Object.fromEntries(limits({ runnerMinutes: 20, lambdaRunners: '' })).drift).toBe(20);
  });

  it('a runner stops its stage cleanly before its build is killed', () => {
    const projects = runnersOf(installationOf({ runnerMinutes: 90, lambdaRunners: 'drift' }).pipeline);
    const stageMinutes = projects.map(({ Properties }) => {
      const variables = (Properties.Environment as { EnvironmentVariables: { Name: string; Value: string }[] })
        .EnvironmentVariables;
      const name = String(Properties.Description).replace('Kubeloom runner: ', '');
      return [name, Number(variables.find(({ Name }) => Name === 'KUBELOOM_STAGE_MINUTES')?.Value)];
    });
    expect(Object.fromEntries(stageMinutes)).toEqual({
      terraform: 87,
      ansible: 87,
      kubeone: 87,
      kubectl: 87,
      drift: 13,
    });
    for (const { Properties } of projects.filter(({ Properties }) => Properties.TimeoutInMinutes !== undefined))
      expect(Properties.QueuedTimeoutInMinutes).toBe(longestQueueMinutes);
  });

  it('each build is shorter than the state that waits for it, with its time in the queue', () => {
    const machine = JSON.parse(stateMachineText('run-stage')) as {
      States: Record<string, { TimeoutSeconds?: number }>;
    };
    const waits = Number(machine.States['Run Tool']?.TimeoutSeconds) / 60;
    const marginMinutes = 10;
    expect(waits).toBeGreaterThan(longestQueueMinutes + longestBuildMinutes + marginMinutes);
    expect(parseOptions({ runnerMinutes: longestBuildMinutes })).toMatchObject({ runnerMinutes: longestBuildMinutes });
    expect(() => parseOptions({ runnerMinutes: longestBuildMinutes + 1 })).toThrow(/runnerMinutes/);
  });

  it('the tick is more frequent than the time between a due lease and its end', () => {
    const now = new Date('2026-11-20T12:00:00Z');
    const lease = Config.shape.KUBELOOM_LEASE_SECONDS.parse(undefined);
    const { dueAt, expiresAt } = leaseTerm(now, lease);
    const window = (Date.parse(expiresAt) - Date.parse(dueAt)) / 60_000;
    const slowest = 20;
    expect(parseOptions({ tickMinutes: slowest })).toMatchObject({ tickMinutes: slowest });
    expect(() => parseOptions({ tickMinutes: slowest + 1 })).toThrow(/tickMinutes/);
    expect(slowest).toBeLessThan(window);
  });

  it('only regions of the commercial partition are accepted, as the state machines need', () => {
    for (const region of ['cn-north-1', 'us-gov-west-1', 'us-iso-east-1'])
      expect(() => parseOptions({ region })).toThrow(/region: .*partition/);
    for (const region of ['eu-central-1', 'us-east-1', 'ap-southeast-2', 'me-south-1', 'il-central-1'])
      expect(parseOptions({ region })).toMatchObject({ region });
  });

  it.each(['aws', 'aws-prod', 'ssm1'])(
    'the installation %s is refused, because Parameter Store would refuse its Secrets',
    (installation) => {
      expect(() => parseOptions({ installation })).toThrow(/installation: must not begin with "aws" or "ssm"/);
      expect(parseOptions({ installation: 'prod-aws' })).toMatchObject({ installation: 'prod-aws' });
    },
  );

  it('options are refused with every fault at once, and the name that was meant', () => {
    const given = {
      installation: 'Big',
      logDays: 2,
      tickMinuts: 5,
      colour: 'red',
      account: '12',
      authorization: 'jwt',
      runnerCidrs: '10.0.0.0/8,somewhere',
      lambdaRunners: 'kubectl,ansible',
      templateSources: 'builtin',
      templatePrivateHosts: 'git.example',
    };
    let message = '';
    try {
      parseOptions(given);
    } catch (error) {
      message = (error as Error).message;
    }
    const [title, ...faults] = message.split('\n').map((line) => line.trim());
    expect(title).toMatch(/^11 faults in the options/);
    expect(faults.sort()).toEqual([
      'account: must be the 12 digits of an account',
      'admins: is needed with authorization=jwt; * makes every caller with a token an admin',
      'colour: there is no such option',
      'installation: must be 1 to 20 lower-case letters, digits and dashes',
      'jwtAudience: is needed with authorization=jwt',
      'jwtIssuer: is needed with authorization=jwt',
      'lambdaRunners: "ansible" cannot: only kubectl, drift stay below 15 minutes',
      expect.stringMatching(/^logDays: must be one of 1, 3, 5/),
      'runnerCidrs: "somewhere" is not an IPv4 network such as 192.0.2.0/24',
      'templatePrivateHosts: is for templateSources=git only; set that, or leave it out',
      'tickMinuts: there is no such option; did you mean tickMinutes?',
    ]);
  });

  it('options of tokens are refused when requests are signed', () => {
    expect(() => parseOptions({ jwtIssuer: 'https://id.example' })).toThrow('jwtIssuer: is for authorization=jwt only');
  });
});

it('each option is in docs/aws/deploy.md (`node scripts/generate-option-docs.ts` writes it)', () => {
  const page = readFileSync(new URL('../../docs/aws/deploy.md', import.meta.url), 'utf8');
  expect(page).toBe(pageWithOptions(page));
});

describe('first admins', () => {
  it('the first admins are those that the option names, each of them validated', () => {
    const admins = 'nobody,iam:arn:aws:iam::123456789012:role/ops,claim:groups';
    expect(() => parseOptions({ admins })).toThrow(
      /^2 faults[\s\S]*admins: "nobody" names no one[\s\S]*"claim:groups" names no one/,
    );
    expect(() => parseOptions({ admins: ' , ' })).toThrow('admins: names no one; write * for every caller');
  });

  it('the first admins are passed to functions and not to runners', () => {
    const { api, pipeline } = installationOf({ admins: 'iam:arn:aws:iam::123456789012:role/ops' });
    expect(variablesOf(api, 'AWS::Lambda::Function')).toMatchObject({
      KUBELOOM_ADMINS: 'iam:arn:aws:iam::123456789012:role/ops',
    });
    const [runner] = runnersOf(pipeline);
    expect(JSON.stringify(runner)).not.toContain('KUBELOOM_ADMINS');
  });
});

describe('what options change', () => {
  it('authorization=jwt accepts tokens of the issuer instead of signatures', () => {
    const tokens = { jwtIssuer: 'https://id.example', jwtAudience: 'kubeloom', admins: 'user:ann' };
    const { api } = installationOf({ authorization: 'jwt', ...tokens });
    templateOf(api).hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://id.example', Audience: ['kubeloom'] },
    });
    const types = resourcesOf(api, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.AuthorizationType);
    expect(new Set(types)).toEqual(new Set(['JWT', 'NONE']));
    expect(types.filter((type) => type === 'NONE')).toHaveLength(
      operationList.filter(({ access }) => passesGateway(access)).length,
    );
  });

  it('options change dashboard, e-mail, size of runners, days of logs, throttling and account', () => {
    const given = {
      dashboard: true,
      alarmEmail: 'ops@example.com',
      ...{ runnerSize: 'large', lambdaRunners: '' },
      logDays: 30,
      requestsPerSecond: 5,
    };
    const { observability, pipeline, api } = installationOf({ ...given, account: '123456789012', region: 'eu-west-1' });
    templateOf(observability).resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    templateOf(observability).hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    for (const { Properties } of runnersOf(pipeline))
      expect(Properties.Environment).toMatchObject({ ComputeType: 'BUILD_GENERAL1_LARGE' });
    for (const { Properties } of [pipeline, api].flatMap((stack) => resourcesOf(stack, 'AWS::Logs::LogGroup')))
      expect(Properties.RetentionInDays).toBe(30);
    templateOf(api).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 5 },
    });
    expect(pipeline.account).toBe('123456789012');
  });

  it('apiConcurrency sets calls at once apart for the API alone, and is not set by default', () => {
    const reserved = (given: Readonly<Record<string, string>>): readonly unknown[] => {
      const { api, pipeline } = installationOf(given);
      return [api, pipeline].map((stack) =>
        resourcesOf(stack, 'AWS::Lambda::Function').flatMap(
          ({ Properties }) => Properties.ReservedConcurrentExecutions ?? [],
        ),
      );
    };
    expect(reserved({})).toEqual([[], []]);
    expect(reserved({ apiConcurrency: '40' })).toEqual([[40], []]);
    expect(() => parseOptions({ apiConcurrency: '0' })).toThrow(/apiConcurrency: .*1/);
  });

  it('options of templates and networks reach functions and runners alike', () => {
    const given = { runnerCidrs: '192.0.2.0/24', templatePrivateHosts: 'git.example:8443' };
    const { api, pipeline } = installationOf(given);
    const wanted = {
      ...{ KUBELOOM_RUNNER_CIDRS: '192.0.2.0/24', KUBELOOM_TEMPLATE_PRIVATE_HOSTS: 'git.example:8443' },
      KUBELOOM_TEMPLATE_SOURCES: 'git',
    };
    expect(variablesOf(api, 'AWS::Lambda::Function')).toMatchObject(wanted);
    for (const { Properties } of runnersOf(pipeline)) {
      const { EnvironmentVariables } = Properties.Environment as { EnvironmentVariables: { Name: string }[] };
      for (const [Name, Value] of Object.entries(wanted))
        expect(EnvironmentVariables).toContainEqual({ Name, Value, Type: 'PLAINTEXT' });
    }
  });

  it('lambdaRunners runs tools on Lambda compute, within its limits and with rights to the image', () => {
    const { pipeline } = installationOf({ lambdaRunners: 'kubectl', runnerSize: 'medium' });
    const projects = runnersOf(pipeline).map(({ Properties }) => Properties);
    const types = projects.map(({ Description, Environment, TimeoutInMinutes }) => {
      const { Type, ComputeType, ImagePullCredentialsType } = Environment as Record<string, string>;
      return [Description, Type, ComputeType, ImagePullCredentialsType, TimeoutInMinutes];
    });
    const size = ['ARM_CONTAINER', 'BUILD_GENERAL1_MEDIUM', 'SERVICE_ROLE'];
    const container = [...size, 60];
    expect(types).toEqual([
      ['Kubeloom runner: terraform', ...container],
      ['Kubeloom runner: ansible', ...container],
      ['Kubeloom runner: kubeone', ...container],
      ['Kubeloom runner: kubectl', 'ARM_LAMBDA_CONTAINER', 'BUILD_LAMBDA_4GB', 'SERVICE_ROLE', undefined],
      ['Kubeloom runner: drift', ...size, 30],
    ]);
    const [terraform, , , kubectl] = projects.map(({ Source }) => String((Source as { BuildSpec: string }).BuildSpec));
    expect(JSON.parse(terraform ?? '')).toMatchObject({ 'run-as': 'node' });
    expect(JSON.parse(kubectl ?? '')).not.toHaveProperty('run-as');
    const role = statementsOf(pipeline, roleId(projects[3]?.ServiceRole));
    expect(actionsOf(role)).toEqual(expect.arrayContaining(['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer']));
  });

  it('checks for drift are on Lambda compute by default: in a project of its own, with fewer Terraforms at once', () => {
    const checks = (context: Record<string, unknown>) => {
      const found = templateOf(installationOf(context).pipeline).findResources('AWS::CodeBuild::Project', {
        Properties: { Description: 'Kubeloom runner: drift' },
      });
      return Object.entries(found).map(([id, { Properties }]) => {
        const { ComputeType, EnvironmentVariables } = Properties.Environment as {
          ComputeType: string;
          EnvironmentVariables: { Name: string; Value: string }[];
        };
        const atOnce = EnvironmentVariables.find(({ Name }) => Name === 'KUBELOOM_TERRAFORM_WORKSPACES')?.Value;
        return { id, ComputeType, atOnce };
      });
    };
    const [onLambda, inContainer, large] = [{}, { lambdaRunners: '' }, { runnerSize: 'large' }].flatMap(checks);
    expect(onLambda).toMatchObject({ ComputeType: 'BUILD_LAMBDA_2GB', atOnce: '2' });
    expect(inContainer).toMatchObject({ ComputeType: 'BUILD_GENERAL1_SMALL', atOnce: undefined });
    expect(large).toMatchObject({ ComputeType: 'BUILD_LAMBDA_8GB', atOnce: '6' });
    // CodeBuild refuses time limits there, and a project that is changed keeps its own.
    expect(onLambda?.id).not.toBe(inContainer?.id);
    // What another stack imports cannot go: the option can change either way in an installation that exists.
    const kept = (context: Record<string, unknown>) =>
      Object.keys(templateOf(installationOf(context).pipeline).findOutputs('*')).filter((name) =>
        /drift(Lambda)?Project/.test(name),
      );
    expect(kept({})).toHaveLength(4);
    expect(kept({ lambdaRunners: '' }).sort()).toEqual(kept({}).sort());
  });

  it('the time that a stopped apply gets is within what its build has left, and before the build is stopped', () => {
    // Requests are read every few seconds, and what the stage found is stored at the end.
    expect(applyGraceMs / 1000 + 30).toBeLessThan(Math.min(overdueSeconds, marginMinutes * 60));
  });

  it('lambdaCompute=false makes no project on Lambda compute, which some regions do not have', () => {
    const projects = templateOf(installationOf({ lambdaCompute: 'false' }).pipeline).findResources(
      'AWS::CodeBuild::Project',
    );
    const types = Object.values(projects).map(({ Properties }) => Properties.Environment.ComputeType);
    expect(types.length).toBeGreaterThan(3);
    expect(new Set(types)).toEqual(new Set(['BUILD_GENERAL1_SMALL']));
    expect(() => parseOptions({ lambdaCompute: 'false', lambdaRunners: 'drift' })).toThrow(
      'lambdaRunners: needs lambdaCompute=true; leave one of them out',
    );
  });

  it('runnerSize=medium is a size that arm64 has', () => {
    expect(() => installationOf({ runnerSize: 'medium' })).not.toThrow();
  });
});
