/** Options of an installation: defaults, and every fault at once. */
import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../cdk/options.ts';
import { installationOf, resourcesOf, templateOf } from './synthesised.ts';

describe('options', () => {
  it('all have defaults; context of the CDK itself is none of ours', () => {
    expect(parseOptions({ 'aws:cdk:enable-path-metadata': true, '@aws-cdk/core:x': 1, 'cdk-migrate': false })).toEqual({
      ...{ installation: 'kubeloom', authorization: 'iam', requestsPerSecond: 50, requestBurst: 100, logDays: 90 },
      ...{ runDays: 365, oldVersionDays: 90, tickMinutes: 5, runnerSize: 'small', runnerMinutes: 60, longRunHours: 12 },
      dashboard: false,
    });
  });

  it('come from the command line as text', () => {
    const given = {
      logDays: '30',
      dashboard: 'true',
      authorization: 'jwt',
      jwtIssuer: 'https://id.example',
      jwtAudience: 'a, b',
    };
    expect(parseOptions(given)).toMatchObject({ logDays: 30, dashboard: true, jwtAudience: ['a', 'b'] });
  });

  it('are refused with every fault at once, and the name that was meant', () => {
    const given = {
      installation: 'Big',
      logDays: 2,
      tickMinuts: 5,
      colour: 'red',
      account: '12',
      authorization: 'jwt',
    };
    let message = '';
    try {
      parseOptions(given);
    } catch (error) {
      message = (error as Error).message;
    }
    const [title, ...faults] = message.split('\n').map((line) => line.trim());
    expect(title).toMatch(/^7 faults in the options/);
    expect(faults.sort()).toEqual([
      'account: must be the 12 digits of an account',
      'colour: there is no such option',
      'installation: must be 1 to 20 lower-case letters, digits and dashes',
      'jwtAudience: is needed with authorization=jwt',
      'jwtIssuer: is needed with authorization=jwt',
      expect.stringMatching(/^logDays: must be one of 1, 3, 5/),
      'tickMinuts: there is no such option; did you mean tickMinutes?',
    ]);
  });

  it('of tokens are refused where requests are signed', () => {
    expect(() => parseOptions({ jwtIssuer: 'https://id.example' })).toThrow('jwtIssuer: is for authorization=jwt only');
  });
});

describe('what options change', () => {
  it('authorization=jwt: tokens of the issuer instead of signatures', () => {
    const { api } = installationOf({ authorization: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'kubeloom' });
    templateOf(api).hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://id.example', Audience: ['kubeloom'] },
    });
    const types = resourcesOf(api, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.AuthorizationType);
    expect(new Set(types)).toEqual(new Set(['JWT', 'NONE']));
    expect(types.filter((type) => type === 'NONE')).toHaveLength(1);
  });

  it('dashboard, e-mail, size of runners, days of logs, throttling, account', () => {
    const given = {
      dashboard: true,
      alarmEmail: 'ops@example.com',
      runnerSize: 'large',
      logDays: 30,
      requestsPerSecond: 5,
    };
    const { observability, pipeline, api } = installationOf({ ...given, account: '123456789012', region: 'eu-west-1' });
    templateOf(observability).resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    templateOf(observability).hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    for (const { Properties } of resourcesOf(pipeline, 'AWS::CodeBuild::Project'))
      expect(Properties.Environment).toMatchObject({ ComputeType: 'BUILD_GENERAL1_LARGE' });
    for (const { Properties } of [pipeline, api].flatMap((stack) => resourcesOf(stack, 'AWS::Logs::LogGroup')))
      expect(Properties.RetentionInDays).toBe(30);
    templateOf(api).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 5 },
    });
    expect(pipeline.account).toBe('123456789012');
  });

  it('runnerSize=medium is a size that arm64 has', () => {
    expect(() => installationOf({ runnerSize: 'medium' })).not.toThrow();
  });
});
