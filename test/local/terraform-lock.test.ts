/** Terraform's own lock on the local S3: the reason why it is ours. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { guarded } from 'aws-on-loopback/server/callers.ts';
import { describe, expect, it } from 'vitest';
import { noPlace } from '#functions/rights/job-rights.ts';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { doorkeeperOf } from '#local/rights/doorkeeper.ts';
import { identityIn, openCredentialsDoor, withoutIdentity } from '#runner/credentials-door.ts';
import { sessionOfGrant } from '#test/fakes/session-of.ts';
import { at, inSession, listening, refusal, temporaryDirectory } from './clients.ts';

const present = (() => {
  try {
    execFileSync('terraform', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Workspace {
  readonly s3: S3Client;
  terraform(...args: string[]): Promise<{ code: number; output: string }>;
}

/** The key of the platform, and states where those of clusters are. */
const accessKey = accessKeyOf('any');
const stateKey = 'terraform/team/shop/shop-1234567/x.tfstate';

/** The session of a build of that cluster. */
const sessionFor = (tool: RunnerTool, cluster = 'shop-1234567') => {
  const place = { ...noPlace, namespace: 'team', manifest: 'shop', cluster };
  const { credentials } = inSession(accessKey, sessionOfGrant({ tool, place, secrets: [], copies: [] }));
  return { signedAs: credentials.accessKeyId, sessionToken: credentials.sessionToken };
};

/** `signedAs`: the access key that Terraform signs with, and its session token, if it has one. */
async function startWorkspace({
  applySeconds = 0,
  signedAs = accessKey,
  sessionToken = '',
  environment,
}: {
  readonly applySeconds?: number;
  readonly signedAs?: string;
  readonly sessionToken?: string;
  /** In place of keys. */
  readonly environment?: Readonly<Record<string, string>>;
} = {}): Promise<Workspace> {
  const { listener } = await openS3({
    directory: await temporaryDirectory(),
    buckets: ['state'],
    flush: false,
    logger: silentLogger,
  });
  const { url } = await listening(guarded(listener, doorkeeperOf(accessKey)));
  const directory = await temporaryDirectory();
  await mkdir(directory, { recursive: true });
  const backend = {
    bucket: 'state',
    key: stateKey,
    region: 'us-east-1',
    use_lockfile: true,
    use_path_style: true,
    skip_credentials_validation: true,
    skip_requesting_account_id: true,
    skip_metadata_api_check: true,
    skip_region_validation: true,
    endpoints: { s3: url },
  };
  const command = `sleep ${applySeconds}`;
  const slow = { 'local-exec': { command } };
  await writeFile(
    join(directory, 'main.tf.json'),
    JSON.stringify({
      terraform: { backend: { s3: backend } },
      resource: { terraform_data: { thing: { input: 'one', ...(applySeconds > 0 && { provisioner: slow }) } } },
    }),
  );
  const keys = { AWS_ACCESS_KEY_ID: signedAs, AWS_SECRET_ACCESS_KEY: 'test', AWS_SESSION_TOKEN: sessionToken };
  const env = { ...withoutIdentity(process.env), ...(environment ?? keys) };
  const terraform: Workspace['terraform'] = (...args) =>
    new Promise((resolve) => {
      execFile('terraform', [...args, '-no-color'], { cwd: directory, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  const { code, output } = await terraform('init', '-input=false');
  if (code !== 0) throw new Error(output);
  return { s3: new S3Client({ ...at(url, 'any'), forcePathStyle: true }), terraform };
}

// On CI a missing tool is a failure, not a skip.
describe.skipIf(!present && process.env.CI !== 'true')('Terraform on the local S3', () => {
  it('an apply keeps its state in S3 and releases its lock', async () => {
    const { s3, terraform } = await startWorkspace();
    const { code, output } = await terraform('apply', '-auto-approve');
    expect([code, output]).toEqual([0, expect.stringContaining('1 added')]);
    const state = await s3.send(new GetObjectCommand({ Bucket: 'state', Key: stateKey }));
    expect(await state.Body?.transformToString()).toContain('terraform_data');
    const lock = await refusal(s3.send(new GetObjectCommand({ Bucket: 'state', Key: `${stateKey}.tflock` })));
    expect(lock).toBeInstanceOf(NoSuchKey);
  });

  it('Terraform works with what its runner may do to objects, and a check of drift with what it may read', async () => {
    const { terraform } = await startWorkspace(sessionFor('terraform'));
    expect(await terraform('apply', '-auto-approve')).toMatchObject({ code: 0 });
    expect(await terraform('destroy', '-auto-approve')).toMatchObject({ code: 0 });
    const check = await startWorkspace(sessionFor('drift'));
    expect(await check.terraform('plan', '-lock=false')).toMatchObject({ code: 0 });
    await expect(startWorkspace(sessionFor('kubectl'))).rejects.toThrow('StatusCode: 403');
    await expect(startWorkspace(sessionFor('terraform', 'shop-7654321'))).rejects.toThrow('StatusCode: 403');
  });

  it('Terraform takes the credentials of its backend from the door of the runner, and again when they have ended', async () => {
    const place = { ...noPlace, namespace: 'team', manifest: 'shop', cluster: 'shop-1234567' };
    let asked = 0;
    const around: Record<string, string | undefined> = {};
    await openCredentialsDoor(async () => {
      asked += 1;
      const session = sessionOfGrant({ tool: 'terraform', place, secrets: [], copies: [] });
      const { accessKeyId, secretAccessKey, sessionToken } = inSession(accessKey, session).credentials;
      // Shorter than the apply takes.
      return { accessKeyId, secretAccessKey, sessionToken, expiresAt: new Date(Date.now() + 1000).toISOString() };
    }, around);
    const { terraform } = await startWorkspace({ applySeconds: 2, environment: identityIn(around) });
    asked = 0;
    expect(await terraform('apply', '-auto-approve')).toMatchObject({ code: 0 });
    expect(asked).toBeGreaterThan(1);
  });

  it('an apply is refused while another holds the lock', async () => {
    const { s3, terraform } = await startWorkspace();
    const Body = JSON.stringify({ ID: 'foreign', Who: 'someone else', Operation: 'OperationTypeApply' });
    await s3.send(new PutObjectCommand({ Bucket: 'state', Key: `${stateKey}.tflock`, Body }));
    const { code, output } = await terraform('plan');
    expect([code, output]).toEqual([1, expect.stringMatching(/Error acquiring the state lock[\s\S]*someone else/)]);
  });

  it('one of two concurrent applies continues, and the other is refused', async () => {
    const { terraform } = await startWorkspace({ applySeconds: 2 });
    const runs = await Promise.all([terraform('apply', '-auto-approve'), terraform('apply', '-auto-approve')]);
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(runs.find(({ code }) => code === 1)?.output).toContain('Error acquiring the state lock');
  });
});
