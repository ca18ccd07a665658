/** Reports the nodes of the cluster each minute, and approves serving certificates of kubelets of the nodes that the API knows. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentHealth } from '#contracts/agent.ts';
import { mayApprove } from '#domain/certificates/may-approve.ts';
import { openServingRequests, ServingRequests } from '#domain/certificates/serving-requests.ts';
import { isLocked } from '#domain/node-labels.ts';
import {
  ConditionStatus,
  KubernetesName,
  KubernetesTime,
  ObservedConditionType,
  ObservedLabels,
  Quantities,
} from '#domain/observed/kubernetes-texts.ts';
import { type AgentApi, boundedText } from './agent-api.ts';

/** The API server of the cluster, as far as the agent asks it. */
export interface ClusterApi {
  get(path: string): Promise<unknown>;
  put(path: string, body: object): Promise<void>;
}

export interface ClusterConnection {
  /** `https://kubernetes.default.svc` */
  readonly url: string;
  /** File with the token of the ServiceAccount, which is renewed. */
  readonly tokenFile: string;
}

/** The certificate authority of the cluster is trusted by the process (NODE_EXTRA_CA_CERTS). */
export function clusterApi({ url, tokenFile }: ClusterConnection): ClusterApi {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const token = (await readFile(tokenFile, 'utf8')).trim();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`${method} ${path}: the API server answers ${response.status}`);
    return JSON.parse(await boundedText(response));
  };
  return {
    get: (path) => ask('GET', path),
    put: async (path, body) => void (await ask('PUT', path, body)),
  };
}

/** What a kubelet writes and that has another form counts as not reported: one node that lies hides no other. */
export const ReportedNodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: KubernetesName,
        labels: ObservedLabels.default({}),
        creationTimestamp: KubernetesTime.optional(),
      }),
      status: z
        .object({
          conditions: z
            .array(
              z
                .object({
                  type: ObservedConditionType,
                  status: ConditionStatus,
                  lastTransitionTime: KubernetesTime.nullish(),
                })
                .optional()
                .catch(undefined),
            )
            .default([]),
          allocatable: Quantities.default({}).catch({}),
        })
        .prefault({}),
    }),
  ),
});

/** One round. Returns the names of nodes whose kubelets got a certificate. */
async function reportNodes(api: Pick<AgentApi, 'report'>, cluster: ClusterApi): Promise<readonly string[]> {
  const known = await api.report(healthIn(await cluster.get('/api/v1/nodes')));
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const list = await cluster.get(requests);
  const approved: string[] = [];
  for (const csr of openServingRequests(ServingRequests.parse(list))) {
    const verdict = mayApprove(csr, known);
    if (!verdict.approve) continue;
    // The whole request as it was judged: another one under its name has another version, and is refused.
    const found = Items.parse(list).items.find(({ metadata }) => metadata.name === csr.name);
    await cluster.put(`${requests}/${encodeURIComponent(csr.name)}/approval`, {
      ...found,
      status: { conditions: [approval] },
    });
    approved.push(verdict.node);
  }
  return approved;
}

const Items = z.object({ items: z.array(z.looseObject({ metadata: z.looseObject({ name: KubernetesName }) })) });

const approval = {
  type: 'Approved',
  status: 'True',
  reason: 'KubeloomKnowsNode',
  message: 'the kubelet of a node that Kubeloom made, for its own name and addresses',
};

function healthIn(list: unknown): AgentHealth {
  return {
    nodes: ReportedNodes.parse(list).items.map(({ metadata: { name, labels, creationTimestamp }, status }) => {
      const { status: ready = 'Unknown', lastTransitionTime } =
        status.conditions.find((one) => one?.type === 'Ready') ?? {};
      return {
        name,
        locked: isLocked(labels),
        allocatable: status.allocatable,
        ready,
        ...(lastTransitionTime && { readySince: lastTransitionTime }),
        ...(creationTimestamp && { createdAt: creationTimestamp }),
      };
    }),
  };
}

export interface Looking {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Until the signal. A round that fails is reported, and the next one follows. */
export async function keepLooking(
  api: Pick<AgentApi, 'report'>,
  cluster: ClusterApi,
  { everyMs, signal, say }: Looking,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const node of await reportNodes(api, cluster)) say(`the kubelet of ${node} gets its serving certificate`);
    } catch (error) {
      say(`this round failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
