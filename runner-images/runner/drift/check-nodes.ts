/** The nodes according to Kubernetes: whether all exist, are ready, have the version and the metadata that Kubeloom set, and whether there are others. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem, NodeObservation } from '#domain/drift.ts';
import { isLocked } from '#domain/node-labels.ts';
import { noticeIn } from '#domain/node-notice.ts';
import { observationOf } from '#domain/node-observation.ts';
import type { NodeFacts } from '#domain/observed/node-facts.ts';
import { spanText } from '#domain/words.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { type ClusterNode, Kubectl } from '../kubernetes/kubectl.ts';
import type { DriftContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';
import { lookTwice } from './look-twice.ts';
import { foreignNodes, metadataItems } from './node-metadata-items.ts';

export async function checkNodes(context: DriftContext): Promise<Findings> {
  const { target } = context;
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return { items: [], unchecked: ['nodes: there is no kubeconfig'] };
  const kubectl = new Kubectl(context, kubeconfig);
  const isSilent = (items: readonly DriftItem[]) => items.some(({ where }) => where.name === silentApi);
  // Health is from the last reading: a node that has recovered meanwhile is healthy.
  let health: readonly NodeObservation[] = [];
  const items = await lookTwice(
    context,
    async () => {
      const seen = await look(context, kubectl, target);
      health = seen.health;
      return seen.items;
    },
    isSilent,
  );
  return { items, health, unchecked: [] };
}

const silentApi = 'API';

/** An API that does not answer is a finding, not a failure: a person has to check it. */
async function look(
  context: DriftContext,
  kubectl: Kubectl,
  target: ClusterState,
): Promise<Required<Pick<Findings, 'items' | 'health'>>> {
  const names = target.pools.flatMap((pool) => pool.nodes.map((node) => node.name));
  try {
    const live = await kubectl.nodes();
    return {
      items: [...names.flatMap((name) => itemsOf(context, name, live.get(name))), ...foreignNodes(target, live)],
      health: names.map((name) => healthOf(name, live.get(name), context.facts.current.nodes[name])),
    };
  } catch (error) {
    if (!(error instanceof StageFailure) || error.error.code === 'StageCancelled' || context.signal.aborted)
      throw error;
    const message = sentence(`the Kubernetes API does not list its nodes: ${error.error.message}`);
    return {
      items: [{ kind: 'node', where: { name: silentApi }, message, repairable: false }],
      health: names.map((node) => ({ node, health: 'unknown' })),
    };
  }
}

function healthOf(name: string, live: ClusterNode | undefined, known: NodeFacts | undefined): NodeObservation {
  const report = live && { ...live, locked: isLocked(live.labels), notice: noticeIn(live.taints) };
  return observationOf(name, report, known);
}

function itemsOf(
  { target, facts, ports }: DriftContext,
  name: string,
  node: ClusterNode | undefined,
): readonly DriftItem[] {
  const where = findingPlace(target, name);
  if (node === undefined) {
    const { joined, setUpAt } = facts.current.nodes[name] ?? {};
    const waited = setUpAt === undefined ? 0 : (ports.clock.now().getTime() - Date.parse(setUpAt)) / 1000;
    const message =
      joined === true
        ? `${name} is no longer in Kubernetes`
        : `${name} has not joined Kubernetes since its machine was set up${waited > 0 ? ` ${spanText(waited)} ago` : ''}: its kubelet never reported`;
    return [{ kind: 'node', where, message, repairable: true }];
  }
  if (node.ready !== 'True') {
    const message = `${name} is not ready: ${node.ready === 'False' ? 'Kubernetes reports it as not ready' : 'its kubelet does not report to Kubernetes'}`;
    return [{ kind: 'node', where, message, repairable: true }];
  }
  return [...versionItem(target, name, node), ...metadataItems(target, node)];
}

function versionItem(target: ClusterState, name: string, { kubeletVersion = '' }: ClusterNode): readonly DriftItem[] {
  if (kubeletVersion === '' || kubeletVersion === `v${target.kubernetesVersion}`) return [];
  const message = `${name} runs Kubernetes ${kubeletVersion.replace(/^v/, '')} instead of ${target.kubernetesVersion}`;
  // A newer kubelet is never downgraded.
  const repairable = isOlder(kubeletVersion, target.kubernetesVersion);
  return [{ kind: 'version', where: findingPlace(target, name), message, repairable }];
}

function isOlder(version: string, desired: string): boolean {
  const numbers = (text: string) => text.replace(/^v/, '').split(/[.+-]/).slice(0, 3).map(Number);
  const [left, right] = [numbers(version), numbers(desired)];
  const place = left.findIndex((number, index) => number !== right[index]);
  return place >= 0 && (left[place] ?? 0) < (right[place] ?? 0);
}
