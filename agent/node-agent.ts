/** Reports the nodes of the cluster when they change, and that it is alive; approves serving certificates of kubelets of the nodes that the API knows. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentHealth, AgentNodes } from '#contracts/agent.ts';
import { mayApprove, type SigningRequest } from '#domain/certificates/may-approve.ts';
import { openServingRequests, ServingRequests } from '#domain/certificates/serving-requests.ts';
import { isLocked } from '#domain/node-labels.ts';
import { losesMachine, noticeIn } from '#domain/node-notice.ts';
import {
  ConditionStatus,
  KubernetesName,
  KubernetesTime,
  ObservedConditionType,
  ObservedLabels,
  ObservedLabelValue,
  QualifiedName,
  Quantities,
} from '#domain/observed/kubernetes-texts.ts';
import { sameValue } from '#domain/same-value.ts';
import { type AgentApi, mostAgentBytes } from './agent-api.ts';
import { boundedText } from './bounded-text.ts';

/** How often the agent reads the nodes, and reports that nothing changed, in milliseconds; while a node is unwell, Kubeloom waits to replace it. */
export const rhythm = { everyMs: 10_000, heartbeatMs: 5 * 60_000, unwellMs: 20_000, openMs: 60_000 } as const;

/** A node that is not ready for longer is reported as rarely as one that is. */
const unwellForMs = 2 * 3_600_000;

/** The API server of the cluster, as far as the agent asks it. */
export interface ClusterApi {
  get(path: string): Promise<unknown>;
  put(path: string, body: object): Promise<void>;
}

/** The same for what acts on notices. */
export interface ActingApi extends ClusterApi {
  /** Merges objects; a list takes the place of the one before. */
  patch(path: string, body: object): Promise<void>;
  /** Returns the status of the answer, whatever it is. */
  post(path: string, body: object): Promise<number>;
}

export interface ClusterConnection {
  /** `https://kubernetes.default.svc` */
  readonly url: string;
  /** File with the token of the ServiceAccount, which is renewed. */
  readonly tokenFile: string;
}

/** The certificate authority of the cluster is trusted by the process (NODE_EXTRA_CA_CERTS). */
export function clusterApi({ url, tokenFile }: ClusterConnection): ActingApi {
  const send = async (method: string, path: string, body?: object, type = 'json'): Promise<Response> => {
    const token = (await readFile(tokenFile, 'utf8')).trim();
    return fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': `application/${type}` },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(20_000),
    });
  };
  const ask = async (...[method, path, ...rest]: Parameters<typeof send>): Promise<unknown> => {
    const response = await send(method, path, ...rest);
    if (!response.ok) throw new Error(`${method} ${path}: the API server answers ${response.status}`);
    return JSON.parse(await boundedText(response, mostAgentBytes));
  };
  return {
    get: (path) => ask('GET', path),
    put: async (path, body) => void (await ask('PUT', path, body)),
    patch: async (path, body) => void (await ask('PATCH', path, body, 'merge-patch+json')),
    post: async (path, body) => {
      const response = await send('POST', path, body);
      await boundedText(response, mostAgentBytes);
      return response.status;
    },
  };
}

const ReportedTaint = z.object({
  key: QualifiedName,
  value: ObservedLabelValue.optional(),
  timeAdded: KubernetesTime.optional(),
});

/** What a kubelet writes and that has another form counts as not reported: one node that lies hides no other. */
export const ReportedNodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: KubernetesName,
        labels: ObservedLabels.default({}),
        creationTimestamp: KubernetesTime.optional(),
      }),
      spec: z.object({ taints: z.array(ReportedTaint.optional().catch(undefined)).default([]) }).prefault({}),
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

/** What was reported last, and what the API answered. */
interface Reported {
  readonly health: AgentHealth;
  readonly at: number;
  readonly known: AgentNodes['nodes'];
}

/** The report before, where the API would learn nothing: the nodes are the same, and it is younger than `againMs`. */
async function reportOf(
  api: Pick<AgentApi, 'report'>,
  health: AgentHealth,
  before: Reported | undefined,
  againMs: number,
): Promise<Reported> {
  const at = performance.now();
  if (before !== undefined && at - before.at < againMs && sameValue(before.health, health)) return before;
  return { health, at, known: await api.report(health) };
}

