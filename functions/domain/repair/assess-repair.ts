/** Which unhealthy nodes are replaced, and why others are not. */
import { noticeMeaning } from '../node-notice.ts';
import { counted } from '../words.ts';
import { isUnhealthy } from './node-health.ts';
import type { ObservedNode, RepairLedger, RepairPolicy } from './observed-node.ts';
import { type RepairAllowance, repairAllowance } from './repair-budget.ts';

interface RepairRefusal {
  readonly node: string;
  /** For people. */
  readonly because: string;
  /** ISO 8601: when it may be otherwise. Absent: a person has to do something. */
  readonly until?: string;
}

/** Machines are not the problem: half of a region is down, or 40 % of many machines there. */
export interface Outage {
  readonly provider: string;
  readonly region: string;
  readonly nodes: readonly string[];
  /** How many more could not be checked. */
  readonly unknown: number;
  /** Nodes there are in that region. */
  readonly of: number;
}

export interface RepairDecision {
  /** With the policy that allows it. */
  readonly replace: readonly {
    readonly node: string;
    readonly because: string;
    readonly how: 'recreate' | 'replace';
  }[];
  readonly refused: readonly RepairRefusal[];
  readonly outage?: Outage;
}

export interface RepairQuestion {
  /** All nodes of the cluster. */
  readonly observed: readonly ObservedNode[];
  /** By name of the pool; static pools need none. */
  readonly policies: Readonly<Record<string, RepairPolicy>>;
  readonly ledger: RepairLedger;
  /** A change is in progress, which only machines that are gone do not wait for. @default false */
  readonly goneOnly?: boolean;
  readonly now: Date;
}

/** Every node that is not healthy is in one of the two lists, unless its replacement is requested already. */
export function assessRepair(question: RepairQuestion): RepairDecision {
  const { observed, ledger, now } = question;
  const outage = outageIn(observed);
  const maybe = outage === undefined ? outageIn(observed, 'maybe') : undefined;
  const budget = repairAllowance(ledger, now);
  const replace: RepairDecision['replace'][number][] = [];
  const refused: RepairRefusal[] = [];
  for (const node of inTurn(observed)) {
    const { pool } = node;
    const policy = question.policies[pool];
    const refusal =
      policy === undefined ? notDesired(node) : refusalOf(node, { ...question, policy, outage, maybe, budget });
    if (refusal) refused.push({ node: node.node, ...refusal });
    else if (policy && policy.onUnhealthy !== 'report') {
      replace.push({ node: node.node, because: whyOf(node, now), how: policy.onUnhealthy });
      budget.take(node);
    }
  }
  return { replace, refused, ...(outage && { outage }) };
}

type Why = Omit<RepairRefusal, 'node'>;

interface Case extends RepairQuestion {
  readonly policy: RepairPolicy;
  readonly outage: Outage | undefined;
  /** One, if the nodes that could not be checked are down as well. */
  readonly maybe: Outage | undefined;
  readonly budget: RepairAllowance;
}

const minute = 60_000;
/** When something that has to change first is compared again, at the soonest and at the latest. */
const laterMinutes = 15;
const latestMinutes = 360;

/** What lasts is compared after pauses that double. */
function laterThan({ since }: ObservedNode, now: Date): string {
  const lasted = since === undefined ? 0 : (now.getTime() - Date.parse(since)) / minute;
  const minutes = Math.min(Math.max(laterMinutes, lasted), latestMinutes);
  return new Date(now.getTime() + minutes * minute).toISOString();
}

