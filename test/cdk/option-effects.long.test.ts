/** What options of an installation change in its stacks. */
import { describe, expect, it } from 'vitest';
import { stageMarginMinutes } from '#contracts/job.ts';
import { passesGateway } from '#contracts/operations/operation.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { RunWork } from '#contracts/stage.ts';
import { overdueSeconds } from '#functions/pipeline/runs/stop-requests.ts';
import { usualGraceMs } from '#runner/job-frame.ts';
import { applyGraceMs } from '#runner/terraform/cli/terraform-cli.ts';
import { now, stageTimes } from '../../bench/cost/model.ts';
import { lambdaMarginMinutes } from '../../cdk/constructs/runner-compute.ts';
import { parseOptions } from '../../cdk/options.ts';
import {
  actionsOf,
  installationOf,
  resourcesOf,
  roleId,
  runnersOf,
  statementsOf,
  templateOf,
  variablesOf,
} from './synthesised.ts';

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
      runnerSize: 'large',
      lambdaRunners: '',
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
      KUBELOOM_RUNNER_CIDRS: '192.0.2.0/24',
      KUBELOOM_TEMPLATE_PRIVATE_HOSTS: 'git.example:8443',
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

  /** To store state, facts, result and log of a stage once its tool has ended; the cloud may be slow at that. */
  const storeSeconds = 30;

  it('the time that a stopped apply gets ends before a build that was asked to stop is stopped', () => {
    // Requests are read every few seconds.
    expect(5 + applyGraceMs / 1000 + storeSeconds).toBeLessThan(overdueSeconds);
  });

  it.each(RunWork.options)(
    'a build of %s is killed only after its tool was stopped in order and all is stored',
    (stage) => {
      // Its time counts from its start, that of the runner from the start of the program: images are loaded in between, at half the speed.
      const { before, queued, after } = stageTimes(stage, { ...now, plugins: 'image', checksOn: 'container' });
      const around = 2 * (before - queued) + after;
      expect(around + applyGraceMs / 1000 + storeSeconds).toBeLessThan(stageMarginMinutes * 60);
    },
  );

  it('a build on Lambda compute is killed only after its tool was stopped in order and all is stored', () => {
    const { before, queued, after } = stageTimes('drift', { ...now, checksOn: 'lambda' });
    const around = 2 * (before - queued) + after;
    expect(around + usualGraceMs / 1000 + storeSeconds).toBeLessThan(lambdaMarginMinutes * 60);
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