/** A node stopped being ready lately, or the cloud takes its machine. */
function isUnwell({ nodes }: AgentHealth): boolean {
  const lately = Date.now() - unwellForMs;
  return nodes.some(({ ready, readySince, notice }) => {
    const since = ready !== 'True' ? readySince : losesMachine(notice) ? notice?.since : undefined;
    return Date.parse(since ?? '') > lately;
  });
}

const requestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Approves those of the list; `open` are the open ones among them. Returns the names of nodes whose kubelets got a certificate. */
async function approve(
  cluster: ClusterApi,
  { list, open }: { readonly list: unknown; readonly open: readonly SigningRequest[] },
  known: AgentNodes['nodes'],
): Promise<readonly string[]> {
  const approved: string[] = [];
  for (const csr of open) {
    const verdict = mayApprove(csr, known);
    if (!verdict.approve) continue;
    // The whole request as it was judged: another one under its name has another version, and is refused.
    const found = Items.parse(list).items.find(({ metadata }) => metadata.name === csr.name);
    await cluster.put(`${requestsPath}/${encodeURIComponent(csr.name)}/approval`, {
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
    nodes: ReportedNodes.parse(list).items.map(({ metadata: { name, labels, creationTimestamp }, spec, status }) => {
      const notice = noticeIn(spec.taints.filter((taint) => taint !== undefined));
      const { status: ready = 'Unknown', lastTransitionTime } =
        status.conditions.find((one) => one?.type === 'Ready') ?? {};
      return {
        name,
        locked: isLocked(labels),
        allocatable: status.allocatable,
        ready,
        ...(lastTransitionTime && { readySince: lastTransitionTime }),
        ...(creationTimestamp && { createdAt: creationTimestamp }),
        ...(notice && { notice }),
      };
    }),
  };
}

export interface Looking {
  /** Between two readings of the nodes; longer in clusters of more than some hundred nodes, whose list is long. */
  readonly everyMs: number;
  /** Nodes that do not change are reported again after this time. */
  readonly heartbeatMs: number;
  /** The same while one of them stopped being ready lately. */
  readonly unwellMs: number;
  /** The same while a request for a certificate is open that may not be approved: its node may have become known. */
  readonly openMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Ends a pause before its time. @default nothing does */
  readonly nudge?: Nudge;
}

/** Nodes have changed: a round that began before may not have seen it. */
export class Nudge {
  #controller = new AbortController();

  /** That of the next nudge. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}

/** A list of a thousand nodes is some 10 MB: it is read once a minute. */
const msOfNode = 60;

/** Until the signal. A round that fails is reported, and the next one follows: later and later, up to a heartbeat. */
export async function keepLooking(
  api: Pick<AgentApi, 'report'>,
  cluster: ClusterApi,
  { everyMs, heartbeatMs, unwellMs, openMs, signal, say, nudge = new Nudge() }: Looking,
): Promise<void> {
  let last: Reported | undefined;
  let failed = 0;
  while (!signal.aborted) {
    const ends = AbortSignal.any([signal, nudge.signal]);
    try {
      const health = healthIn(await cluster.get('/api/v1/nodes'));
      last = await reportOf(api, health, last, isUnwell(health) ? Math.min(unwellMs, heartbeatMs) : heartbeatMs);
      const list = await cluster.get(requestsPath);
      const open = openServingRequests(ServingRequests.parse(list));
      const { known } = last;
      if (open.some((csr) => !mayApprove(csr, known).approve)) last = await reportOf(api, health, last, openMs);
      for (const node of await approve(cluster, { list, open }, last.known))
        say(`the kubelet of ${node} gets its serving certificate`);
      failed = 0;
    } catch (error) {
      failed += 1;
      say(`this round failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    const wait = Math.max(everyMs, msOfNode * (last?.health.nodes.length ?? 0)) * 2 ** failed;
    await pause(Math.min(wait, Math.max(everyMs, heartbeatMs)), undefined, { signal: ends }).catch(() => undefined);
  }
}
