/** The nodes stage: nodes that stay get their labels and taints, nodes that leave are drained and removed, documents are applied. */
import { checkComponents } from '../documents/check-components.ts';
import { refuseComponentsInUse } from '../documents/components-in-use.ts';
import { prepareDocuments } from '../documents/prepare-documents.ts';
import { settleDocuments } from '../documents/settle-documents.ts';
import { refuseStorageInUse } from '../documents/storage-in-use.ts';
import { keepParts } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import { controlNames } from '../kubernetes/members.ts';
import { patchNodes } from '../kubernetes/patch-nodes.ts';
import { removeNodes } from '../kubernetes/remove-nodes.ts';
import { approveServingRequests } from '../kubernetes/serving-certificates.ts';
import { updateEndpointConsumers, updateNamesOfApi } from '../kubernetes/update-endpoint-consumers.ts';
import type { StageContext, ToolOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

export const kubectl: ToolOf<'kubectl'> = async (context) => {
  if (context.plan.stage !== 'nodes') throw new Error(`kubectl cannot run stage ${context.plan.stage}`);
  const { work } = context.plan;
  const patch = withRejoined(context, work.patch);
  const { documents = [], documentsRemoved = [] } = work;
  const wanted = new Set(documents.map(({ name }) => name));
  const prepared = await prepareDocuments(
    context,
    (context.target?.documents ?? []).filter(({ name }) => wanted.has(name)),
  );
  const kubeconfig = await keepParts(context);
  if (kubeconfig === undefined) {
    if (patch.length === 0 && prepared.length === 0 && !work.certificates) {
      context.log.write('runner', 'the cluster has no kubeconfig: Kubernetes never ran, so there is nothing to remove');
      return { nodesPatched: 0, nodesRemoved: 0 };
    }
    throw new StageFailure({
      class: 'bug',
      code: 'KubeconfigMissing',
      message: `There is no kubeconfig of cluster ${context.document.cluster}.`,
      hint: 'This is a fault of Kubeloom: the kubernetes stage must run before this one.',
    });
  }
  const client = new Kubectl(context, kubeconfig.file);
  await refuseStorageInUse(context, client);
  await refuseComponentsInUse(context, client, { removed: documentsRemoved, prepared });
  const contracts = await checkComponents(context, client, prepared);
  const nodesRemoved = await removeNodes(context, client, work);
  const nodesPatched = await patchNodes(context, client, patch);
  if (context.document.direction === 'move' && context.mode === 'do')
    await updateEndpointConsumers(context, client, kubeconfig.parts);
  else if (controlNodesChange(context)) await updateNamesOfApi(context, client);
  // Those of new nodes, and rotated ones; patched nodes are ready, so their kubelets have asked.
  if (patch.length > 0 || work.certificates) await approveServingRequests(context, client);
  const settled = await settleDocuments(context, client, { prepared, contracts, removed: documentsRemoved });
  return { nodesPatched, nodesRemoved, ...settled };
};

/** Nodes that joined again on the way to something else have lost what the plan does not give them. */
function withRejoined({ document, facts, mode, target }: StageContext, patch: readonly string[]): readonly string[] {
  const joined = document.stages.some((plan) => plan.stage === 'kubernetes' && plan.work.action === 'apply');
  if (mode === 'undo' || target === null || !joined) return patch;
  const names = target.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const rejoined = names.filter((name) => {
    const { joined, unreachableSince } = facts.current.nodes[name] ?? {};
    return joined === false && unreachableSince === undefined && !patch.includes(name);
  });
  return [...patch, ...rejoined];
}

/** A repair recreates them under their names, with other addresses. A new cluster has the names from KubeOne. */
function controlNodesChange({ document: { before, target, direction } }: StageContext): boolean {
  if (before === null || target === null) return false;
  return direction === 'repair' || controlNames(before).join() !== controlNames(target).join();
}
