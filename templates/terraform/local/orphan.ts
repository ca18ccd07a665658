/** Hook of the runner: hosts that a user orphans are never removed again, except by `kubeloom-host gc --all`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { installation, cluster, provider, resources } = JSON.parse(readFileSync(0, 'utf8'));
for (const { address, index } of resources as readonly { address: string; index?: unknown }[]) {
  if (!/\.host\["[^"]+"\]$/.test(address)) continue;
  const host = ['--installation', installation, '--cluster', cluster, '--provider', provider, '--host', String(index)];
  const result = spawnSync(process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host', ['release', ...host], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}
