/** Classifies a failed `kubeone`: its own refusals here, what machines say in the table that all tools share. Pure. */
import type { StageError } from '#contracts/stage.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { counted } from '#domain/words.ts';
import { type CodedRow, decisive, type Meaning, oneLine, rowFor } from '../causes/cause-row.ts';
import { nodeRow } from '../causes/node-causes.ts';
import { unknownOfNode } from '../causes/unknown-answers.ts';
import type { ErrorDraft } from '../stage-failure.ts';
import { type KubeOneFault, kubeoneFaults } from './kubeone-output.ts';

const brokenCompute =
  'A node of the cluster is dead and still a member. Remove it from the manifest first, or `kubeloom drift NAME --repair` replaces its machine if that is gone.';
const brokenControl =
  'It is a control node: if its machine is gone, `kubeloom drift NAME --repair` replaces it while the other control nodes keep the quorum of etcd. Otherwise start the machine, or add a control node before you remove this one.';
const brokenLoneControl =
  'It is the only control node: start its machine. If that is lost, so is what Kubernetes stored: restore a backup of etcd by hand, or delete the manifest and apply it again.';
const brokenNew =
  'It is new, so there is nothing to remove from the manifest: check why its kubelet does not start (`journalctl -u kubelet` on the machine). A grow is undone, and a retry starts with a new machine.';

const brokenRow: CodedRow = {
  class: 'conflict',
  code: 'BrokenHosts',
  pattern: /broken host|manual intervention|unhealthy (?:control plane|etcd)/i,
  hint: brokenCompute,
};

/** What KubeOne says itself. First match wins. */
const table: readonly CodedRow[] = [
  {
    class: 'user',
    code: 'VersionRefused',
    pattern:
      /kubernetes version .{0,300}(?:not supported|unsupported|higher|lower)|downgrades? (?:are|is) disallowed|version skew|only 1 minor version|unable to upgrade to (?:lower|the same)|requested version .{0,100}(?:lower|same)/i,
    hint: 'Choose a Kubernetes version that `kubeloom validate` accepts; it is raised by one minor version at a time.',
  },
  brokenRow,
  {
    class: 'conflict',
    code: 'JoinWithUpgrade',
    pattern: /repair and upgrade are not supported/i,
    hint: 'A node of the cluster is not in Kubernetes, and KubeOne cannot add it during an upgrade. Retry with the version that the cluster has.',
  },
  {
    class: 'bug',
    code: 'ManifestRefused',
    pattern: /unknown field|configuration (?:validation|decoding|unmarshal)|validation failed|invalid kubeone/i,
    hint: 'Kubeloom wrote a KubeOne manifest that KubeOne refuses. Report it with the log of the stage.',
  },
];

/** Around a cause without words of a machine a connection is one to a machine, which the shared table cannot know. */
const connection: CodedRow = {
  class: 'transient',
  code: 'HostUnreachable',
  pattern:
    /dial tcp|no route to host|connection (?:refused|reset|closed|timed out)|i\/o timeout|EOF\b|handshake failed|connection lost/i,
  hint: 'A node or its network did not answer.',
};
const slow: Meaning & { readonly code: string } = {
  class: 'transient',
  code: 'KubeOneTimedOut',
  hint: 'The log of the stage says what KubeOne waited for.',
};

type Known = typeof slow;

interface Judged {
  readonly fault: KubeOneFault;
  readonly row: Known | undefined;
}

/**
 * The error of a failed run. `output` is everything KubeOne printed; `before`: the cluster that it found; `addresses`: names of nodes by
 * public address.
 */
export function kubeoneError(
  output: string,
  state: ClusterState,
  before: ClusterState | null = state,
  addresses: ReadonlyMap<string, string> = new Map(),
): ErrorDraft {
  const faults = kubeoneFaults(output);
  const judged = (faults.length > 0 ? faults : [unmarked(output)]).map((fault) => ({ fault, row: rowOf(fault) }));
  const { fault, row: said } = chosen(judged);
  // Where it also was to upgrade, its last words are about the repair that a broken host needs, not about the host.
  const broken = said?.code === 'BrokenHosts' || said?.code === 'JoinWithUpgrade' ? brokenHosts(output, state) : [];
  const row = broken.length > 0 ? brokenRow : said;
  const words = [...fault.cause, ...fault.around].join('\n');
  const node = nodesOf(state).find((name) => namesNode(words, name)) ?? broken[0] ?? addresses.get(fault.address ?? '');
  const more = judged.length > 1 ? ` (and ${counted(judged.length - 1, 'more node')})` : '';
  return {
    class: row?.class ?? unknownOfNode.class,
    code: row?.code ?? 'KubeOneFailed',
    message: `${messageOf(fault, broken)}${more}`,
    ...(node === undefined ? {} : { resource: node }),
    hint: hintOf(row, node, state, before) ?? unknownOfNode.hint,
    ...(row?.retryable === false && { retryable: false }),
  };
}

/** A machine's own words, else KubeOne's, where a connection that fails is one to a machine. */
function rowOf({ printed, around, ofMachine }: KubeOneFault): Known | undefined {
  const words = printed.join('\n');
  if (ofMachine) return nodeRow([words]) ?? rowFor(table, [around.join('\n')]);
  const all = around.join('\n');
  const said = nodeRow([words]);
  if (said?.class === 'credentials' || said?.code === 'HostKeyChanged') return said;
  const own = rowFor([...table, connection], [words, all]);
  return own ?? (said?.code === 'NodeTooSlow' ? slow : said) ?? nodeRow([all]);
}

function chosen(judged: readonly Judged[]): Judged {
  const found = judged.map((one) => ({ ...one, meaning: one.row ?? unknownOfNode, known: one.row !== undefined }));
  return decisive(found) ?? { fault: unmarked(''), row: undefined };
}

function messageOf({ step, address, cause }: KubeOneFault, broken: readonly string[]): string {
  const where = [step, address === undefined ? '' : `on ${address}`].filter(Boolean).join(' ');
  const words = oneLine(cause.join('; ')) || 'KubeOne failed without any output.';
  return [where, words, broken.join(', ')].filter(Boolean).join(': ');
}

/** Output without KubeOne's last words: lines about errors, else the last lines. */
function unmarked(output: string): KubeOneFault {
  const lines = output.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /\b(?:error|fatal|failed)\b|level=(?:error|fatal)|^ERRO/i.test(line));
  const cause = (errors.length > 0 ? errors : lines.filter(Boolean)).slice(-3);
  return { step: '', printed: cause, cause, around: cause, ofMachine: false };
}

/** What to do about a broken host depends on what it is. */
function hintOf(
  row: Known | undefined,
  node: string | undefined,
  state: ClusterState,
  before: ClusterState | null,
): StageError['hint'] | undefined {
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

function namesNode(text: string, name: string): boolean {
  return new RegExp(`(^|[^a-z0-9-])${name}($|[^a-z0-9-])`).test(text);
}
