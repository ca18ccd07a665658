/** The host that Terraform looks for plugins without one: it says so itself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function defaultRegistryHost(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'kubeloom-host-'));
  try {
    const required_providers = { cloud: { source: 'kubeloom/cloud' } };
    writeFileSync(join(cwd, 'main.tf.json'), JSON.stringify({ terraform: { required_providers } }));
    const env = { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null' };
    const reported = execFileSync('terraform', ['providers'], { cwd, env, encoding: 'utf8' });
    return /provider\[([^/]+)\/kubeloom\/cloud\]/.exec(reported)?.[1] ?? '';
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
