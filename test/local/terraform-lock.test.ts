/** Terraform's own lock on the local S3: the reason why it is ours. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { accessKeyOf, guarded, runnerKeyOf } from '#local/access-key.ts';
import { silentLogger } from '#local/logger.ts';
import { openS3 } from '#local/s3/s3-listener.ts';
import { at, listening, refusal, temporaryDirectory } from './clients.ts';

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
const stateKey = 'terraform/team/shop/x.tfstate';

/** `signedAs`: the access key that Terraform signs with. */
async function startWorkspace({ applySeconds = 0, signedAs = accessKey } = {}): Promise<Workspace> {
  const { listener } = await openS3({
    directory: await temporaryDirectory(),
    buckets: ['state'],
    flush: false,
    logger: silentLogger,
  });
  const { url } = await listening(guarded(listener, accessKey));
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
  const env = { ...process.env, AWS_ACCESS_KEY_ID: signedAs, AWS_SECRET_ACCESS_KEY: 'test' };
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
    const { terraform } = await startWorkspace({ signedAs: runnerKeyOf(accessKey, 'terraform') });
    expect(await terraform('apply', '-auto-approve')).toMatchObject({ code: 0 });
    expect(await terraform('destroy', '-auto-approve')).toMatchObject({ code: 0 });
    const check = await startWorkspace({ signedAs: runnerKeyOf(accessKey, 'drift') });
    expect(await check.terraform('plan', '-lock=false')).toMatchObject({ code: 0 });
    const elsewhere = startWorkspace({ signedAs: runnerKeyOf(accessKey, 'kubectl') });
    await expect(elsewhere).rejects.toThrow('StatusCode: 403');
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
