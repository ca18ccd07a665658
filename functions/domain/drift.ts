/** Drift: differences between what exists and what Kubeloom created. Findings and their record. */
import { z } from 'zod';
import { allNodes, type ClusterState } from './cluster-state.ts';
import { Expiries } from './expiry.ts';
import { NodeNotice } from './node-notice.ts';

/** Kinds of drift, by what repairs them. */
const driftKinds = [
  'machine',
  'network',
  'dns',
  'mesh',
  'node',
  'version',
  'traffic',
  'document',
  'certificate',
  'health',
  'stray',
  'expiry',
  'metadata',
  'unknown',
  'proxy',
] as const;
export const DriftKind = z.enum(driftKinds);
export type DriftKind = z.infer<typeof DriftKind>;

/** Present, or absent. */
const mark = z.literal(true).optional();

/** One difference from what was created. Never contains a secret. */
export const DriftItem = z.strictObject({
  kind: DriftKind,
  where: z.strictObject({
    node: z.string().optional(),
    pool: z.string().optional(),
    /** Provider instance. */
    provider: z.string().optional(),
    /** Load balancer, documents, or whatever else has a name. */
    name: z.string().optional(),
    /** The id of a stray at its provider; when what is due for renewal ends, so that its next end counts as new. */
    id: z.string().optional(),
  }),
  /** A sentence, at most 500 characters. */
  message: z.string().max(500),
  /** The stages that created it can repair it. */
  repairable: z.boolean(),
  /** Its machine does not exist, or has to be recreated. */
  gone: mark,
  /** Strays only: it can be put into quarantine, or is in quarantine. */
  hold: z.enum(['possible', 'held']).optional(),
  /** Expiries only: it ends so soon that its renewal does not wait for other nodes. */
  urgent: mark,
});
export type DriftItem = z.infer<typeof DriftItem>;

/** What a check found out about one node. Never contains a secret. */
export const NodeObservation = z.strictObject({
  node: z.string(),
  /**
   * `unhealthy`: a health check of its group fails. `gone`: its machine, or a part of it, does not exist any more. `unknown`: no one
   * could say.
   */
  health: z.enum(['healthy', 'notReady', 'unhealthy', 'gone', 'unknown']),
  /** It is `gone`, and Kubernetes reports it as ready, or the machine of a group answers, all the same. */
  ready: mark,
  /** ISO 8601: since when Kubernetes reports it as not ready. */
  since: z.string().optional(),
  /** ISO 8601: when it joined Kubernetes; if it never did, when its machine was set up. */
  createdAt: z.string().optional(),
  /** It has the label `upgrade-lock`. */
  locked: mark,
  /** What its cloud announced, as the taint of the node says. */
  notice: NodeNotice.optional(),
  /** A sentence: why a machine with health checks is not healthy. */
  failing: z.string().max(500).optional(),
});
export type NodeObservation = z.infer<typeof NodeObservation>;

/** A node that is not healthy, or locked, or that has health checks, over several checks for drift. */
export const NodeHealthRecord = NodeObservation.extend({
  /** Checks in a row that found it not healthy. */
  looks: z.number().int(),
  /** ISO 8601: the last of them. */
  seenAt: z.string(),
  /** Why it is not replaced, a sentence. */
  refused: z.string().optional(),
  /** ISO 8601: when that is compared again. Absent: a person has to do something. */
  until: z.string().optional(),
});
export type NodeHealthRecord = z.infer<typeof NodeHealthRecord>;

/** The report of a check by a runner. */
export const DriftReport = z.strictObject({
  schema: z.literal(1),
  items: z.array(DriftItem),
  /** What could not be checked and why, a sentence each. */
  unchecked: z.array(z.string()),
  /** What a check cannot see as long as no person changes something, a sentence each: it is no less complete for that. */
  notes: z.array(z.string()).optional(),
  /** Health of the nodes of Kubernetes, and of all nodes whose machines are gone. */
  health: z.array(NodeObservation).optional(),
  /** What ends first: `keptExpiries`. */
  expiries: Expiries,
});
export type DriftReport = z.infer<typeof DriftReport>;

