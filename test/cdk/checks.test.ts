/** The rules of cdk-nag, and that they are really looked at. */
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import { installationOf } from './synthesised.ts';

it('finds nothing in an installation, by default and with every switch', () => {
  expect(() => installationOf().app.synth()).not.toThrow();
  const jwt = { authorization: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'kubeloom' };
  expect(() => installationOf({ ...jwt, dashboard: true, alarmEmail: 'ops@example.com' }).app.synth()).not.toThrow();
});

it('stops the synthesis when a rule is broken', () => {
  const { app, api } = installationOf();
  new Bucket(api, 'Careless');
  expect(() => app.synth()).toThrow();
});
