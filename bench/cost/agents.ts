/** Pure: what the agent of a cluster costs in a month in which nothing changes. */
import { oldest } from '#agent/known-groups.ts';
import { rhythm } from '#agent/node-agent.ts';
import { assumptions } from './assumptions.ts';
import { type Bill, billOf } from './bill.ts';
import { none } from './count-calls.ts';
import book from './prices.json' with { type: 'json' };

const monthMs = assumptions.daysOfMonth * 86_400_000;

export interface AgentMonth {
  /** Requests to the API. */
  readonly requests: number;
  readonly bill: Bill;
}

/** `autoscaled`: an autoscaler asks, too. */
export function agentMonth({ autoscaled }: { readonly autoscaled: boolean }): AgentMonth {
  const { readsOfRequest, functionSeconds } = assumptions.agent;
  const reports = monthMs / rhythm.heartbeatMs;
  const requests = reports + (autoscaled ? monthMs / oldest.resting : 0);
  const counts = { apiRequests: requests, calls: requests, tableReads: requests * readsOfRequest };
  // Its function is not traced, and its item is in no index.
  const { traces: _none, functions: _long, ...bill } = billOf({ ...none(), ...counts, tableWrites: reports });
  const call = book.prices.lambdaRequest + functionSeconds * assumptions.functionGb * book.prices.lambdaGbSecond;
  return { requests, bill: { ...bill, functions: requests * call } };
}
