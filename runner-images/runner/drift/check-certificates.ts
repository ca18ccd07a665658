/** Serving certificates that kubelets wait for: rotated between two runs, or asked for by someone who must not have them. */
import type { DriftItem } from '#domain/drift.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import { type JudgedRequest, judgeServingRequests } from '../kubernetes/serving-certificates.ts';
import type { DriftContext } from '../stage-context.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';

export async function checkCertificates(context: DriftContext): Promise<Findings> {
  const kubeconfig = await keepKubeconfig(context);
  // Its absence is a finding of the nodes.
  if (kubeconfig === undefined) return { items: [], unchecked: [] };
  const judged = await judgeServingRequests(new Kubectl(context, kubeconfig), context.target, context.facts.current);
  const items = judged.map((request) => itemOf(context, request));
  // A kubelet repeats its request: report each kubelet once.
  return {
    items: [...new Map(items.map((item) => [item.where.node ?? item.where.name, item])).values()],
    unchecked: [],
  };
}

function itemOf({ target }: DriftContext, { csr, verdict }: JudgedRequest): DriftItem {
  if (verdict.approve) {
    const message = `the kubelet of ${verdict.node} waits for its serving certificate`;
    return { kind: 'certificate', where: findingPlace(target, verdict.node), message, repairable: true };
  }
  const message = sentence(
    `${csr.username} requests a serving certificate (${csr.name}) that is not allowed: ${verdict.because}`,
  );
  return { kind: 'certificate', where: { name: csr.username }, message, repairable: false };
}
