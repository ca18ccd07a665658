/** One command of the hosts' helper for each machine that the runner names. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface HookInput {
  readonly installation: string;
  readonly cluster: string;
  readonly provider: string;
  readonly machines: readonly { readonly id: string; readonly name: string }[];
}

export function eachMachine(command: 'hold' | 'down'): void {
  const { installation, cluster, provider, machines }: HookInput = JSON.parse(readFileSync(0, 'utf8'));
  for (const { id, name } of machines) {
    const host = ['--installation', installation, '--cluster', cluster, '--provider', provider, '--host', name];
    // Another host may have the name by now. One that never came up has no id of its own: list.ts made it of its names.
    const only = id === `${provider}/${name}` ? [] : ['--id', id];
    const result = spawnSync(process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host', [command, ...host, ...only], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (result.error !== undefined) throw result.error;
    if (result.status !== 0) process.exit(result.status ?? 1);
  }
}
