/** Classifies a failed `kubeone`: one table from its output to our error classes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { FailureRow } from '../stage-failure.ts';

/** First match wins. */
const table: readonly FailureRow[] = [
  {
    class: 'credentials',
    code: 'SshRefused',
    pattern: /unable to authenticate|permission denied|no supported methods remain/i,
    hint: 'Check the SSH key and the user of this node.',
  },
  {
    class: 'user',
    code: 'VersionRefused',
    pattern: /kubernetes version .*(not supported|unsupported|higher|lower)|downgrade|version skew/i,
    hint: 'Choose a Kubernetes version that `kubeloom validate` accepts; it is raised by one minor version at a time.',
  },
  {
    class: 'conflict',
    code: 'BrokenHosts',
    pattern: /broken host|unhealthy (control plane|etcd)|manual intervention|etcd quorum/i,
    hint: 'A node of the cluster is dead and still a member. Remove it from the manifest first.',
  },
  {
    class: 'conflict',
    code: 'JoinWithUpgrade',
    pattern: /repair and upgrade are not supported/i,
    hint: 'A node of the cluster is not in Kubernetes, and KubeOne joins none while it upgrades. Retry with the version that the cluster has.',
  },
  {
    class: 'transient',
    code: 'HostUnreachable',
    pattern: /dial tcp|no route to host|connection (refused|reset|timed out)|i\/o timeout|EOF\b|handshake failed/i,
    hint: 'A node or its network did not answer. Kubeloom retries automatically.',
  },
  {
    class: 'transient',
    code: 'KubeOneTimedOut',
    pattern: /timed? ?out|deadline exceeded|temporary failure|failed to fetch|could not resolve|could not get lock/i,
    hint: 'Kubeloom retries automatically; the log of the stage says what KubeOne waited for.',
  },
  {
    class: 'bug',
    code: 'ManifestRefused',
    pattern: /unknown field|configuration (validation|decoding|unmarshal)|validation failed|invalid kubeone/i,
    hint: 'Kubeloom wrote a KubeOne manifest that KubeOne refuses. Report it with the log of the stage.',
  },
];

/** The error of a failed run. `output` is everything KubeOne printed. */
export function kubeoneError(output: string, state: ClusterState): Omit<StageError, 'retryable'> {
  const cause = causeIn(output);
  const row = table.find(({ pattern }) => pattern.test(cause)) ?? table.find(({ pattern }) => pattern.test(output));
  const nodes = state.pools.flatMap((pool) => pool.nodes.map(({ name }) => name));
  const node = nodes.find((name) => namesNode(cause, name));
  return {
    class: row?.class ?? 'transient',
    code: row?.code ?? 'KubeOneFailed',
    message: cause || 'KubeOne failed without any output.',
    ...(node === undefined ? {} : { resource: node }),
    hint: row?.hint ?? 'The log of the stage shows what KubeOne did last.',
  };
}

/** A refusal lists all that is wrong with a manifest. */
const mostLines = 6;

/** KubeOne's last words (`Error: ` and the lines below it), else the last lines about an error, else the last lines. */
function causeIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const last = lines.findLastIndex((line) => line.startsWith('Error: '));
  if (last >= 0) return lines.slice(last, last + mostLines).join('\n');
  const errors = lines.filter((line) => /\b(error|fatal|failed)\b|level=(error|fatal)|^ERRO/i.test(line));
  return (errors.length > 0 ? errors : lines).slice(-3).join('\n');
}

function namesNode(text: string, name: string): boolean {
  return new RegExp(`(^|[^a-z0-9-])${name}($|[^a-z0-9-])`).test(text);
}