/** Why this node is not replaced now; undefined: it is. */
function refusalOf(
  node: ObservedNode,
  { policy, outage, maybe, observed, budget, goneOnly, now }: Case,
): Why | undefined {
  const later = laterThan(node, now);
  if (node.place === undefined) return byHand(node);
  // Nothing would be replaced of it, so the next check is soon enough.
  if (node.health === 'unknown')
    return { because: 'its state is not known', ...(policy.onUnhealthy === 'replace' && { until: later }) };
  if (policy.onRequest) return { because: 'this check was asked for, and such a check replaces nothing' };
  if (policy.onUnhealthy === 'report') return { because: 'the manifest says to report only' };
  if (policy.onUnhealthy === 'recreate' && node.health !== 'gone')
    return { because: 'its machine exists, and its pool has no `repair`' };
  if (goneOnly && node.health !== 'gone')
    return { because: 'a change of the cluster is in progress, and its machine exists', until: later };
  if (node.protect) return { because: `pool ${node.pool} is protected` };
  if (node.locked) return { because: 'it has the label upgrade-lock', until: later };
  if (policy.onUnhealthy === 'replace' && node.ready)
    return {
      because: `${node.role === 'machine' ? 'it still answers' : 'Kubernetes reports it as ready'}, so maybe only a part of its machine is gone: \`kubeloom drift NAME --repair\` creates that again`,
      ...(node.looks < policy.looks && { until: later }),
    };
  if (outage) return { because: outageText(outage), until: later };
  if (maybe) return { because: maybeText(maybe), until: later };
  const pool = observed.filter((other) => other.pool === node.pool && other.role === node.role);
  const bad = pool.filter(isBad);
  const unknown = bad.filter(({ health }) => health === 'unknown').length;
  if (bad.length > Math.max(1, Math.floor((pool.length * policy.maxUnhealthy) / 100)))
    return {
      because: `${bad.length} of ${counted(pool.length, 'node')} of pool ${node.pool} are ${unknown === 0 ? 'unhealthy' : `unhealthy or could not be checked (${unknown})`}, more than ${policy.maxUnhealthy} %`,
      until: later,
    };
  return notYet(node, policy, now) ?? unsafeControl(node, observed, budget) ?? tooMany(pool, policy, budget, now);
}

/** It is not healthy, or its cloud takes its machine. */
function isBad({ health, notice }: ObservedNode): boolean {
  return health !== 'healthy' || notice !== undefined;
}

/** It may become ready, or another check may find it healthy. */
function notYet(node: ObservedNode, policy: RepairPolicy, now: Date): Why | undefined {
  // The cloud has said when it is over: neither time nor another check changes that.
  if (node.notice) return undefined;
  const started = node.createdAt === undefined ? 0 : Date.parse(node.createdAt) + policy.startAfter * minute;
  if (node.health !== 'gone' && started > now.getTime())
    return {
      because: `it is new and has ${policy.startAfter} min to become ${node.health === 'unhealthy' ? 'healthy' : 'ready'}`,
      until: new Date(started).toISOString(),
    };
  const due = Date.parse(node.since ?? now.toISOString()) + policy.after * minute;
  if (due > now.getTime())
    return { because: `it is replaced after ${policy.after} min`, until: new Date(due).toISOString() };
  if (node.looks >= policy.looks) return undefined;
  return { because: 'another check has to find it, too', until: now.toISOString() };
}

/** One control node at a time, and only while the others have the quorum of etcd. */
function unsafeControl(
  node: ObservedNode,
  observed: readonly ObservedNode[],
  budget: RepairAllowance,
): Why | undefined {
  if (node.role !== 'control') return undefined;
  const control = observed.filter(({ role }) => role === 'control');
  const healthy = control.filter((one) => !isBad(one));
  const quorum = Math.floor(control.length / 2) + 1;
  if (healthy.length < quorum)
    return {
      because: `the control plane has no quorum without it: ${healthy.length} of ${counted(control.length, 'control node')} ${healthy.length === 1 ? 'is' : 'are'} healthy, ${quorum} are needed`,
    };
  const other = control.find(({ leaving, node: name }) => leaving || budget.taken.has(name));
  return other && { because: `control node ${other.node} is being replaced` };
}

