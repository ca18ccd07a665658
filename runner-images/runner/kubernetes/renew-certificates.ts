/** Renews the certificates of control nodes, one after the other while the API answers, and keeps the new kubeconfig. */
import { clusterKeys } from '#contracts/stage.ts';
import { readKubeconfig } from '#documents/kubeconfig.ts';
import { kubeconfigExpiries } from '#documents/kubeconfig-expiries.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { type Expiry, endText, firstToEnd, isUrgent } from '#domain/expiry.ts';
import { type KubeconfigParts, kubeconfigLimit } from '#domain/observed/kubeconfig.ts';
import { nodeRow } from '../causes/node-causes.ts';
import { unknownOfNode } from '../causes/unknown-answers.ts';
import { dueOf, expiriesOf } from '../machines/machine-certificates.ts';
import { type ContextOf, knownStates } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type ControlNode, controlNodes } from './control-node-scripts.ts';
import { acceptedKubeconfig, keepParts } from './kubeconfig.ts';

/**
 * Asks each of these nodes again whether it is due: after an interruption it continues with those that are left. If certificates have ended,
 * all control nodes are renewed before one is waited for: none of them gets ready alone. Throws `CertificatesNotRenewed`,
 * `ControlPlaneNotReady`, `KubeconfigRefused`.
 */
export async function renewCertificates(
  context: ContextOf<'kubeone'>,
  state: ClusterState,
  names: readonly string[],
): Promise<{ readonly renewed: number }> {
  const nodes = await controlNodes(context, state);
  const due: Due[] = [];
  for (const node of names.length === 0 ? [] : nodes)
    due.push(...(await stillDue(context, state, node, names.includes(node.name))));
  const ended = due.some((one) => one.ended);
  const chosen = ended ? due : due.filter(({ node }) => names.includes(node.name));
  for (const { node, urgent } of chosen) {
    if (!urgent && !ended) await readyWithout(node, nodes);
    const fault = await node.renew(!ended);
    if (fault !== undefined) throw notRenewed(node.name, fault);
    if (!ended) await reportRenewal(context, node);
  }
  for (const { node } of ended ? chosen : []) {
    const fault = await node.neverReady();
    if (fault !== undefined) throw notRenewed(node.name, fault);
    await reportRenewal(context, node);
  }
  await keepNewest(context, nodes);
  return { renewed: chosen.length };
}

interface Due {
  readonly node: ControlNode;
  readonly urgent: boolean;
  /** One of its certificates is good no more. */
  readonly ended: boolean;
}

/** Empty: nothing of it is due any more, or it does not answer and no one asked for it. */
async function stillDue(
  { ports }: ContextOf<'kubeone'>,
  state: ClusterState,
  node: ControlNode,
  asked: boolean,
): Promise<readonly Due[]> {
  const { facts, problem } = await node.certificates();
  if (problem !== undefined && !asked) return [];
  if (problem !== undefined) throw notRenewed(node.name, problem);
  const now = ports.clock.now();
  const due = dueOf(expiriesOf(node.name, facts).expiries, state.id, now);
  if (due.length === 0 && facts.renewing !== true) return [];
  const ended = due.some(({ until }) => until <= now.toISOString());
  return [{ node, ended, urgent: due.some((expiry) => isUrgent(expiry, now)) }];
}

async function reportRenewal({ emit, ports }: ContextOf<'kubeone'>, node: ControlNode): Promise<void> {
  const first = firstToEnd(expiriesOf(node.name, (await node.certificates()).facts ?? {}).expiries);
  const until = first === undefined ? '' : `; the first of them ends on ${endText(first, ports.clock.now())}`;
  const message = `the certificates of ${node.name} are renewed, and what uses them was restarted${until}`;
  emit({ kind: 'CertificatesRenewed', message, node: node.name });
}

/** The API has to answer, and etcd to have its quorum, while this node restarts. */
async function readyWithout(node: ControlNode, nodes: readonly ControlNode[]): Promise<void> {
  for (const other of nodes) {
    if (other === node) continue;
    const why = await other.notReady();
    if (why === undefined) continue;
    throw new StageFailure({
      class: 'transient',
      code: 'ControlPlaneNotReady',
      message: `The certificates of ${node.name} are not renewed while another control node is not ready: ${other.name}: ${why}`,
      resource: other.name,
      hint: 'Check that node.',
    });
  }
}

/** The one of the control nodes' that ends last, if it ends after ours, and leads to the authority that we know. */
async function keepNewest(context: ContextOf<'kubeone'>, nodes: readonly ControlNode[]): Promise<void> {
  const ours = (await keepParts(context))?.parts;
  const found: { readonly node: string; readonly text: string; readonly end: number }[] = [];
  for (const { name, read } of nodes) {
    const text = await read('/etc/kubernetes/admin.conf', kubeconfigLimit);
    const parts = text === undefined ? undefined : partsOf(text);
    if (text === undefined || parts === undefined) continue;
    if (ours !== undefined && parts.authority !== ours.authority) continue;
    found.push({ node: name, text, end: endOf(kubeconfigExpiries(parts)) });
  }
  const newest = found.toSorted((a, b) => b.end - a.end)[0];
  if (newest === undefined) {
    const names = nodes.map(({ name }) => name).join(', ');
    throw notRenewed(names, 'no control node has a kubeconfig in /etc/kubernetes/admin.conf that fits this cluster');
  }
  if (ours !== undefined && newest.end <= endOf(kubeconfigExpiries(ours))) return;
  const cluster = { states: knownStates(context), facts: context.facts.current };
  const { text, parts } = acceptedKubeconfig(context, newest.text, cluster, newest.node);
  const key = context.facts.current.kubeconfigKey ?? clusterKeys(context.document).kubeconfig;
  await context.ports.artifacts.putText(key, text, 'application/yaml');
  context.facts.kubeconfig(key, kubeconfigExpiries(parts));
}

function partsOf(text: string): KubeconfigParts | undefined {
  const read = readKubeconfig(text);
  return 'refusal' in read ? undefined : read.parts;
}

/** Ms; 0 when it cannot be read. */
const endOf = (expiries: readonly Expiry[]): number =>
  Date.parse(expiries.find(({ what }) => what === 'kubeconfig')?.until ?? '') || 0;

function notRenewed(resource: string, why: string): StageFailure {
  return new StageFailure({
    class: nodeRow([why])?.class ?? unknownOfNode.class,
    code: 'CertificatesNotRenewed',
    message: `The certificates of ${resource} were not renewed: ${why}`,
    resource,
    hint: 'By hand, as root on the node: `kubeadm certs renew all`, then restart its static pods.',
  });
}
