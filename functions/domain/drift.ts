/** Drift: differences between what exists and what Kubeloom created. Findings, their record, and when the next check is due. */
import { z } from 'zod';
import { allNodes, type ClusterState } from './cluster-state.ts';

/** Kinds of drift, by what repairs them. */
export const driftKinds = ['machine', 'network', 'dns', 'mesh', 'node', 'version', 'traffic'] as const;
export const DriftKind = z.enum(driftKinds);
export type DriftKind = z.infer<typeof DriftKind>;

/** One difference from what was created. Never contains a secret. */
export const DriftItem = z.strictObject({
  kind: DriftKind,
  where: z.strictObject({
    node: z.string().optional(),
    pool: z.string().optional(),
    /** Provider instance. */
    provider: z.string().optional(),
    /** Load balancer, or whatever else has a name. */
    name: z.string().optional(),
  }),
  /** A sentence, at most 500 characters. */
  message: z.string().max(500),
  /** The stages that created it can repair it. */
  repairable: z.boolean(),
});
export type DriftItem = z.infer<typeof DriftItem>;

/** The report of a check by a runner. */
export const DriftReport = z.strictObject({
  schema: z.literal(1),
  items: z.array(DriftItem),
  /** What could not be checked and why, a sentence each. */
  unchecked: z.array(z.string()),
});
export type DriftReport = z.infer<typeof DriftReport>;

/** A repair: requested, done but not verified yet, or verified: it helped, it did not, or that is not known. */
export const DriftRepair = z.strictObject({
  state: z.enum(['requested', 'made', 'helped', 'useless', 'unverified']),
  runId: z.string(),
  at: z.string(),
  items: z.array(DriftItem),
});
export type DriftRepair = z.infer<typeof DriftRepair>;

/** What is known of the drift of a cluster. */
export const ClusterDrift = z.strictObject({
  checkedAt: z.string(),
  /** The run of the last check. */
  runId: z.string(),
  items: z.array(DriftItem),
  unchecked: z.array(z.string()),
  /** Incomplete checks in a row; absent when the last one was complete. */
  incomplete: z.number().int().positive().optional(),
  repair: DriftRepair.optional(),
  /** Keys of items that a repair did not remove: they are repaired again only on request. */
  useless: z.array(z.string()).optional(),
  /** What was done about it, a sentence. */
  outcome: z.string(),
});
export type ClusterDrift = z.infer<typeof ClusterDrift>;

/** What a check may do: report, repair (apart from items that a repair did not remove), or, on request, repair everything that it can. */
export const CheckPolicy = z.enum(['report', 'repair', 'repairAll']);
export type CheckPolicy = z.infer<typeof CheckPolicy>;

/** A thing that is found twice has the same key, whatever the message. */
export function driftKey({ kind, where: { node = '', pool = '', provider = '', name = '' } }: DriftItem): string {
  return [kind, node, pool, provider, name].join('|');
}

/** Without items about nodes and load balancers that no longer exist. Undefined when the cluster is gone. */
export function driftOf(drift: ClusterDrift | undefined, state: ClusterState | null): ClusterDrift | undefined {
  if (drift === undefined || state === null) return undefined;
  const nodes = new Set(allNodes(state).map(({ node }) => node.name));
  return { ...drift, items: drift.items.filter(({ where }) => where.node === undefined || nodes.has(where.node)) };
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

/** When the next check is due: an interval on, and up to a tenth of it later, so that not all manifests come at once. */
export function nextCheckAt(now: Date, intervalMinutes: number, seed: string): string {
  return later(now, intervalMinutes * (1 + shareOf(seed) / 10));
}

/** When the first check of a manifest that was done long ago is due: some time within an interval, as many may be found at once. */
export function firstCheckAt(now: Date, intervalMinutes: number, seed: string): string {
  return later(now, intervalMinutes * shareOf(seed));
}

function later(now: Date, minutes: number): string {
  return new Date(now.getTime() + Math.round(minutes * 60_000)).toISOString();
}

/** From 0 to 1, always the same for a text, and far apart for texts that are alike. */
function shareOf(seed: string): number {
  const hash = [...seed].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  );
  // What differs at the end only differs in the lowest bits before this.
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}
