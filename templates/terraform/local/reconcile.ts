/** Reconciles the existing hosts with the Terraform state; prints what must be recreated and what was removed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface HookInput {
  readonly installation: string;
  readonly cluster: string;
  readonly provider: string;
  readonly kind: 'machines' | 'dns';
  readonly resources: readonly { address: string; type: string; index?: unknown; values?: { id?: string } | null }[];
}

/** `command`: `reconcile` removes hosts that the state does not have; `inspect` only reads. */
export function reconcile(command: 'reconcile' | 'inspect' = 'reconcile'): void {
  const { installation, cluster, provider, kind, resources }: HookInput = JSON.parse(readFileSync(0, 'utf8'));
  const hosts = resources.filter(
    ({ address, type }) => type === 'terraform_data' && /\.host\["[^"]+"\]$/.test(address),
  );
  const ids = Object.fromEntries(hosts.map(({ index, values }) => [String(index), values?.id ?? '']));
  const scope = ['--installation', installation, '--cluster', cluster, '--provider', provider];
  const { replace, removed } = kind === 'machines' ? ask(command, scope, ids) : { replace: [], removed: [] };
  const lost = hosts.filter(({ index }) => replace.includes(String(index)));
  process.stdout.write(`${JSON.stringify({ replace: lost.map(({ address }) => address), removed })}\n`);
}

function ask(
  command: 'reconcile' | 'inspect',
  scope: readonly string[],
  ids: Readonly<Record<string, string>>,
): { readonly replace: readonly string[]; readonly removed: readonly string[] } {
  const result = spawnSync(process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host', [command, ...scope], {
    input: JSON.stringify(ids),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
  return JSON.parse(result.stdout);
}