/** What is done with strays: they are stopped and kept, or deleted. */
export const StrayAction = z.enum(['quarantine', 'delete']);
export type StrayAction = z.infer<typeof StrayAction>;

/** A repair: requested, done but not verified yet, or verified: it helped, it did not, or that is not known. */
const DriftRepair = z.strictObject({
  state: z.enum(['requested', 'made', 'helped', 'useless', 'unverified']),
  runId: z.string(),
  at: z.string(),
  items: z.array(DriftItem),
  /** What Kubeloom does with the strays among them. @default delete */
  strays: StrayAction.optional(),
});

/** What is known of the drift of a cluster. */
export const ClusterDrift = z.strictObject({
  checkedAt: z.string(),
  /** The run of the last check. */
  runId: z.string(),
  items: z.array(DriftItem),
  unchecked: z.array(z.string()),
  /** What ends first, as the last check that saw it found it. */
  expiries: Expiries,
  /** Incomplete checks in a row; absent when the last one was complete. */
  incomplete: z.number().int().positive().optional(),
  repair: DriftRepair.optional(),
  /** Keys of items that a repair did not remove: they are repaired again only on request. */
  useless: z.array(z.string()).optional(),
  /** What was done about it, a sentence. */
  outcome: z.string(),
  /** Nodes that are not healthy, or locked. */
  health: z.array(NodeHealthRecord).optional(),
  /** So much is down at once that new machines would not help, a sentence. */
  outage: z.string().optional(),
  /** ISO 8601: when another check may lead to a replacement. */
  lookAgainAt: z.string().optional(),
  /** ISO 8601: since when the agent of the cluster, which should report every five minutes, has not. */
  agentSilent: z.string().optional(),
  /** Machines that were replaced automatically within the last 24 hours. */
  replaced: z.array(z.strictObject({ node: z.string(), pool: z.string(), at: z.string() })).optional(),
});
export type ClusterDrift = z.infer<typeof ClusterDrift>;

/**
 * What a check may do: report, repair (apart from items that a repair did not remove), or, on request, repair everything that it can.
 * The first two also replace unhealthy nodes of pools whose `repair` says so; `reportAll`, on request, changes nothing at all.
 */
export const CheckPolicy = z.enum(['report', 'repair', 'repairAll', 'reportAll']);
export type CheckPolicy = z.infer<typeof CheckPolicy>;

/** A thing that is found twice has the same key, whatever the message. */
export function driftKey({ kind, where: { node = '', pool = '', provider = '', name = '', id } }: DriftItem): string {
  return [kind, node, pool, provider, name, ...(id === undefined ? [] : [id])].join('|');
}

/** Without items about nodes and load balancers that no longer exist. Undefined when the cluster is gone. */
export function driftOf(drift: ClusterDrift | undefined, state: ClusterState | null): ClusterDrift | undefined {
  if (drift === undefined || state === null) return undefined;
  const nodes = new Set(allNodes(state).map(({ node }) => node.name));
  const { health = [], repair, ...rest } = drift;
  const there = health.filter(({ node }) => nodes.has(node));
  const isThere = ({ where }: DriftItem): boolean => where.node === undefined || nodes.has(where.node);
  const items = drift.items.filter(isThere);
  const left = repair?.state === 'requested' ? { ...repair, items: repair.items.filter(isThere) } : repair;
  const expiries = drift.expiries?.filter(({ node }) => node === undefined || nodes.has(node));
  return {
    ...rest,
    items,
    ...(left && left.items.length > 0 && { repair: left }),
    ...(there.length > 0 && { health: there }),
    ...(expiries && { expiries }),
  };
}

/** After a repair has ended: the next step verifies whether it helped. */
export function repairMade(
  drift: ClusterDrift | undefined,
  { runId }: { readonly runId: string },
  at: string,
): ClusterDrift | undefined {
  if (drift?.repair === undefined) return drift;
  return { ...drift, repair: { ...drift.repair, state: 'made', runId, at } };
}
