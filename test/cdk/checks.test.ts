/** The rules of cdk-nag, and that they are really applied. */
import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { expect, it } from 'vitest';
import { addChecks } from '../../cdk/checks.ts';
import settings from '../../cdk.json' with { type: 'json' };
import { installationOf } from './synthesised.ts';

function checked(context: Readonly<Record<string, unknown>> = {}) {
  const made = installationOf(context);
  addChecks(made.app);
  return made;
}

it('the checks find nothing in an installation, by default and with every switch', () => {
  expect(() => checked().app.synth()).not.toThrow();
  const jwt = { authorization: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'kubeloom', admins: 'user:ann' };
  expect(() =>
    checked({ ...jwt, dashboard: true, alarmEmail: 'ops@example.com', lambdaRunners: 'kubectl,drift' }).app.synth(),
  ).not.toThrow();
  expect(() => checked({ ...jwt, console: true, consoleClientId: 'kubeloom-console' }).app.synth()).not.toThrow();
});

it('each feature flag of the CDK has a value, so that another release of it changes no template by a default', () => {
  const set = Object.keys(settings.context);
  // Those that should be off are off where they have no value.
  const recommended = Object.entries(CURRENTLY_RECOMMENDED_FLAGS).filter(([, value]) => value !== false);
  expect(recommended.map(([flag]) => flag).filter((flag) => !set.includes(flag))).toEqual([]);
});

it('the checks stop the synthesis when a rule is broken', () => {
  const app = new App({ builtinCloudFormationValidation: false });
  new Bucket(new Stack(app, 'Any'), 'Careless');
  addChecks(app);
  expect(() => app.synth()).toThrow();
});
