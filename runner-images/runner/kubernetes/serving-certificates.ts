/** Requests of kubelets for serving certificates: those of nodes that we know are approved, each exactly as it was read. */
import { z } from 'zod';
import {
  type Approval,
  type KnownNode,
  mayApprove,
  type SigningRequest,
  servingSigner,
} from '#domain/certificates/may-approve.ts';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import { complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import type { Kubectl } from './kubectl.ts';

const texts = z.array(z.string()).default([]);
const Requests = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z
        .object({
          signerName: z.string().default(''),
          username: z.string().default(''),
          groups: texts,
          usages: texts,
          request: z.string().default(''),
        })
        .prefault({}),
      status: z.object({ conditions: z.array(z.object({ type: z.string() })).default([]) }).prefault({}),
    }),
  ),
});

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
  const nodes = nodesOf(state, facts);
  return Requests.parse(JSON.parse(stdout))
    .items.map(({ metadata, spec, status }) => ({
      ...{ name: metadata.name, signer: spec.signerName, username: spec.username },
      ...{ groups: spec.groups, usages: spec.usages, conditions: status.conditions.map(({ type }) => type) },
      request: new TextDecoder().decode(Buffer.from(spec.request, 'base64')),
    }))
    .filter(({ signer, conditions }) => signer === servingSigner && conditions.length === 0)
    .map((csr) => ({ csr, verdict: mayApprove(csr, nodes) }));
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

function nodesOf(state: ClusterState, facts: ClusterFacts): readonly KnownNode[] {
  return state.pools.flatMap(({ nodes }) =>
    nodes.map(({ name, privateAddress, static: own }) => {
      const { publicAddress, local } = facts.nodes[name] ?? {};
      const addresses = [privateAddress, publicAddress, local?.address, own?.endpoint];
      return { name, addresses: addresses.filter((address) => address !== undefined) };
    }),
  );
}
