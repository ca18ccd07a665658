/** Classifies a failed `kubeone`: one table from its output to our error classes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { CodedFailureRow } from '../stage-failure.ts';

const brokenCompute =
  'A node of the cluster is dead and still a member. Remove it from the manifest first, or `kubeloom drift NAME --repair` replaces its machine if that is gone.';
const brokenControl =
  'It is a control node: if its machine is gone, `kubeloom drift NAME --repair` replaces it while the other control nodes keep the quorum of etcd. Otherwise start the machine, or add a control node before you remove this one.';
const brokenLoneControl =
  'It is the only control node: start its machine. If that is lost, so is what Kubernetes stored: restore a backup of etcd by hand, or delete the manifest and apply it again.';
const brokenNew =
  'It is new, so there is nothing to remove from the manifest: check why its kubelet does not start (`journalctl -u kubelet` on the machine). A grow is undone, and a retry starts with a new machine.';

/** First match wins. */
const table: readonly CodedFailureRow[] = [
  {
    class: 'credentials',
    code: 'SshRefused',
    pattern: /unable to authenticate|permission denied|no supported methods remain/i,
    hint: 'Check the SSH key and the user of this node.',
  },
  {
    class: 'user',
    code: 'VersionRefused',
    pattern: /kubernetes version .{0,300}(not supported|unsupported|higher|lower)|downgrade|version skew/i,
    hint: 'Choose a Kubernetes version that `kubeloom validate` accepts; it is raised by one minor version at a time.',
  },
  {
    class: 'conflict',
    code: 'BrokenHosts',
    pattern: /broken host|unhealthy (control plane|etcd)|manual intervention|etcd quorum/i,
    hint: brokenCompute,
  },
  {
    class: 'conflict',
    code: 'JoinWithUpgrade',
    pattern: /repair and upgrade are not supported/i,
    hint: 'A node of the cluster is not in Kubernetes, and KubeOne cannot add it during an upgrade. Retry with the version that the cluster has.',
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

/** The error of a failed run. `output` is everything KubeOne printed; `before`: the cluster that it found. */
export function kubeoneError(
  output: string,
  state: ClusterState,
  before: ClusterState | null = state,
): Omit<StageError, 'retryable'> {
  const cause = causeIn(output);
  const row = table.find(({ pattern }) => pattern.test(cause)) ?? table.find(({ pattern }) => pattern.test(output));
  const broken = row?.code === 'BrokenHosts' ? brokenHosts(output, state) : [];
  const node = nodesOf(state).find((name) => namesNode(cause, name)) ?? broken[0];
  const message = broken.length > 0 ? `${cause}: ${broken.join(', ')}` : cause;
  return {
    class: row?.class ?? 'transient',
    code: row?.code ?? 'KubeOneFailed',
    message: message || 'KubeOne failed without any output.',
    ...(node === undefined ? {} : { resource: node }),
    hint: hintOf(row, node, state, before) ?? 'The log of the stage shows what KubeOne did last.',
  };
}

/** What to do about a broken host depends on what it is. */
function hintOf(
  row: CodedFailureRow | undefined,
  node: string | undefined,
  state: ClusterState,
  before: ClusterState | null,
): string | undefined {
  if (row?.code !== 'BrokenHosts' || node === undefined) return row?.hint;
  return before === null || !nodesOf(before).includes(node) ? brokenNew : brokenHint(node, state);
}

/** What to do about a node that was there before and is dead. */
export function brokenHint(node: string, { pools }: ClusterState): string {
  const pool = pools.find(({ nodes }) => nodes.some(({ name }) => name === node));
  if (pool?.role !== 'control') return brokenCompute;
  const controls = pools.filter(({ role }) => role === 'control').flatMap(({ nodes }) => nodes);
  return controls.length === 1 ? brokenLoneControl : brokenControl;
}

/** KubeOne names them one a line, before its last words. */
function brokenHosts(output: string, state: ClusterState): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) => /is broken and needs to be manually removed|without Kubernetes on the machine/.test(line));
  return nodesOf(state).filter((name) => lines.some((line) => namesNode(line, name)));
}

function nodesOf({ pools }: ClusterState): readonly string[] {
  return pools.flatMap(({ nodes }) => nodes.map(({ name }) => name));
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
