/** A real Terraform whose state is in the bucket of a platform. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessKeyOf } from '#local/rights/access-key.ts';

export function terraformPresent(): boolean {
  try {
    execFileSync('terraform', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface TerraformWorkspace {
  /** What it printed. */
  apply(): Promise<string>;
  /** Whether a plan finds something to do; the bucket may have another address now. */
  changes(s3: string): Promise<boolean>;
}

export async function terraformOn(s3: string, token: string, directory: string): Promise<TerraformWorkspace> {
  const env = { ...process.env, AWS_ACCESS_KEY_ID: accessKeyOf(token), AWS_SECRET_ACCESS_KEY: 'none' };
  const run = (args: readonly string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      execFile('terraform', [...args, '-no-color', '-input=false'], { cwd: directory, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  const init = async (url: string): Promise<void> => {
    const backend = {
      bucket: 'kubeloom',
      key: 'terraform/test.tfstate',
      region: 'us-east-1',
      use_lockfile: true,
      skip_credentials_validation: true,
      skip_requesting_account_id: true,
      skip_metadata_api_check: true,
      skip_region_validation: true,
      use_path_style: true,
      endpoints: { s3: url },
    };
    const resource = { terraform_data: { thing: { input: 'one' } } };
    const root = { terraform: { backend: { s3: backend } }, resource };
    await writeFile(join(directory, 'main.tf.json'), JSON.stringify(root));
    const { code, output } = await run(['init', '-reconfigure']);
    if (code !== 0) throw new Error(output);
  };
  await mkdir(directory, { recursive: true });
  await init(s3);
  return {
    apply: async () => (await run(['apply', '-auto-approve'])).output,
    async changes(url) {
      await init(url);
      const { code, output } = await run(['plan', '-detailed-exitcode']);
      if (code !== 0 && code !== 2) throw new Error(output);
      return code === 2;
    },
  };
}
