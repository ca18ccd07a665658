/** Requests of kubelets for serving certificates: those of nodes that we know are approved, each exactly as it was read. */
import { type Approval, mayApprove, type SigningRequest } from '#domain/certificates/may-approve.ts';
import { nodesWithAddresses, openServingRequests, ServingRequests } from '#domain/certificates/serving-requests.ts';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { readToolJson } from '../tool-answer.ts';
import type { Kubectl } from './kubectl.ts';

export interface JudgedRequest {
  readonly csr: SigningRequest;
  readonly verdict: Approval;
}

/** Requests for serving certificates that no one has decided, with what Kubeloom decides. */
export async function judgeServingRequests(
  kubectl: Kubectl,
  state: ClusterState,
  facts: ClusterFacts,
): Promise<readonly JudgedRequest[]> {
  const get = ['get', 'certificatesigningrequests', '-o', 'json', '--request-timeout=30s'];
  const { stdout } = await kubectl.run(get, { onLine: complaintsOnly });
  const about = { tool: 'kubectl', what: 'its list of requests for certificates' };
  return openServingRequests(readToolJson(ServingRequests, stdout, about)).map((csr) => ({
    csr,
    verdict: mayApprove(csr, nodesWithAddresses(state, facts)),
  }));
}

/** Approves what may be approved; all else is left to people and written to the log. A failure here fails no stage. */
export async function approveServingRequests(context: StageContext, kubectl: Kubectl): Promise<void> {
  const { target, facts, log, emit, mode } = context;
  if (target === null || mode === 'undo') return;
  try {
    for (const { csr, verdict } of await judgeServingRequests(kubectl, target, facts.current)) {
      if (!verdict.approve) {
        log.write('runner', `the request ${csr.name} for a serving certificate is not approved: ${verdict.because}`);
        continue;
      }
      // The content of a request cannot be changed under its name.
      await kubectl.run(['certificate', 'approve', csr.name, '--request-timeout=30s'], { about: verdict.node });
      emit({
        kind: 'CertificateApproved',
        message: `the kubelet of ${verdict.node} gets its serving certificate`,
        node: verdict.node,
      });
    }
  } catch (error) {
    if (context.signal.aborted) throw error;
    log.write('runner', `serving certificates were not approved: ${error instanceof Error ? error.message : error}`);
  }
}
