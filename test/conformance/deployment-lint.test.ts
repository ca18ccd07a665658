/** What is deployed, read by linters of others: CloudFormation's templates by cfn-lint, the Dockerfile by hadolint. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { installationOf, templateOf } from '#test/cdk/synthesised.ts';
import { conformancePython } from './moto-server.ts';

const dockerfile = fileURLToPath(new URL('../../runner-images/Dockerfile', import.meta.url));
/** What a region has decides what is valid there. */
const regions = ['us-east-1', 'eu-central-1', 'eu-west-1', 'ap-southeast-1'];

const jwt = { authorization: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'kubeloom', admins: 'user:ann' };
const everySwitch = { dashboard: true, alarmEmail: 'ops@example.com', lambdaRunners: 'kubectl' };
const ofAnAccount = { installation: 'prod', account: '123456789012', region: 'eu-central-1' };

function run(program: string, args: readonly string[]): { readonly status: number | null; readonly reported: string } {
  const found = spawnSync(join(dirname(conformancePython()), program), args, { encoding: 'utf8' });
  if (found.error) throw found.error;
  return { status: found.status, reported: `${found.stdout}${found.stderr}`.trim() };
}

/** The stacks of an installation as files. */
function written(context: Readonly<Record<string, unknown>>): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-cfn-lint-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { app: _, ...stacks } = installationOf(context);
  return Object.entries(stacks).map(([name, stack]) => {
    const file = join(directory, `${name}.json`);
    writeFileSync(file, JSON.stringify(templateOf(stack).toJSON()));
    return file;
  });
}

/**
 * Warnings that are not asked for. W3005: CDK names a role among what a resource depends on next to its policies, although the resource refers
 * to it. W6001: the address of the API is an output of the stack `api`, where people look for it, and made in another one.
 */
const unasked = ['W3005', 'W6001'];
const lintTemplates = (files: readonly string[]) =>
  run('cfn-lint', ['--ignore-checks', ...unasked, '--regions', ...regions, '--', ...files]);

it.each([
  ['by default', {}],
  ['with every switch and tokens of an issuer', { ...jwt, ...everySwitch }],
  ['for a named account and region', ofAnAccount],
])('cfn-lint finds nothing in the templates of an installation %s', (_, context) => {
  expect(lintTemplates(written(context))).toEqual({ status: 0, reported: '' });
});

it('cfn-lint finds a fault that is planted in a template', () => {
  const [file = ''] = written({});
  writeFileSync(
    file,
    JSON.stringify({ Resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketNam: 'x' } } } }),
  );
  const { status, reported } = lintTemplates([file]);
  expect(status).not.toBe(0);
  expect(reported).toContain('BucketNam');
});

it('hadolint finds nothing in the Dockerfile but packages without a version', () => {
  expect(run('hadolint', ['--ignore', 'DL3008', dockerfile])).toEqual({ status: 0, reported: '' });
});

it('hadolint finds a fault that is planted in a Dockerfile', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-hadolint-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'Dockerfile');
  writeFileSync(file, 'FROM debian:latest\nRUN cd /tmp && sudo true\n');
  const { status, reported } = run('hadolint', [file]);
  expect(status).not.toBe(0);
  expect(reported).toMatch(/DL3007/);
});
