/** The routes of the API that the agent may use, with the token of its cluster. */
import { AgentGroup, AgentGroups, type AgentHealth, AgentNodes, type AgentSize } from '#contracts/agent.ts';
import { parseJson } from '#domain/json.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { boundedText } from './bounded-text.ts';

/** A thousand nodes are some 10 MB; the pod has 128 MB. */
export const mostAgentBytes = 32_000_000;

export interface AgentApi {
  groups(): Promise<readonly AgentGroup[]>;
  /** The pool after that; throws `ApiRefusal` when the size is out of its bounds. */
  resize(pool: string, size: AgentSize): Promise<AgentGroup>;
  /** Returns the nodes that Kubeloom knows. */
  report(health: AgentHealth): Promise<AgentNodes['nodes']>;
}

/** The API answered, and it was not a yes. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiRefusal';
    this.status = status;
  }
}

export interface AgentConnection {
  readonly apiUrl: string;
  /** Read for each request: the token of a cluster is renewed. */
  readonly token: () => Promise<string>;
  /** Less than the autoscaler itself waits for an answer. */
  readonly timeoutMs: number;
}

export function agentApi({ apiUrl, token, timeoutMs }: AgentConnection): AgentApi {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${apiUrl}/v1/agent/${path}`, {
      method,
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await boundedText(response, mostAgentBytes);
    if (response.ok) return JSON.parse(text);
    throw new ApiRefusal(response.status, detailOf(text) ?? `HTTP ${response.status}`);
  };
  return {
    groups: async () => AgentGroups.parse(await ask('GET', 'groups')).groups,
    resize: async (pool, size) => AgentGroup.parse(await ask('POST', `groups/${encodeURIComponent(pool)}/size`, size)),
    report: async (health) => AgentNodes.parse(await ask('POST', 'health', health)).nodes,
  };
}

/** Detail of a problem (RFC 9457). */
function detailOf(text: string): string | undefined {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? printableText(detail, 1000) : undefined;
}