function tooMany(
  pool: readonly ObservedNode[],
  policy: RepairPolicy,
  budget: RepairAllowance,
  now: Date,
): Why | undefined {
  const inProgress = pool.filter(
    (node) => node.leaving === true || budget.taken.has(node.node) || isStarting(node, policy, now),
  );
  if (inProgress.length >= policy.atOnce) {
    const until = new Date(now.getTime() + laterMinutes * minute).toISOString();
    return { because: `the replacement of ${inProgress[0]?.node} is not ready yet`, until };
  }
  return budget.refusal(pool, policy);
}

/** New and not ready: it may be the last replacement. */
function isStarting({ health, createdAt }: ObservedNode, { startAfter }: RepairPolicy, now: Date): boolean {
  if (health === 'healthy' || health === 'gone' || createdAt === undefined) return false;
  return Date.parse(createdAt) + startAfter * minute > now.getTime();
}

const byHand = ({ node }: ObservedNode): Why => ({
  because: `it is a machine of your own: restart it, or remove it from the manifest; \`kubeloom drift NAME --repair\` connects ${node} again`,
});

const notDesired = (node: ObservedNode): Why =>
  node.place === undefined ? byHand(node) : { because: `the manifest no longer has pool ${node.pool}` };

/** Those that are unhealthy for longest come first. */
function inTurn(observed: readonly ObservedNode[]): readonly ObservedNode[] {
  const unhealthy = observed.filter((node) => isBad(node) && node.leaving !== true);
  const place = ({ since = '9', node }: ObservedNode): string => `${since} ${node}`;
  return unhealthy.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** The largest. `maybe`: with what could not be checked; nothing is called down that only is not known. */
export function outageIn(observed: readonly ObservedNode[], unknowns?: 'maybe'): Outage | undefined {
  const regions = Map.groupBy(
    observed.filter(({ place }) => place !== undefined),
    ({ place }) => JSON.stringify([place?.provider, place?.region]),
  );
  const outages = [...regions.values()].flatMap((nodes) => {
    const down = nodes.filter(({ health, notice }) => isUnhealthy(health) || notice).map(({ node }) => node);
    const unknown = nodes.filter(({ health, notice }) => health === 'unknown' && !notice).length;
    const [{ place } = {}] = nodes;
    const most = down.length + (unknowns === 'maybe' ? unknown : 0);
    if (place === undefined || down.length === 0 || !isOutage(most, nodes.length)) return [];
    return [{ ...place, nodes: down, unknown, of: nodes.length }];
  });
  return outages.toSorted((a, b) => b.nodes.length - a.nodes.length)[0];
}

/** Half of all, at least two; where ten or more are down, 40 %: so many do not break by chance. */
function isOutage(down: number, all: number): boolean {
  return down >= 2 && (down * 2 >= all || (down >= 10 && down * 5 >= all * 2));
}

/** "4 of 6 nodes of cloud-1 in fra are down at once: that is an outage, and new machines would not help" */
export function outageText({ provider, region, nodes, of }: Outage): string {
  return `${nodes.length} of ${counted(of, 'node')} of ${provider} in ${region} are down at once: that is an outage, and new machines would not help`;
}

/** "1 of 3 nodes of cloud-1 in fra is down, and 2 could not be checked: that may be an outage" */
function maybeText({ provider, region, nodes, unknown, of }: Outage): string {
  return `${nodes.length} of ${counted(of, 'node')} of ${provider} in ${region} ${nodes.length === 1 ? 'is' : 'are'} down, and ${unknown} could not be checked: that may be an outage, in which new machines would not help`;
}

function whyOf({ health, since, failing, notice }: ObservedNode, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(since ?? now.toISOString())) / minute);
  if (health === 'gone') return 'its machine is gone';
  if (notice) return noticeMeaning[notice].words;
  return health === 'unhealthy'
    ? `unhealthy for ${minutes} min: ${failing ?? 'a health check fails'}`
    : `not ready for ${minutes} min`;
}
