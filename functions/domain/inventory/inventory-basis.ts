/** What the plan of an inventory was made from. Its id is a digest of that; what moved since is the difference. */
import { z } from 'zod';
import { movedSince, PlanBasis } from '../planning/plan-basis.ts';

export const InventoryBasis = z.strictObject({
  schema: z.literal(1),
  /** Generation of each document that is stored, by kind and name. */
  stored: z.record(z.string(), z.number().int()),
  /** Digest of each document that was sent, by kind and name. */
  sent: z.record(z.string(), z.string()),
  /** What the plan of each cluster that changes was made from, by name. */
  clusters: z.record(z.string(), PlanBasis),
});
export type InventoryBasis = z.infer<typeof InventoryBasis>;

/** What is different now, a sentence each; empty when the plan is still the same. */
export function inventoryMoved(before: InventoryBasis, now: InventoryBasis): readonly string[] {
  return [
    ...different(before.stored, now.stored).map(([name, was, is]) => {
      if (was === undefined) return `${name} was stored`;
      return is === undefined ? `${name} was deleted` : `${name} is now generation ${is}, not ${was}`;
    }),
    ...different(before.sent, now.sent).map(([name, was, is]) => {
      if (was === undefined) return `${name} was not among the documents that were planned`;
      return is === undefined ? `${name} was planned and is not sent` : `${name} is not the document that was planned`;
    }),
    ...names(before.clusters, now.clusters).flatMap((name) => {
      const [was, is] = [before.clusters[name], now.clusters[name]];
      if (was === undefined) return [`cluster ${name} now changes, too`];
      return is === undefined ? [`cluster ${name} no longer changes`] : ofCluster(name, was, is);
    }),
  ];
}

function ofCluster(name: string, before: PlanBasis, now: PlanBasis): readonly string[] {
  return movedSince(before, now).map((text) => `${name}: ${text}`);
}

function different<Value>(before: Readonly<Record<string, Value>>, now: Readonly<Record<string, Value>>) {
  return names(before, now)
    .filter((name) => before[name] !== now[name])
    .map((name) => [name, before[name], now[name]] as const);
}

const names = (one: object, other: object): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
