/** Options of an installation: defaults, and every fault at once. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Config } from '#contracts/config.ts';
import { leaseTerm } from '#functions/manifest-store.ts';
import { stateMachineText } from '../../cdk/asl-files.ts';
import { longestBuildMinutes, longestQueueMinutes, parseOptions } from '../../cdk/options.ts';
import { pageWithOptions } from '../../scripts/generate-option-docs.ts';
import { installationOf, runnersOf, variablesOf } from './synthesised.ts';

describe('options', () => {
  it('all options have defaults, and context of the CDK itself is ignored', () => {
    expect(parseOptions({ 'aws:cdk:enable-path-metadata': true, '@aws-cdk/core:x': 1, 'cdk-migrate': false })).toEqual({
      installation: 'kubeloom',
      authorization: 'iam',
      requestsPerSecond: 50,
      requestBurst: 100,
      logDays: 90,
      requireApproval: [],
      ownApprovals: false,
      installationProxy: '',
      budgets: [],
      endlessKubeconfigs: true,
      runDays: 365,
      oldVersionDays: 90,
      tickMinutes: 5,
      runnerSize: 'small',
      runnerMinutes: 60,
      longRunHours: 12,
      dashboard: false,
      keyRotationDays: 2560,
      admins: ['*'],
      runnerCidrs: ['0.0.0.0/0'],
      templateSources: 'git',
      templatePrivateHosts: [],
      templateUrls: [],
      lambdaRunners: ['drift'],
      lambdaCompute: true,
      vaultAudiences: [],
      providers: [],
      repairsPerHour: 10,
      console: false,
      consoleScope: 'openid',
      consoleToken: 'access',
      consoleUrl: '',
      consoleSignInOrigins: [],
    });
  });

  it('an installation that gives out no endless kubeconfigs says so to the API', () => {
    const settingWith = (context: Record<string, unknown>) =>
      variablesOf(installationOf(context).pipeline, 'AWS::Lambda::Function').KUBELOOM_ENDLESS_KUBECONFIGS;
    expect([settingWith({}), settingWith({ endlessKubeconfigs: 'false' })]).toEqual(['yes', 'no']);
  });

  it('the address of the console is what links in notifications begin with, and is an https address', () => {
    const consoleUrl = 'https://d1.cloudfront.net/0.1.0/';
    const { KUBELOOM_CONSOLE_URL: url } = variablesOf(installationOf({ consoleUrl }).pipeline, 'AWS::Lambda::Function');
    expect(url).toBe(consoleUrl);
    for (const wrong of ['http://console.example.com', 'https://x.example/?a', 'https://x.example/#/', 'console'])
      expect(() => parseOptions({ consoleUrl: wrong })).toThrow('consoleUrl');
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
      logDays: 30,
      dashboard: true,
      jwtAudience: ['a', 'b'],
      admins: ['claim:groups=platform', 'user:ann'],
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
      terraform: 90,
      ansible: 90,
      kubeone: 90,
      kubectl: 90,
      drift: 30,
    });
    expect(Object.fromEntries(limits({ runnerMinutes: 20, lambdaRunners: '' })).drift).toBe(20);
  });

  /** Minutes after which the runner of each tool stops its stage. */
  function stageMinutes(options: Parameters<typeof installationOf>[0]): Record<string, number> {
    const rows = runnersOf(installationOf(options).pipeline).map(({ Properties }) => {
      const variables = (Properties.Environment as { EnvironmentVariables: { Name: string; Value: string }[] })
        .EnvironmentVariables;
      const name = String(Properties.Description).replace('Kubeloom runner: ', '');
      return [name, Number(variables.find(({ Name }) => Name === 'KUBELOOM_STAGE_MINUTES')?.Value)] as const;
    });
    return Object.fromEntries(rows);
  }

  it('a runner stops its stage cleanly before its build is killed', () => {
    const options = { runnerMinutes: 90, lambdaRunners: 'drift' };
    expect(stageMinutes(options)).toEqual({ terraform: 85, ansible: 85, kubeone: 85, kubectl: 85, drift: 13 });
    const projects = runnersOf(installationOf(options).pipeline);
    for (const { Properties } of projects.filter(({ Properties }) => Properties.TimeoutInMinutes !== undefined))
      expect(Properties.QueuedTimeoutInMinutes).toBe(longestQueueMinutes);
  });

  it('docs/aws/compute.md has the minutes of a check on Lambda compute and in containers', () => {
    const page = readFileSync(new URL('../../docs/aws/compute.md', import.meta.url), 'utf8');
    expect(page).toContain(`After ${stageMinutes({ lambdaRunners: 'drift' }).drift} minutes it ends`);
    expect(page).toContain(`containers, which give them ${stageMinutes({ lambdaRunners: '' }).drift}.`);
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
    const admins = 'stranger,iam:arn:aws:iam::123456789012:role/ops,claim:groups';
    expect(() => parseOptions({ admins })).toThrow(
      /^2 faults[\s\S]*admins: "stranger" names no one[\s\S]*"claim:groups" names no one/,
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
