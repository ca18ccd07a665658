/** Hook of the runner: removes everything of the provider instance that is still on the machine, known to Terraform or not. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { installation, cluster, provider, kind } = JSON.parse(readFileSync(0, 'utf8')) as Record<string, string>;
if (kind === 'machines') {
  const scope = ['--installation', `${installation}`, '--cluster', `${cluster}`, '--provider', `${provider}`];
  const result = spawnSync(process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host', ['gc', ...scope], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.error !== undefined) throw result.error;
  process.exit(result.status ?? 1);
}
