/** What Kubernetes says of a node, as checks and the agent of a cluster report it. */
import type { NodeObservation } from './drift.ts';
import type { NodeNotice } from './node-notice.ts';
import type { NodeFacts } from './observed/node-facts.ts';

export interface NodeReport {
  /** `True`, `False` or `Unknown`. */
  readonly ready: string;
  /** Since when it is so; Kubernetes leaves out milliseconds. */
  readonly readySince?: string | undefined;
  /** When it joined. */
  readonly createdAt?: string | undefined;
  /** It has the label `upgrade-lock`. */
  readonly locked: boolean;
  /** What its cloud announced. */
  readonly notice?: NodeNotice | undefined;
}

/** `report`: undefined when Kubernetes does not have the node. One that never joined is new from its set-up on. */
export function observationOf(
  node: string,
  report: NodeReport | undefined,
  { setUpAt, joined }: Pick<NodeFacts, 'setUpAt' | 'joined'> = {},
): NodeObservation {
  if (report === undefined)
    return { node, health: 'notReady', ...(setUpAt !== undefined && joined !== true && { createdAt: setUpAt }) };
  const { ready, readySince, createdAt, locked, notice } = report;
  return {
    node,
    health: ready === 'True' ? 'healthy' : 'notReady',
    ...(ready !== 'True' && readySince !== undefined && { since: iso(readySince) }),
    ...(createdAt !== undefined && { createdAt: iso(createdAt) }),
    ...(locked && { locked: true }),
    ...(notice && { notice: { ...notice, ...(notice.since !== undefined && { since: iso(notice.since) }) } }),
  };
}

/** All our times have milliseconds, so that they can be compared as text. */
const iso = (time: string): string => new Date(time).toISOString();
