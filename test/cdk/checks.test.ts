/** The rules of cdk-nag, and that they are really looked at. */
import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import { addChecks } from '../../cdk/checks.ts';
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

it('the checks stop the synthesis when a rule is broken', () => {
  const app = new App({ builtinCloudFormationValidation: false });
  new Bucket(new Stack(app, 'Any'), 'Careless');
  addChecks(app);
  expect(() => app.synth()).toThrow();
});
