/** Hook of the runner: the hosts of the provider instance that the machine has, without those that a user orphaned. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Host {
  readonly host: string;
  readonly id: string;
  readonly released: boolean;
  readonly held: boolean;
  readonly state: string;
}

const { installation, cluster, provider } = JSON.parse(readFileSync(0, 'utf8')) as Record<string, string>;
const scope = ['--installation', `${installation}`, '--cluster', `${cluster}`, '--provider', `${provider}`];
const result = spawnSync(process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host', ['status', ...scope], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (result.error !== undefined) throw result.error;
if (result.status !== 0) process.exit(result.status ?? 1);
const hosts: readonly Host[] = JSON.parse(result.stdout);
const items = hosts
  .filter(({ released }) => !released)
  .map(({ host, id, held, state }) => ({
    id: id || `${provider}/${host}`,
    name: host,
    stopped: held && state !== 'running',
  }));
process.stdout.write(`${JSON.stringify({ items })}\n`);
